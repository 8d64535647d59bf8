import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { FanOutMap } from "./schema";
import type { MapService } from "./service";

type MapEndpointNeeds = { readonly service: MapService };

/** Who may reach what. */
const mapEndpoints = ({ service }: MapEndpointNeeds) =>
  [
    endpoint("GET /api/map", {
      summary: "Get the access map: users, agents, tool servers, tools",
      answers: { 200: FanOutMap },
      handler: ({ person }) => service.of(person.user),
    }),
  ] as const;

export type MapClient = ClientTypes<ReturnType<typeof mapEndpoints>[number]>;

export const mapRoutes = (needs: MapEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Hub" }, mapEndpoints(needs));
