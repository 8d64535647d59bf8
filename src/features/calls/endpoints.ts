import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { CALL_QUERY, wantedCalls } from "./query";
import { CallDetail, CallPage } from "./schema";
import type { CallService } from "./service";

type CallEndpointNeeds = { readonly service: CallService };

/** Calls and changes of governance, as the audit log has them. Reading only. */
const callEndpoints = ({ service }: CallEndpointNeeds) =>
  [
    endpoint("GET /api/calls", {
      summary: "List calls and administrative changes",
      query: CALL_QUERY,
      isQueryClosed: true,
      answers: { 200: CallPage },
      handler: ({ person, query }) => service.list(person.user, wantedCalls(query)),
    }),
    endpoint("GET /api/calls/:id", {
      summary: "Get a call with its effective policy",
      answers: { 200: CallDetail },
      handler: ({ person, params }) => service.get(person.user, params.id),
    }),
  ] as const;

export type CallClient = ClientTypes<ReturnType<typeof callEndpoints>[number]>;

export const callRoutes = (needs: CallEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Audit" }, callEndpoints(needs));
