import { Elysia } from "elysia";
import type { signedInPerson } from "#http/person";
import { wantedCalls } from "./schema";
import type { CallService } from "./service";

type Deps = { readonly service: CallService; readonly door: ReturnType<typeof signedInPerson> };

/** Calls and changes of governance, as the audit log has them. Reading only. */
export const callRoutes = ({ service, door }: Deps) => {
  const about = (summary: string) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: { summary, tags: ["Audit"] },
  });
  return new Elysia({ name: "calls", prefix: "/api/calls" })
    .use(door)
    .get(
      "",
      async ({ person, query }) => Response.json(await service.list(person.user, wantedCalls(query))),
      about("List calls and changes of governance"),
    )
    .get(
      "/:id",
      async ({ person, params }) => Response.json(await service.get(person.user, params.id)),
      about("One call, and what it was held to"),
    );
};
