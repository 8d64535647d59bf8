import { useGet } from "#dashboard/api/hooks";
import { useHasRole } from "#dashboard/app/session";
import type { Choice } from "#dashboard/parts/field";

/** What an id is called, as far as it is known. */
export type Named = (id: string) => string;

const MOST = { limit: "200" } as const;

/** What can be stopped, for who may see it. */
export const useTargets = () => {
  const maySeeUsers = useHasRole("admin", "auditor");
  const agents = useGet("GET /api/agents", { query: { ...MOST, all: "true" } });
  const users = useGet("GET /api/users", { query: MOST }, { enabled: maySeeUsers });
  const isAdmin = useHasRole("admin");
  const servers = useGet("GET /api/tool-servers", { query: { ...MOST, ...(isAdmin ? { all: "true" } : {}) } });
  return {
    agent: (agents.data?.data ?? []).map(({ id, name, owner }): Choice => ({ value: id, label: `${name} · ${owner}` })),
    owner: (users.data?.data ?? []).map(({ id, email }): Choice => ({ value: id, label: email })),
    tool_server: (servers.data?.data ?? []).map(
      ({ id, slug, owner }): Choice => ({ value: id, label: `${slug} · ${owner}` }),
    ),
  };
};

export const useNames = (): Named => {
  const { agent, owner, tool_server } = useTargets();
  const names = new Map([...agent, ...owner, ...tool_server].map(({ value, label }) => [value, label]));
  return (id) => names.get(id) ?? id;
};
