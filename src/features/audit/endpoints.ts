import { Type } from "#core/schema";
import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { momentIn } from "#http/openapi/query-check";
import { oneOf } from "#http/openapi/schemas";
import { personActor } from "#model/change";
import { AuditState, Verification } from "./schema";
import type { AuditService } from "./service";

type AuditEndpointNeeds = {
  readonly service: AuditService;
  /** Lifts the server's idle limit from one request. */
  readonly disableIdleTimeout: (request: Request) => void;
};

const READERS: Audience = { roles: ["admin", "auditor"] };

/** The chain of audit records, for those who look after it. */
const auditEndpoints = ({ service, disableIdleTimeout }: AuditEndpointNeeds) =>
  [
    endpoint("GET /api/audit", {
      summary: "Get the audit log status: latest record, checkpoint, months",
      auth: READERS,
      answers: { 200: AuditState },
      handler: () => service.state(),
    }),
    endpoint("GET /api/audit/verification", {
      summary: "Get the result of the last integrity check",
      auth: READERS,
      answers: { 200: Verification },
      errors: ["not_found"],
      handler: () => service.verification,
    }),
    endpoint("POST /api/audit/verify", {
      summary: "Start an integrity check of the audit log",
      auth: READERS,
      answers: { 202: Verification },
      errors: ["state_conflict"],
      handler: ({ person }) => service.verify(personActor(person)),
    }),
    endpoint("GET /api/audit/export", {
      summary: "Export the audit log as ndjson, csv or ocsf",
      auth: READERS,
      // That somebody took it is on record.
      isRecorded: true,
      query: {
        format: oneOf(["ndjson", "csv", "ocsf"]),
        since: Type.String({ format: "date-time", description: "Start, inclusive." }),
        until: Type.String({ format: "date-time", description: "End, exclusive." }),
      },
      answers: {
        200: {
          media: "application/x-ndjson",
          example: '{"seq":1,"kind":"token.create","hash":"…"}\n',
          or: { media: "text/csv", example: "seq,at,kind\n" },
        },
      },
      handler: async ({ person, request, query: { format = "ndjson", since, until } }) => {
        const range = { since: momentIn("since", since), until: momentIn("until", until) };
        const { type, body } = await service.export(personActor(person), format, range);
        disableIdleTimeout(request);
        return new Response(body, {
          headers: {
            "content-type": type,
            "content-disposition": `attachment; filename="guardhouse-audit.${format === "csv" ? "csv" : "ndjson"}"`,
          },
        });
      },
    }),
  ] as const;

export type AuditClient = ClientTypes<ReturnType<typeof auditEndpoints>[number]>;

export const auditRoutes = (needs: AuditEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Audit" }, auditEndpoints(needs));
