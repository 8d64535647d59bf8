import { useHasRole } from "#dashboard/app/session";
import type { Choice } from "#dashboard/parts/field";
import { useGet } from "#dashboard/parts/hooks";

/** What an id is called, as far as it is known. */
export type NamedTarget = (id: string) => string;

const MAX_PAGE = { limit: "200" } as const;

/** What can be stopped, for who may see it. */
export const useTargets = () => {
  const maySeeUsers = useHasRole("admin", "auditor");
  const agents = useGet("GET /api/agents", { query: { ...MAX_PAGE, all: true } });
  const users = useGet("GET /api/users", { query: MAX_PAGE }, { enabled: maySeeUsers });
  const isAdmin = useHasRole("admin");
  const servers = useGet("GET /api/tool-servers", { query: { ...MAX_PAGE, ...(isAdmin ? { all: true } : {}) } });
  return {
    agent: (agents.data?.data ?? []).map(({ id, name, owner }): Choice => ({ value: id, label: `${name} · ${owner}` })),
    owner: (users.data?.data ?? []).map(({ id, email }): Choice => ({ value: id, label: email })),
    tool_server: (servers.data?.data ?? []).map(
      ({ id, slug, owner }): Choice => ({ value: id, label: `${slug} · ${owner}` }),
    ),
  };
};

export const useNames = (): NamedTarget => {
  const { agent, owner, tool_server } = useTargets();
  const names = new Map([...agent, ...owner, ...tool_server].map(({ value, label }) => [value, label]));
  return (id) => names.get(id) ?? id;
};
