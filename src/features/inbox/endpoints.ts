import { Type } from "#core/schema";
import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { Moment, oneOf, PAGE_QUERY } from "#http/openapi/schemas";
import { limitOf } from "#http/page";
import { personActor } from "#model/change";
import type { BulkDecisions } from "./decisions";
import { Inbox, InboxAssign, InboxDecisions, InboxKind, InboxPlace, InboxResults } from "./schema";
import type { InboxService } from "./service";

type InboxEndpointNeeds = { readonly service: InboxService; readonly decisions: BulkDecisions };

const EXAMPLE_ITEMS = [{ kind: "report" as const, id: "01a1ffd1-0000-7000-8000-000000000000" }];

/** What waits for the person who asks. */
const inboxEndpoints = ({ service, decisions }: InboxEndpointNeeds) =>
  [
    endpoint("GET /api/inbox", {
      summary: "List pending decisions of the current user",
      query: {
        kind: InboxKind,
        assignee: oneOf(["me", "none"], "Assigned to the current user, or to nobody."),
        grouped: Type.Boolean({ description: "Like reports are one item." }),
        limit: PAGE_QUERY.limit,
        // By place: what is decided on meanwhile leaves the list, so a page may begin earlier than the last one ended.
        cursor: Type.String({ pattern: "^[0-9]{1,6}$", description: "next_cursor of the previous page." }),
      },
      answers: { 200: Inbox },
      handler: async ({ person, query: { kind, assignee, grouped, limit: given, cursor = "0" } }) => {
        const [from, limit] = [Number(cursor), limitOf(given)];
        const listed = await service.list(person.user, { kind, assignee, grouped }, { from, limit });
        return {
          object: "list" as const,
          ...listed,
          next_cursor: listed.has_more ? String(from + limit) : null,
        };
      },
    }),
    endpoint("GET /api/inbox/place", {
      summary: "Get what is before and after an item in the inbox of the current user",
      query: {
        kind: InboxKind,
        id: Type.String({ minLength: 1, maxLength: 100 }),
        since: Moment,
      },
      answers: { 200: InboxPlace },
      handler: ({ person, query: { kind = "report", id = "", since } }) => {
        const at = since === undefined ? Number.NaN : Date.parse(since);
        return service.place(person.user, kind, id.toLowerCase(), Number.isNaN(at) ? null : at);
      },
    }),
    endpoint("POST /api/inbox/decisions", {
      summary: "Decide up to 100 reports, held calls and tuning suggestions",
      body: { schema: InboxDecisions, example: { items: EXAMPLE_ITEMS, decision: "approve" } },
      answers: { 200: InboxResults },
      handler: ({ person, body }) => decisions.all(person, body),
    }),
    endpoint("POST /api/inbox/assign", {
      summary: "Assign up to 100 pending decisions to a user, or to nobody",
      body: { schema: InboxAssign, example: { items: EXAMPLE_ITEMS, assignee: "me" } },
      answers: { 200: InboxResults },
      handler: ({ person, body: { items, assignee } }) =>
        service.assign({ user: person.user, by: personActor(person) }, items, assignee),
    }),
  ] as const;

export type InboxClient = ClientTypes<ReturnType<typeof inboxEndpoints>[number]>;

export const inboxRoutes = (needs: InboxEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Hub" }, inboxEndpoints(needs));
