import { Type } from "#core/schema";
import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { personActor } from "#model/change";
import { EvidenceFiles } from "./schema";
import type { EvidenceService } from "./service";

const READERS: Audience = { roles: ["admin", "auditor"] };

const Wanted = Type.Object(
  {
    from: Type.String({ format: "date-time", description: "Start, inclusive." }),
    to: Type.String({ format: "date-time", description: "End, exclusive; up to 366 days after the start." }),
  },
  { $id: "EvidenceWanted", additionalProperties: false },
);

const evidenceEndpoints = ({ service }: { readonly service: EvidenceService }) =>
  [
    endpoint("POST /api/agents/:id/evidence", {
      summary: "Make an evidence report on an agent: JSON, a page to print, and a signed note that names both",
      auth: READERS,
      body: Wanted,
      answers: { 200: EvidenceFiles },
      errors: ["not_found", "state_conflict", "invalid_value"],
      handler: ({ person, params: { id }, body: { from, to } }) =>
        service.report(personActor(person), id, { from: Date.parse(from), to: Date.parse(to) }),
    }),
  ] as const;

export type EvidenceClient = ClientTypes<ReturnType<typeof evidenceEndpoints>[number]>;

export const evidenceRoutes = (needs: { readonly service: EvidenceService } & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Audit" }, evidenceEndpoints(needs));
