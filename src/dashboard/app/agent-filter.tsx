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

/** An agent's name; its id where there are more of them than are asked for at once. */
export const useAgentName = (): ((id: string) => string) => {
  const agents = useAgents();
  return (id) => agents.find((agent) => agent.id === id)?.name ?? id;
};
