import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { Overview, OverviewWindow, SwitchesOn } from "./schema";
import type { OverviewService } from "./service";

type OverviewEndpointNeeds = { readonly service: OverviewService };

/** How the hub fares. */
const overviewEndpoints = ({ service }: OverviewEndpointNeeds) =>
  [
    endpoint("GET /api/overview", {
      summary: "Get traffic, findings and pending decisions",
      query: { window: OverviewWindow },
      answers: { 200: Overview },
      handler: ({ person, query: { window = "24h" } }) => service.of(person.user, window),
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
