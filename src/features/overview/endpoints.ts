import { Type } from "#core/schema";
import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { Overview, SwitchesOn, TRAFFIC_QUERY, Traffic } from "./schema";
import type { OverviewService } from "./service";
import type { TrafficService } from "./traffic-service";

type OverviewEndpointNeeds = { readonly service: OverviewService; readonly traffic: TrafficService };

/** How the hub fares. */
const overviewEndpoints = ({ service, traffic }: OverviewEndpointNeeds) =>
  [
    endpoint("GET /api/overview", {
      summary: "Get traffic, findings and pending decisions",
      query: TRAFFIC_QUERY,
      answers: { 200: Overview },
      handler: ({ person, query }) => service.of(person.user, query),
    }),
    endpoint("GET /api/traffic", {
      summary: "Get calls over time, of all agents or of one",
      query: { ...TRAFFIC_QUERY, agent_id: Type.String({ maxLength: 64, description: "Id of an agent." }) },
      answers: { 200: Traffic },
      errors: ["not_found"],
      handler: ({ person, query: { agent_id, ...query } }) =>
        agent_id === undefined ? traffic.of(person.user, query) : traffic.ofAgent(person.user, agent_id, query),
    }),
    endpoint("GET /api/overview/kill-switch", {
      summary: "List active kill switches, with reasons",
      answers: { 200: SwitchesOn },
      handler: ({ person }) => service.switchesOn(person.user),
    }),
  ] as const;

export type OverviewClient = ClientTypes<ReturnType<typeof overviewEndpoints>[number]>;

export const overviewRoutes = (needs: OverviewEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Hub" }, overviewEndpoints(needs));
