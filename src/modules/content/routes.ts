import { Elysia } from "elysia";
import type { Person } from "#core/session";
import { type About, detailOf } from "#http/openapi/about";
import type { signedInPerson } from "#http/person";
import { CallContents, RemovedContents } from "./schema";
import type { ContentService } from "./service";

type Deps = {
  readonly service: ContentService;
  readonly door: ReturnType<typeof signedInPerson>;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

/** What `/api/calls/{id}/content` does, without its addresses. */
class ContentDoors {
  constructor(private readonly deps: Deps) {}

  async read(person: Person, id: string): Promise<Response> {
    this.deps.admit();
    return Response.json(await this.deps.service.read(person, id));
  }

  async remove(person: Person, id: string): Promise<Response> {
    this.deps.admit();
    return Response.json(await this.deps.service.remove(person, id));
  }
}

/** What is kept of a call's texts. Never opened by a gateway token: no agent reads what was withheld from it. */
export const contentRoutes = (deps: Deps) => {
  const doors = new ContentDoors(deps);
  const about = (summary: string, told: About) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: detailOf("Audit", summary, told),
  });
  return new Elysia({ name: "content", prefix: "/api/calls" })
    .use(deps.door)
    .get(
      "/:id/content",
      ({ person, params }) => doors.read(person, params.id),
      about("The texts kept of a call; each look is on record", {
        answers: { 200: CallContents },
        errors: ["audit_unavailable", "shutting_down"],
      }),
    )
    .delete(
      "/:id/content",
      ({ person, params }) => doors.remove(person, params.id),
      about("Delete the texts kept of a call; its record stays", { answers: { 200: RemovedContents } }),
    );
};
