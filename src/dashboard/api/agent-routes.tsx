import type { HealthReport } from "#core/health-report";
import type { ProfileChange } from "#core/profile/diff";
import type { GuardrailProfile } from "#core/profile/profile";
import type { AgentChange, NewAgent, Retirement, WithReason } from "#modules/agents/schema";
import type { EffectiveView, ListedAgent, ShownAgent } from "#modules/agents/shown";
import type { Acknowledging, Rebaselining, ShownPoint } from "#modules/health/schema";
import type { Lifting, NewRestriction, ShownRestriction } from "#modules/restrictions/schema";
import type { AgentTools } from "#modules/tool-servers/shown";
import type { List, Paging } from "./shapes";

/** Agents: their facts, how they fare, what holds for them. */
export type AgentRoutes = {
  "GET /api/agents": { query: Paging & { readonly all?: string }; answer: List<ListedAgent> };
  "POST /api/agents": { body: NewAgent; answer: ShownAgent };
  "GET /api/agents/:id": { answer: ShownAgent };
  "PATCH /api/agents/:id": { body: AgentChange; answer: ShownAgent };
  "POST /api/agents/:id/suspend": { body: WithReason; answer: ShownAgent };
  "POST /api/agents/:id/resume": { answer: ShownAgent };
  "POST /api/agents/:id/retire": { body: Retirement; answer: ShownAgent };
  "GET /api/agents/:id/health": { answer: HealthReport };
  "GET /api/agents/:id/health/trend": { answer: List<ShownPoint> };
  "POST /api/agents/:id/drift/acknowledge": { body: Acknowledging; answer: HealthReport };
  "POST /api/agents/:id/drift/rebaseline": { body: Rebaselining; answer: HealthReport };
  "GET /api/agents/:id/restrictions": {
    query: Paging & { readonly in_force?: string };
    answer: List<ShownRestriction>;
  };
  "POST /api/agents/:id/restrictions": { body: NewRestriction; answer: ShownRestriction };
  "POST /api/agents/:id/restrictions/:rid/lift": { body: Lifting; answer: ShownRestriction };
  "GET /api/agents/:id/effective": { answer: EffectiveView };
  "GET /api/agents/:id/profiles": { query: Paging; answer: List<GuardrailProfile> };
  "GET /api/agents/:id/profiles/:version": {
    query: { readonly diff?: string };
    answer: GuardrailProfile & { readonly changes?: readonly ProfileChange[] };
  };
  "POST /api/agents/:id/profile/revoke": { body: WithReason; answer: ShownAgent };
  "GET /api/agents/:id/tools": { query: Paging; answer: List<AgentTools> };
};
