import { Type } from "#core/schema";
import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { oneOf } from "#http/openapi/schemas";
import { personActor } from "#model/change";
import { CALL_FIELDS, VALUE_ORDERS } from "#store/call-index-port";
import { MAX_EXPORTED } from "./export";
import { CALL_QUERY, callFilterIn, callsAlone, TOTALS_QUERY, TRACE_QUERY, wantedCalls, wantedTrace } from "./query";
import { CallDetail, CallPage, CallTotals, CallValues } from "./schema";
import type { CallService } from "./service";
import { CallLinks, Conversation } from "./trace-schema";
import type { TraceService } from "./trace-service";

type CallEndpointNeeds = {
  readonly service: CallService;
  readonly traces: TraceService;
  /** Lifts the server's idle limit from one request. */
  readonly disableIdleTimeout: (request: Request) => void;
};

const VALUES = 50;

/** Calls and changes of governance, as the audit log has them. Reading only. */
const callEndpoints = ({ service, traces, disableIdleTimeout }: CallEndpointNeeds) =>
  [
    endpoint("GET /api/calls", {
      summary: "List calls and administrative changes, newest first or in another order",
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
      handler: ({ person, query }) => service.totals(person.user, callsAlone(query)),
    }),
    endpoint("GET /api/calls/values", {
      summary: "List the values of a field of all calls that match, with calls, tokens and cost of each",
      query: {
        by: oneOf(CALL_FIELDS, "The field; default agent_id."),
        sort: oneOf(VALUE_ORDERS, "Sorted by calls, tokens or cost, largest first; default calls."),
        limit: Type.Integer({ minimum: 1, maximum: 200, default: VALUES, description: "Maximum number of values." }),
        ...TOTALS_QUERY,
      },
      isQueryClosed: true,
      answers: { 200: CallValues },
      handler: ({ person, query: { by = "agent_id", sort = "calls", limit = VALUES, ...query } }) =>
        service.values(person.user, callsAlone(query), { by, order: sort, most: limit }),
    }),
    endpoint("GET /api/calls/export", {
      summary: `Export the calls that match as CSV, newest first, at most ${MAX_EXPORTED.toLocaleString("en")}`,
      // That somebody took it is on record.
      isRecorded: true,
      query: TOTALS_QUERY,
      isQueryClosed: true,
      answers: { 200: { media: "text/csv", example: "at,call_id,kind\r\n" } },
      handler: async ({ person, query, request }) => {
        const body = await service.export(personActor(person), person.user, callFilterIn(query));
        disableIdleTimeout(request);
        return new Response(body, {
          headers: {
            "content-type": "text/csv; charset=utf-8",
            "content-disposition": 'attachment; filename="guardhouse-calls.csv"',
          },
        });
      },
    }),
    endpoint("GET /api/calls/:id", {
      summary: "Get a call with its effective policy",
      answers: { 200: CallDetail },
      handler: ({ person, params }) => service.get(person.user, params.id),
    }),
    endpoint("GET /api/calls/:id/conversation", {
      summary: "Get the conversation of a call: its calls by start, what asked for each tool call, and totals",
      query: TRACE_QUERY,
      isQueryClosed: true,
      answers: { 200: Conversation },
      handler: ({ person, params, query }) => traces.conversation(person.user, params.id, wantedTrace(query)),
    }),
    endpoint("GET /api/calls/:id/links", {
      summary: "Get the calls beside a call in its conversation: what asked for it, what it asked for, previous, next",
      answers: { 200: CallLinks },
      handler: ({ person, params }) => traces.links(person.user, params.id),
    }),
  ] as const;

export type CallClient = ClientTypes<ReturnType<typeof callEndpoints>[number]>;

export const callRoutes = (needs: CallEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Audit" }, callEndpoints(needs));
