import {
  type Audience,
  type ClientTypes,
  endpoint,
  personRouter,
  type RouterNeeds,
  type TokenRouterNeeds,
  tokenEndpoint,
  tokenRouter,
} from "#http/endpoint";
import type { Agent } from "#model/agent";
import { AgentHealthView, HealthReport } from "#model/health/health-report";
import { maySee, noAgent } from "#model/ownership";
import type { Person } from "#model/session";
import { DECIDING_ROLES } from "#policy/approval/ruling";
import { Acknowledging, Rebaselining, Trend } from "./schema";
import type { HealthService } from "./service";

type HealthEndpointNeeds = {
  readonly service: HealthService;
  readonly agents: { byId(id: string): Promise<Agent | null> };
};

/** For agents and their owners, by gateway token. */
const tokenEndpoints = ({ service }: Pick<HealthEndpointNeeds, "service">) => [
  tokenEndpoint("GET /v1/guard/health/:agent_id", {
    summary: "Get agent health",
    description: "Also available to a suspended agent.",
    answers: { 200: HealthReport },
    handler: ({ caller, id, params }) => service.read(caller, id, params.agent_id),
  }),
];

const DECIDERS: Audience = { roles: DECIDING_ROLES };

/** For signed-in people: owners read their agents', those who decide read all and answer for drift. */
const personEndpoints = ({ service, agents }: HealthEndpointNeeds) => {
  const visible = async ({ user }: Person, id: string): Promise<Agent> => {
    const agent = await agents.byId(id);
    if (agent && maySee(user, agent)) return agent;
    throw noAgent();
  };
  return [
    endpoint("GET /api/agents/:id/health", {
      summary: "Get agent health",
      answers: { 200: AgentHealthView },
      handler: async ({ person, params }) => service.healthOf(await visible(person, params.id)),
    }),
    endpoint("GET /api/agents/:id/health/trend", {
      summary: "Get the health trend of seven days",
      answers: { 200: Trend },
      handler: async ({ person, params }) => {
        const data = await service.trendOf(await visible(person, params.id));
        return { object: "list" as const, data, has_more: false, next_cursor: null };
      },
    }),
    endpoint("POST /api/agents/:id/drift/acknowledge", {
      summary: "Acknowledge drift until a given time",
      auth: DECIDERS,
      body: Acknowledging,
      answers: { 200: AgentHealthView },
      errors: ["state_conflict"],
      handler: async ({ person, params, body }) => service.acknowledge(person, await visible(person, params.id), body),
    }),
    endpoint("POST /api/agents/:id/drift/rebaseline", {
      summary: "Start a new drift baseline",
      auth: DECIDERS,
      body: Rebaselining,
      answers: { 200: AgentHealthView },
      errors: ["state_conflict"],
      handler: async ({ person, params, body }) => service.rebaseline(person, await visible(person, params.id), body),
    }),
  ] as const;
};

export type HealthClient = ClientTypes<ReturnType<typeof personEndpoints>[number]>;

export const agentHealthRoutes = (needs: Pick<HealthEndpointNeeds, "service"> & TokenRouterNeeds) =>
  tokenRouter(needs, tokenEndpoints(needs));
export const agentWatchRoutes = (needs: HealthEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Agents" }, personEndpoints(needs));
