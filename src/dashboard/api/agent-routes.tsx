import type { NewAgent } from "#modules/agents/schema";
import type { ShownAgent } from "#modules/agents/shown";
import type { List, Paging } from "./shapes";

/** Agents and their profiles. */
export type AgentRoutes = {
  "GET /api/agents": { query: Paging & { readonly all?: string }; answer: List<ShownAgent> };
  "POST /api/agents": { body: NewAgent; answer: ShownAgent };
};
