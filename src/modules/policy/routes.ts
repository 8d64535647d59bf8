import { Elysia } from "elysia";
import { personActor } from "#core/change";
import { GuardError } from "#core/errors";
import { READING_ROLES } from "#core/ownership";
import { Type } from "#core/schema";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import type { Acting } from "#engine/baseline/desk";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import { limitOf } from "#http/page";
import type { signedInPerson } from "#http/person";
import { PolicyDecision, PolicyRestoration, PolicyTrial, PolicyUpdate } from "./schema";
import type { PolicyService } from "./service";
import { PolicyDiff, PolicyImpact, RevisionPage, ShownPolicy, ShownProposal } from "./shown";

type Deps = {
  readonly service: PolicyService;
  readonly door: ReturnType<typeof signedInPerson>;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

type Query = Readonly<Record<string, string | undefined>>;

const BODY_BYTES = 262_144;

/** What is done at the addresses of the baseline, without the addresses. */
class PolicyDoors {
  private readonly checks = {
    trial: new ShapeCheck(PolicyTrial),
    update: new ShapeCheck(PolicyUpdate),
    restoration: new ShapeCheck(PolicyRestoration),
    decision: new ShapeCheck(PolicyDecision),
  };

  constructor(private readonly deps: Deps) {}

  async inForce({ user }: Person): Promise<Response> {
    return Response.json(await this.deps.service.inForce(user));
  }

  async revisions(query: Query): Promise<Response> {
    return Response.json(await this.deps.service.revisions(limitOf(query["limit"]), query["cursor"]));
  }

  async diff(query: Query): Promise<Response> {
    return Response.json(await this.deps.service.diff(revisionIn(query, "from"), revisionIn(query, "to")));
  }

  async try({ user }: Person, request: Request): Promise<Response> {
    const { changes } = this.checks.trial.check(await read(request));
    return Response.json(await this.deps.service.tried(user, changes));
  }

  async put(person: Person, request: Request): Promise<Response> {
    this.deps.admit();
    const { base_revision, changes, reason } = this.checks.update.check(await read(request));
    const { status, body } = await this.deps.service.put(actingAs(person), base_revision, changes, reason.trim());
    return Response.json(body, { status });
  }

  async restore(person: Person, request: Request): Promise<Response> {
    this.deps.admit();
    const { revision, base_revision = null, reason } = this.checks.restoration.check(await read(request));
    const acting = actingAs(person);
    const { status, body } = await this.deps.service.restore(acting, revision, base_revision, reason.trim());
    return Response.json(body, { status });
  }

  async decide(person: Person, id: string, request: Request, decision: "approve" | "reject"): Promise<Response> {
    this.deps.admit();
    const sent = request.body === null ? {} : await read(request);
    const { comment = null } = this.checks.decision.check(sent);
    return Response.json(await this.deps.service[decision](actingAs(person), id, comment));
  }
}

const read = async (request: Request): Promise<unknown> => (await bodyOf(request, BODY_BYTES))();

const actingAs = (person: Person): Acting => ({ user: person.user, by: personActor(person) });

const revisionIn = (query: Query, name: "from" | "to"): number => {
  const revision = Number(/^\d{1,15}$/.exec(query[name] ?? "")?.[0]);
  if (!Number.isNaN(revision)) return revision;
  throw new GuardError("invalid_value", `${name} is the number of a revision.`, { param: name });
};

const Revision = Type.Integer({ minimum: 1, examples: [2] });
const CHANGES = [{ type: "pii.email", origins: ["user"], thresholds: { flag: 0.3, redact: 0.5 } }];
const WHY = "Addresses of customers are not the model's business.";

const PUT: About = {
  body: { schema: PolicyUpdate, example: { base_revision: 1, changes: CHANGES, reason: WHY } },
  answers: {
    200: { schema: ShownPolicy, description: "It is in force." },
    202: { schema: ShownProposal, description: "It is looser: it waits for somebody else." },
  },
  errors: ["stale_base", "below_floor", "state_conflict"],
};

/** The hub's baseline policy: those who look after agents read it, administrators change it. */
export const policyRoutes = (deps: Deps) => {
  const doors = new PolicyDoors(deps);
  const about = <Who>(role: Who, summary: string, told: About) => ({
    role,
    parse: "none" as const,
    detail: detailOf("Policy", summary, told),
  });
  const readers = { roles: READING_ROLES };
  const admin = { roles: ["admin"] as const };
  const changer = { ...admin, fresh: true as const };
  const decider = { roles: ["admin", "reviewer"] as const, fresh: true as const };
  return new Elysia({ name: "baseline-policy", prefix: "/api/policy" })
    .use(deps.door)
    .get(
      "",
      ({ person }) => doors.inForce(person),
      about(readers, "The baseline in force", { answers: { 200: ShownPolicy } }),
    )
    .get(
      "/revisions",
      ({ query }) => doors.revisions(query),
      about(readers, "What it was, newest first", {
        query: { limit: PAGE_QUERY.limit, cursor: Type.String({ description: "next_cursor of the page before." }) },
        answers: { 200: RevisionPage },
      }),
    )
    .get(
      "/diff",
      ({ query }) => doors.diff(query),
      about(readers, "How two revisions differ", {
        query: { from: Revision, to: Revision },
        required: ["from", "to"],
        answers: { 200: PolicyDiff },
        errors: ["not_found"],
      }),
    )
    .post(
      "/dry-run",
      ({ person, request }) => doors.try(person, request),
      about(admin, "What changes would do", {
        body: { schema: PolicyTrial, example: { changes: CHANGES } },
        answers: { 200: PolicyImpact },
      }),
    )
    .put("", ({ person, request }) => doors.put(person, request), about(changer, "Change it", PUT))
    .post(
      "/restore",
      ({ person, request }) => doors.restore(person, request),
      about(changer, "Bring back what was set by hand at a revision", {
        ...PUT,
        body: { schema: PolicyRestoration, example: { revision: 1, reason: "It blocked too much." } },
        errors: [...(PUT.errors ?? []), "not_found"],
      }),
    )
    .post(
      "/proposals/:id/approve",
      ({ person, params, request }) => doors.decide(person, params.id, request, "approve"),
      about(decider, "Put a looser one in force that somebody else asked for", {
        body: { schema: PolicyDecision, isOptional: true },
        answers: { 200: ShownPolicy },
        errors: ["stale_base", "below_floor", "state_conflict"],
      }),
    )
    .post(
      "/proposals/:id/reject",
      ({ person, params, request }) => doors.decide(person, params.id, request, "reject"),
      about({ roles: ["admin", "reviewer"] as const }, "Say that it is not wanted, or withdraw it", {
        body: { schema: PolicyDecision, isOptional: true },
        answers: { 200: ShownProposal },
        errors: ["state_conflict"],
      }),
    );
};
