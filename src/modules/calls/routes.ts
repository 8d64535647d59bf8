import { Elysia } from "elysia";
import { type About, detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import type { signedInPerson } from "#http/person";
import { CALL_QUERY, wantedCalls } from "./schema";
import type { CallService } from "./service";
import { CallDetail, CallPage } from "./shapes";

type Deps = { readonly service: CallService; readonly door: ReturnType<typeof signedInPerson> };

/** Calls and changes of governance, as the audit log has them. Reading only. */
export const callRoutes = ({ service, door }: Deps) => {
  const about = (summary: string, it: About) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: detailOf("Audit", summary, it),
  });
  return new Elysia({ name: "calls", prefix: "/api/calls" })
    .use(door)
    .get(
      "",
      async ({ person, query }) => Response.json(await service.list(person.user, wantedCalls(query))),
      about("List calls and changes of governance", {
        query: { ...PAGE_QUERY, ...CALL_QUERY },
        answers: { 200: CallPage },
        errors: ["invalid_value"],
      }),
    )
    .get(
      "/:id",
      async ({ person, params }) => Response.json(await service.get(person.user, params.id)),
      about("One call, and what it was held to", { answers: { 200: CallDetail }, errors: ["not_found"] }),
    );
};
