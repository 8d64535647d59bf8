import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { BaselineActor } from "#features/policy/baseline/service";
import { Answered, type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { PAGE_QUERY } from "#http/openapi/schemas";
import { limitOf } from "#http/page";
import { personActor } from "#model/change";
import { READING_ROLES } from "#model/ownership";
import type { Person } from "#model/session";
import {
  PolicyDecision,
  PolicyDiff,
  PolicyImpact,
  PolicyResponse,
  PolicyRestoration,
  PolicyTrial,
  PolicyUpdate,
  ProposalResponse,
  RevisionPage,
} from "./schema";
import type { PolicyService } from "./service";

type PolicyEndpointNeeds = { readonly service: PolicyService };

/** Two hundred changes. */
const BODY_BYTES = 262_144;

const actingAs = (person: Person): BaselineActor => ({ user: person.user, by: personActor(person) });

const Revision = Type.Integer({ minimum: 1, examples: [2] });
const CHANGES = [{ type: "pii.email", origins: ["user"], thresholds: { flag: 0.3, redact: 0.5 } }];
const WHY = "Addresses of customers are not the model's business.";

const READERS: Audience = { roles: READING_ROLES };
const ADMIN: Audience = { roles: ["admin"] };
const CHANGERS: Audience = { roles: ["admin"], fresh: true };
const CHANGED = {
  200: { schema: PolicyResponse, description: "In force." },
  202: { schema: ProposalResponse, description: "The change loosens: pending approval by another person." },
} as const;
const CHANGE_ERRORS = ["stale_base", "below_floor", "state_conflict"] as const;

/** The hub's baseline policy: those who look after agents read it, administrators change it. */
const policyEndpoints = ({ service }: PolicyEndpointNeeds) =>
  [
    endpoint("GET /api/policy", {
      summary: "Get the baseline policy",
      auth: READERS,
      answers: { 200: PolicyResponse },
      handler: ({ person }) => service.inForce(person.user),
    }),
    endpoint("GET /api/policy/revisions", {
      summary: "List revisions of the baseline policy, newest first",
      auth: READERS,
      query: {
        limit: PAGE_QUERY.limit,
        cursor: Type.String({ pattern: "^[0-9]{1,15}$", description: "next_cursor of the previous page." }),
      },
      answers: { 200: RevisionPage },
      handler: ({ query: { limit, cursor } }) => service.revisions(limitOf(limit), cursor),
    }),
    endpoint("GET /api/policy/diff", {
      summary: "Compare two revisions of the baseline policy",
      auth: READERS,
      query: { from: Revision, to: Revision },
      required: ["from", "to"],
      answers: { 200: PolicyDiff },
      errors: ["not_found"],
      handler: ({ query: { from, to } }) => service.diff(required("from", from), required("to", to)),
    }),
    endpoint("POST /api/policy/dry-run", {
      summary: "Preview the effect of changes",
      auth: ADMIN,
      changes: false,
      body: { schema: PolicyTrial, example: { changes: CHANGES } },
      answers: { 200: PolicyImpact },
      handler: ({ person, body }) => service.tried(person.user, body.changes),
    }),
    endpoint("PUT /api/policy", {
      summary: "Update the baseline policy",
      auth: CHANGERS,
      body: { schema: PolicyUpdate, example: { base_revision: 1, changes: CHANGES, reason: WHY } },
      answers: CHANGED,
      errors: CHANGE_ERRORS,
      handler: async ({ person, body: { base_revision, changes, reason } }) => {
        const { status, body } = await service.put(actingAs(person), base_revision, changes, reason.trim());
        return new Answered(body, { status });
      },
    }),
    endpoint("POST /api/policy/restore", {
      summary: "Restore the edits of a revision",
      auth: CHANGERS,
      body: { schema: PolicyRestoration, example: { revision: 1, reason: "It blocked too much." } },
      answers: CHANGED,
      errors: [...CHANGE_ERRORS, "not_found"],
      handler: async ({ person, body: { revision, base_revision = null, reason } }) => {
        const { status, body } = await service.restore(actingAs(person), revision, base_revision, reason.trim());
        return new Answered(body, { status });
      },
    }),
    endpoint("POST /api/policy/proposals/:id/approve", {
      summary: "Approve a proposed baseline policy",
      auth: { roles: ["admin", "reviewer"], fresh: true },
      body: { schema: PolicyDecision, isOptional: true },
      answers: { 200: PolicyResponse },
      errors: CHANGE_ERRORS,
      handler: ({ person, params, body: { comment = null } }) => service.approve(actingAs(person), params.id, comment),
    }),
    endpoint("POST /api/policy/proposals/:id/reject", {
      summary: "Reject or withdraw a proposed baseline policy",
      auth: { roles: ["admin", "reviewer"] },
      body: { schema: PolicyDecision, isOptional: true },
      answers: { 200: ProposalResponse },
      errors: ["state_conflict"],
      handler: ({ person, params, body: { comment = null } }) => service.reject(actingAs(person), params.id, comment),
    }),
  ] as const;

/** Throws `invalid_value`. */
const required = (name: string, revision: number | undefined): number => {
  if (revision !== undefined) return revision;
  throw new GuardError("invalid_value", `${name} must be a revision number.`, { param: name });
};

export type PolicyClient = ClientTypes<ReturnType<typeof policyEndpoints>[number]>;

export const policyRoutes = (needs: PolicyEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Policy", bodyBytes: BODY_BYTES }, policyEndpoints(needs));
