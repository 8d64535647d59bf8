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

type EvidenceEndpointNeeds = {
  readonly service: EvidenceService;
  /** Lifts the server's idle limit from one request: a report of a year takes minutes. */
  readonly disableIdleTimeout: (request: Request) => void;
};

const evidenceEndpoints = ({ service, disableIdleTimeout }: EvidenceEndpointNeeds) =>
  [
    endpoint("POST /api/agents/:id/evidence", {
      summary: "Make an evidence report on an agent: JSON, a page to print, and a signed note that names both",
      auth: READERS,
      body: Wanted,
      answers: { 200: EvidenceFiles },
      errors: ["not_found", "state_conflict", "invalid_value"],
      handler: ({ person, request, params: { id }, body: { from, to } }) => {
        disableIdleTimeout(request);
        return service.report(personActor(person), id, { from: Date.parse(from), to: Date.parse(to) });
      },
    }),
  ] as const;

export type EvidenceClient = ClientTypes<ReturnType<typeof evidenceEndpoints>[number]>;

export const evidenceRoutes = (needs: EvidenceEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Audit" }, evidenceEndpoints(needs));
