import { Type } from "#core/schema";
import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { PAGE_QUERY } from "#http/openapi/schemas";
import { limitOf } from "#http/page";
import { Inbox, InboxKind } from "./schema";
import type { InboxService } from "./service";

type InboxEndpointNeeds = { readonly service: InboxService };

type InboxQuery = { readonly kind?: InboxKind; readonly limit?: number; readonly cursor?: string };

/** Pages by place: what is decided on meanwhile leaves the list, so a page may begin earlier than the last one ended. */
const pageOf = (
  { data, counts }: Pick<Inbox, "data" | "counts">,
  { kind, limit: given, cursor = "0" }: InboxQuery,
): Inbox => {
  const wanted = kind === undefined ? data : data.filter((item) => item.kind === kind);
  const [from, limit] = [Number(cursor), limitOf(given)];
  const has_more = wanted.length > from + limit;
  return {
    object: "list",
    data: wanted.slice(from, from + limit),
    has_more,
    next_cursor: has_more ? String(from + limit) : null,
    counts,
  };
};

/** What waits for the person who asks. */
const inboxEndpoints = ({ service }: InboxEndpointNeeds) =>
  [
    endpoint("GET /api/inbox", {
      summary: "List pending decisions of the current user",
      query: {
        kind: InboxKind,
        limit: PAGE_QUERY.limit,
        cursor: Type.String({ pattern: "^[0-9]{1,6}$", description: "next_cursor of the previous page." }),
      },
      answers: { 200: Inbox },
      handler: async ({ person, query }) => pageOf(await service.of(person.user), query),
    }),
  ] as const;

export type InboxClient = ClientTypes<ReturnType<typeof inboxEndpoints>[number]>;

export const inboxRoutes = (needs: InboxEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Hub" }, inboxEndpoints(needs));
