import { Elysia } from "elysia";
import type { Caller } from "#core/caller";
import { personActor } from "#core/change";
import type { Role } from "#core/person";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import type { Reply } from "#engine/idempotency";
import type { signedIn } from "#http/auth";
import { bodyOf } from "#http/body";
import type { GuardAnswers } from "#http/guard-answers";
import { type About, detailOf } from "#http/openapi/about";
import { CALL_ERRORS, IDEMPOTENCY_ERRORS } from "#http/openapi/call-errors";
import { readPage } from "#http/page";
import type { signedInPerson } from "#http/person";
import {
  ALL_RULES,
  APPLY,
  DECIDE,
  EDIT,
  KEY,
  LIST,
  LIST_BY_PERSON,
  PATCH_RULE,
  READ,
  READ_BY_TOKEN,
  REJECT,
  REQUEST,
  REVERT,
  RULE,
  RULES,
  SET_RULE,
  STATUS,
  TRY,
} from "./about";
import type { CallerTuningService, Sent } from "./caller-service";
import type { PersonTuningService } from "./person-service";
import {
  Application,
  ApprovalRequest,
  type Query,
  Rejection,
  SuggestionEdit,
  SuggestionTrial,
  TuningDecision,
} from "./schema";

type CallerDeps = {
  readonly service: CallerTuningService;
  readonly answers: GuardAnswers;
  readonly door: ReturnType<typeof signedIn>;
  readonly bodyBytes: number;
};

/** Sends on what was sent, and answers as everything below `/v1/guard` does. */
class CallerDoors {
  constructor(private readonly deps: CallerDeps) {}

  reading(caller: Caller, work: (service: CallerTuningService, id: string) => Promise<Reply>): Promise<Response> {
    return this.deps.answers.reply(caller, (id) => work(this.deps.service, id));
  }

  async changing(
    caller: Caller,
    request: Request,
    work: (service: CallerTuningService, id: string, sent: Sent) => Promise<Reply>,
  ): Promise<Response> {
    // A change that takes nothing takes no body either.
    const read = request.body === null ? () => ({}) : await bodyOf(request, this.deps.bodyBytes);
    const sent = { key: request.headers.get("idempotency-key"), read };
    return this.deps.answers.reply(caller, (id) => work(this.deps.service, id, sent));
  }
}

const about = (summary: string, { errors = [], ...more }: About) => ({
  role: "caller" as const,
  parse: "none" as const,
  detail: detailOf("Guard", summary, { ...more, errors: [...CALL_ERRORS, ...errors] }),
});

/** A change that may be sent again under the same key. */
const again = (told: About): About => ({
  ...told,
  ...KEY,
  errors: [...(told.errors ?? []), ...IDEMPOTENCY_ERRORS],
});

/** Suggestions: published below `/v1/guard/tuning`, and known by a longer name too. */
const suggestionRoutes = (deps: CallerDeps, prefix: "/v1/guard/tuning" | "/v1/guard/tuning/suggestions") => {
  const doors = new CallerDoors(deps);
  return new Elysia({ name: `tuning ${prefix}`, prefix })
    .use(deps.door)
    .get(
      "",
      ({ caller, query }) => doors.reading(caller, (service, id) => service.list(caller, id, query)),
      about("Changes of the scanner that are suggested", LIST),
    )
    .get(
      "/:id",
      ({ caller, params }) => doors.reading(caller, (service, id) => service.read(caller, id, params.id)),
      about("One suggestion", READ_BY_TOKEN),
    )
    .get(
      "/:id/approval-status",
      ({ caller, params }) => doors.reading(caller, (service, id) => service.status(caller, id, params.id)),
      about("Whether it can be applied, and what is missing", STATUS),
    )
    .post(
      "/:id/request-approval",
      ({ caller, params, request }) =>
        doors.changing(caller, request, (service, id, sent) => service.request(caller, id, params.id, sent)),
      about("Ask for a person's approval", again(REQUEST)),
    )
    .post(
      "/:id/apply",
      ({ caller, params, request }) =>
        doors.changing(caller, request, (service, id, sent) => service.apply(caller, id, params.id, sent)),
      about("Put it in force", again(APPLY)),
    )
    .post(
      "/:id/reject",
      ({ caller, params, request }) =>
        doors.changing(caller, request, (service, id, sent) => service.reject(caller, id, params.id, sent)),
      about("Say that it is not wanted", again(REJECT)),
    );
};

const ruleRoutes = (deps: CallerDeps) => {
  const doors = new CallerDoors(deps);
  return new Elysia({ name: "agent-tuning", prefix: "/v1/guard/agents/:agent_id/tuning" })
    .use(deps.door)
    .get(
      "",
      ({ caller, params, query }) =>
        doors.reading(caller, (service, id) => service.rules(caller, id, params.agent_id, query)),
      about("An agent's tuning rules", RULES),
    )
    .post(
      "",
      ({ caller, params, request }) =>
        doors.changing(caller, request, (service, id, sent) => service.setRule(caller, id, params.agent_id, sent)),
      about("Make it stricter at once, or suggest to make it looser", SET_RULE),
    )
    .get(
      "/:rule_id",
      ({ caller, params }) =>
        doors.reading(caller, (service, id) => service.rule(caller, id, params.agent_id, params.rule_id)),
      about("One rule", RULE),
    )
    .patch(
      "/:rule_id",
      ({ caller, params, request }) =>
        doors.changing(caller, request, (service, id, sent) =>
          service.patchRule(caller, id, params.agent_id, params.rule_id, sent),
        ),
      about("Change a rule", PATCH_RULE),
    )
    .delete(
      "/:rule_id",
      ({ caller, params }) =>
        doors.reading(caller, (service, id) => service.deleteRule(caller, id, params.agent_id, params.rule_id)),
      about("End a rule", REVERT),
    );
};

/** Tuning by gateway token. */
export const callerTuningRoutes = (deps: CallerDeps) =>
  new Elysia({ name: "caller-tuning" })
    .use(suggestionRoutes(deps, "/v1/guard/tuning"))
    .use(suggestionRoutes(deps, "/v1/guard/tuning/suggestions"))
    .use(ruleRoutes(deps));

type PersonDeps = {
  readonly service: PersonTuningService;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

/** What people's addresses do, without their addresses. */
class PersonDoors {
  private readonly checks = {
    request: new ShapeCheck(ApprovalRequest),
    apply: new ShapeCheck(Application),
    reject: new ShapeCheck(Rejection),
    decide: new ShapeCheck(TuningDecision),
    edit: new ShapeCheck(SuggestionEdit),
    trial: new ShapeCheck(SuggestionTrial),
  };

  constructor(private readonly deps: PersonDeps) {}

  async list({ user }: Person, query: Query): Promise<Response> {
    return Response.json(await readPage(query, (window) => this.deps.service.list(user, query, window)));
  }

  async rules({ user }: Person, query: Query): Promise<Response> {
    return Response.json(await readPage(query, (window) => this.deps.service.rules(user, query, window)));
  }

  async read({ user }: Person, id: string): Promise<Response> {
    return Response.json(await this.deps.service.read(user, id));
  }

  async request(person: Person, id: string, request: Request): Promise<Response> {
    const { note = null } = this.checks.request.check(await this.sent(request));
    return Response.json(await this.deps.service.request(actingAs(person), id, note), { status: 202 });
  }

  async decide(person: Person, id: string, request: Request, decision: "approve" | "deny"): Promise<Response> {
    const { reason, comment, content_hash = null } = this.checks.decide.check(await this.sent(request));
    const said = { comment: reason?.trim() || comment?.trim() || null, content_hash };
    return Response.json(await this.deps.service[decision](actingAs(person), id, said));
  }

  async apply(person: Person, id: string, request: Request): Promise<Response> {
    const applying = this.checks.apply.check(await this.sent(request));
    return Response.json(await this.deps.service.apply(actingAs(person), id, applying));
  }

  async reject(person: Person, id: string, request: Request): Promise<Response> {
    const { reason, comment = null } = this.checks.reject.check(await this.sent(request));
    return Response.json(await this.deps.service.reject(actingAs(person), id, reason, comment));
  }

  async edit(person: Person, id: string, request: Request): Promise<Response> {
    const given = this.checks.edit.check(await this.sent(request));
    return Response.json(await this.deps.service.edit(actingAs(person), id, given));
  }

  async try(person: Person, id: string, request: Request): Promise<Response> {
    const given = this.checks.trial.check(await this.sent(request));
    return Response.json(await this.deps.service.tried(actingAs(person), id, given));
  }

  async revert(person: Person, id: string): Promise<Response> {
    this.deps.admit();
    const { status, body } = await this.deps.service.revert(actingAs(person), id);
    return Response.json(body, { status });
  }

  private async sent(request: Request): Promise<unknown> {
    this.deps.admit();
    return request.body === null ? {} : (await bodyOf(request, this.deps.bodyBytes))();
  }
}

const actingAs = (person: Person) => ({ user: person.user, by: personActor(person) });

const DECIDERS: readonly Role[] = ["reviewer", "admin"];

/** Tuning for signed-in people. No gateway token gets here: nobody's agent approves anything. */
export const personTuningRoutes = (deps: PersonDeps) => {
  const doors = new PersonDoors(deps);
  const described = <Who>(role: Who, summary: string, told: About) => ({
    role,
    parse: "none" as const,
    detail: detailOf("Tuning", summary, told),
  });
  const anybody = (summary: string, told: About) => described("person" as const, summary, told);
  const deciders = (summary: string, told: About) => described({ roles: DECIDERS }, summary, told);
  return new Elysia({ name: "person-tuning", prefix: "/api/tuning" })
    .use(deps.door)
    .get(
      "",
      ({ person, query }) => doors.list(person, query),
      anybody("Suggested changes of the scanner", LIST_BY_PERSON),
    )
    .get("/rules", ({ person, query }) => doors.rules(person, query), anybody("Tuning rules in force", ALL_RULES))
    .post(
      "/rules/:id/revert",
      ({ person, params }) => doors.revert(person, params.id),
      anybody("Take a rule back", REVERT),
    )
    .get("/:id", ({ person, params }) => doors.read(person, params.id), anybody("One suggestion", READ))
    .post(
      "/:id/request-approval",
      ({ person, params, request }) => doors.request(person, params.id, request),
      anybody("Ask for somebody else's approval", REQUEST),
    )
    .post(
      "/:id/approve",
      ({ person, params, request }) => doors.decide(person, params.id, request, "approve"),
      deciders("Approve it", DECIDE),
    )
    .post(
      "/:id/deny",
      ({ person, params, request }) => doors.decide(person, params.id, request, "deny"),
      deciders("Deny it", DECIDE),
    )
    .post(
      "/:id/apply",
      ({ person, params, request }) => doors.apply(person, params.id, request),
      anybody("Apply it", APPLY),
    )
    .post(
      "/:id/reject",
      ({ person, params, request }) => doors.reject(person, params.id, request),
      anybody("Reject it", REJECT),
    )
    .post(
      "/:id/edit",
      ({ person, params, request }) => doors.edit(person, params.id, request),
      anybody("Edit it", EDIT),
    )
    .post(
      "/:id/dry-run",
      ({ person, params, request }) => doors.try(person, params.id, request),
      anybody("What an edit would do", TRY),
    );
};
