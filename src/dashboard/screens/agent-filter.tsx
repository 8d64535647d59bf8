import { useGet } from "#dashboard/api/hooks";
import { useSeesAll } from "#dashboard/app/session";
import { type Filter, FilterChoice } from "#dashboard/parts/filters";

/** Which agent it is about, of those one may see. */
export const AgentFilter = (filter: Filter) => {
  const all = useSeesAll() ? { all: "true" } : {};
  const agents = useGet("GET /api/agents", { query: { limit: "200", ...all } });
  const choices = (agents.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return <FilterChoice label="Agent" choices={choices} {...filter} />;
};
