import { Elysia } from "elysia";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import type { signedInPerson } from "#http/person";
import { Backups, Removal, Removed, Task } from "./schema";
import type { BackupDesk } from "./service";

type Deps = {
  readonly desk: BackupDesk;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  /** Lifts the server's idle limit from one request. */
  readonly keepOpen: (request: Request) => void;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

/** The name is one that lies there, so it is safe in a header. */
const downloaded = async ({ desk, keepOpen }: Deps, person: Person, name: string, request: Request) => {
  const content = await desk.open(person, name);
  keepOpen(request);
  return new Response(content, {
    headers: { "content-type": "application/x-tar", "content-disposition": `attachment; filename="${name}"` },
  });
};

/** Backups, for administrators. */
export const backupRoutes = (deps: Deps) => {
  const { desk, door, admit } = deps;
  const check = new ShapeCheck(Removal);
  const about = (summary: string, told: About) => ({
    role: { roles: ["admin"] as const },
    parse: "none" as const,
    detail: detailOf("Backups", summary, told),
  });
  const begun = { 202: { schema: Task, description: "It has begun: GET /api/backups says when it has ended." } };
  return new Elysia({ name: "backups", prefix: "/api/backups" })
    .use(door)
    .get("", async () => Response.json(await desk.list()), about("List backups", { answers: { 200: Backups } }))
    .post(
      "",
      async ({ person }) => {
        admit();
        return Response.json(await desk.create(person), { status: 202 });
      },
      about("Begin to make one", { answers: begun, errors: ["state_conflict"] }),
    )
    .post(
      "/:name/verify",
      async ({ person, params }) => {
        admit();
        return Response.json(await desk.verify(person, params.name), { status: 202 });
      },
      about("Begin to check one", { answers: begun, errors: ["state_conflict", "not_found"] }),
    )
    .get(
      "/:name",
      ({ person, params, request }) => {
        admit();
        return downloaded(deps, person, params.name, request);
      },
      {
        ...about("Take one away as a file", {
          answers: {
            200: {
              media: "application/x-tar",
              description: "A tar of the database, the audit log's signing key and manifest.json.",
              example: "a tar",
            },
          },
          errors: ["not_found"],
        }),
        // All of the database at once: not for a browser that was left open.
        role: { roles: ["admin"], fresh: true } as const,
      },
    )
    .delete(
      "/:name",
      async ({ person, params, request }) => {
        admit();
        const { name } = check.check((await bodyOf(request, deps.bodyBytes))());
        return Response.json(await desk.remove(person, params.name, name));
      },
      about("Remove one", {
        body: { schema: Removal, example: { name: "guardhouse-20261121T233332Z-1f2e.tar" } },
        answers: { 200: Removed },
        errors: ["not_found"],
      }),
    );
};
