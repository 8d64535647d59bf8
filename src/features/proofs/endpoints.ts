import { Type } from "#core/schema";
import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { AuditTrees } from "./schema";
import type { ProofService } from "./service";

const READERS: Audience = { roles: ["admin", "auditor"] };

const proofEndpoints = ({ service }: { readonly service: ProofService }) =>
  [
    endpoint("GET /api/audit/trees", {
      summary: "Get the audit log's public keys, signed trees and witnesses",
      auth: READERS,
      answers: { 200: AuditTrees },
      handler: () => service.trees(),
    }),
    endpoint("GET /api/audit/proof", {
      summary: "Download a proof that a call is in the audit log",
      auth: READERS,
      query: { call: Type.String({ format: "uuid", description: "Id of the call, its event or its record." }) },
      answers: { 200: { media: "text/plain", example: "c2sp.org/tlog-proof@v1\nextra eyJ2…\nindex 4\n…" } },
      errors: ["not_found", "state_conflict"],
      handler: async ({ query: { call = "" } }) =>
        new Response(await service.prove(call), {
          headers: {
            "content-type": "text/plain; charset=utf-8",
            "content-disposition": `attachment; filename="${call}.tlog-proof"`,
          },
        }),
    }),
  ] as const;

export type ProofClient = ClientTypes<ReturnType<typeof proofEndpoints>[number]>;

export const proofApiRoutes = (needs: { readonly service: ProofService } & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Audit" }, proofEndpoints(needs));
