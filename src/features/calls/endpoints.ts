import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { CALL_QUERY, TOTALS_QUERY, wantedCalls } from "./query";
import { CallDetail, CallPage, CallTotals } from "./schema";
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
    endpoint("GET /api/calls/totals", {
      summary: "Get tokens and cost of all calls that match, such as those of a conversation, an agent or a user",
      query: TOTALS_QUERY,
      isQueryClosed: true,
      answers: { 200: CallTotals },
      handler: ({ person, query }) => service.totals(person.user, wantedCalls(query).filter),
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
