import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import { detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import { limitOf } from "#http/page";
import type { signedInPerson } from "#http/person";
import type { InboxService } from "./service";
import { Inbox, InboxKind } from "./shapes";

type Deps = { readonly service: InboxService; readonly door: ReturnType<typeof signedInPerson> };

type Query = Readonly<Record<string, string | undefined>>;

/** Pages by place: what is decided on meanwhile leaves the list, so a page may begin earlier than the last one ended. */
const pageOf = ({ data, counts }: Pick<Inbox, "data" | "counts">, query: Query): Inbox => {
  const { kind, cursor = "0" } = query;
  if (!/^\d{1,6}$/.test(cursor)) {
    throw new GuardError("invalid_value", "cursor must be the next_cursor of an earlier page.", { param: "cursor" });
  }
  const wanted = kind === undefined ? data : data.filter((item) => item.kind === kind);
  const [from, limit] = [Number(cursor), limitOf(query["limit"])];
  const has_more = wanted.length > from + limit;
  return {
    object: "list",
    data: wanted.slice(from, from + limit),
    has_more,
    next_cursor: has_more ? String(from + limit) : null,
    counts,
  };
};

/** What waits for whoever asks. */
export const inboxRoutes = ({ service, door }: Deps) =>
  new Elysia({ name: "inbox", prefix: "/api/inbox" })
    .use(door)
    .get("", async ({ person, query }) => Response.json(pageOf(await service.of(person.user), query)), {
      role: "person",
      parse: "none",
      detail: detailOf("Hub", "What waits for me", {
        query: {
          kind: InboxKind,
          limit: PAGE_QUERY.limit,
          cursor: Type.String({ pattern: "^[0-9]{1,6}$", description: "next_cursor of the page before." }),
        },
        answers: { 200: Inbox },
        errors: ["invalid_value"],
      }),
    });
