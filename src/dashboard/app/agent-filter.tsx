import { useSeesAll } from "#dashboard/app/session";
import { type Filter, FilterChoice } from "#dashboard/parts/filters";
import { useGet } from "#dashboard/parts/hooks";

/** The agents one may see. */
export const useAgents = () => {
  const all = useSeesAll();
  return useGet("GET /api/agents", { query: { limit: 200, ...(all && { all }) } }).data?.data ?? [];
};

/** Which agent it is about, of those one may see. */
export const AgentFilter = (filter: Filter) => {
  const choices = useAgents().map(({ id, name }) => ({ value: id, label: name }));
  return <FilterChoice label="Agent" choices={choices} {...filter} />;
};
