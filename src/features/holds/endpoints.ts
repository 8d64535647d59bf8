import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { Id, oneOf, PAGE_QUERY } from "#http/openapi/schemas";
import { readPage } from "#http/page";
import { HoldDecision, HoldPage, HoldResponse, OpenedHold, SHOWN_STATES } from "./schema";
import type { HoldService } from "./service";

type HoldEndpointNeeds = { readonly service: HoldService };

const DECIDING = {
  body: { schema: HoldDecision, isOptional: true },
  answers: { 200: HoldResponse },
  errors: ["state_conflict", "no_eligible_approver"],
} as const;

/** Calls of tools that wait for a person. For no gateway token: no agent approves its own calls. */
const holdEndpoints = ({ service }: HoldEndpointNeeds) =>
  [
    endpoint("GET /api/holds", {
      summary: "List held calls",
      query: { state: oneOf(SHOWN_STATES), agent_id: Id, ...PAGE_QUERY },
      answers: { 200: HoldPage },
      handler: ({ person, query }) => {
        const { state, agent_id } = query;
        const wanted = { state, agent_id: agent_id?.toLowerCase() };
        return readPage(query, (window) => service.page(person, wanted, window));
      },
    }),
    endpoint("GET /api/holds/:id", {
      summary: "Get a held call with its arguments",
      answers: { 200: OpenedHold },
      isRecorded: true,
      handler: ({ person, params }) => service.open(person, params.id),
    }),
    endpoint("POST /api/holds/:id/approve", {
      summary: "Approve a held call, once",
      ...DECIDING,
      handler: ({ person, params, body: { reason = null } }) =>
        service.decide(person, params.id, { state: "approved", reason }),
    }),
    endpoint("POST /api/holds/:id/deny", {
      summary: "Deny a held call",
      ...DECIDING,
      handler: ({ person, params, body: { reason = null } }) =>
        service.decide(person, params.id, { state: "denied", reason }),
    }),
  ] as const;

export type HoldClient = ClientTypes<ReturnType<typeof holdEndpoints>[number]>;

export const holdRoutes = (needs: HoldEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Held calls" }, holdEndpoints(needs));
