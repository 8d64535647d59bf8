import { Elysia } from "elysia";
import { personActor } from "#core/change";
import { Type } from "#core/schema";
import type { Person } from "#core/session";
import { momentIn } from "#http/moment";
import { type About, detailOf } from "#http/openapi/about";
import { oneOf } from "#http/openapi/shapes";
import type { signedInPerson } from "#http/person";
import type { AuditDesk } from "./service";
import { AuditState, Verification } from "./shapes";

type Deps = {
  readonly desk: AuditDesk;
  readonly door: ReturnType<typeof signedInPerson>;
  /** Lifts the server's idle limit from one request. */
  readonly keepOpen: (request: Request) => void;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

const EXPORT_QUERY = {
  format: oneOf(["ndjson", "csv", "ocsf"]),
  since: Type.String({ format: "date-time", description: "Not before." }),
  until: Type.String({ format: "date-time", description: "Before." }),
} as const;

type Query = Readonly<Record<string, string | undefined>>;

const exported = async ({ desk, keepOpen }: Deps, person: Person, request: Request, query: Query) => {
  const range = { since: momentIn("since", query["since"]), until: momentIn("until", query["until"]) };
  const format = query["format"] ?? "ndjson";
  const { type, body } = await desk.export(personActor(person), format, range);
  keepOpen(request);
  const name = `guardhouse-audit.${format === "csv" ? "csv" : "ndjson"}`;
  return new Response(body, {
    headers: { "content-type": type, "content-disposition": `attachment; filename="${name}"` },
  });
};

/** The chain of audit records, for those who look after it. */
export const auditRoutes = (deps: Deps) => {
  const { desk, door, admit } = deps;
  const about = (summary: string, it: About) => ({
    role: { roles: ["admin", "auditor"] as const },
    parse: "none" as const,
    detail: detailOf("Audit", summary, it),
  });
  return new Elysia({ name: "audit-desk", prefix: "/api/audit" })
    .use(door)
    .get(
      "",
      async () => Response.json(await desk.state()),
      about("The chain's end, checkpoints and months", { answers: { 200: AuditState } }),
    )
    .get(
      "/verification",
      () => Response.json(desk.verification),
      about("How the last check of the chain stands", { answers: { 200: Verification }, errors: ["not_found"] }),
    )
    .post(
      "/verify",
      async ({ person }) => {
        admit();
        return Response.json(await desk.verify(personActor(person)), { status: 202 });
      },
      about("Begin to check the whole chain", { answers: { 202: Verification }, errors: ["state_conflict"] }),
    )
    .get(
      "/export",
      ({ person, request, query }) => {
        admit();
        return exported(deps, person, request, query);
      },
      about("The log as a document: ndjson, csv or ocsf", {
        query: EXPORT_QUERY,
        answers: {
          200: {
            media: "application/x-ndjson",
            example: '{"seq":1,"kind":"token.create","hash":"…"}\n',
            or: { media: "text/csv", example: "seq,at,kind\n" },
          },
        },
        errors: ["invalid_value"],
      }),
    );
};
