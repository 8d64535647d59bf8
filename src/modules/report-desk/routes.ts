import { Elysia } from "elysia";
import { personActor } from "#core/change";
import { GuardError } from "#core/errors";
import { DIRECTIONS, REPORT_STATUSES } from "#core/report";
import { REPORT_SECTIONS } from "#core/report-section";
import { Type } from "#core/schema";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { Id, oneOf, PAGE_QUERY } from "#http/openapi/shapes";
import { readPage } from "#http/page";
import type { signedInPerson } from "#http/person";
import type { Clock } from "#platform/clock";
import type { ReviewerDesk } from "./reviewer";
import {
  DeskPage,
  DeskReport,
  DisputeRates,
  OpenedReport,
  ReportDecision,
  ReviewerResume,
  ReviewerState,
} from "./schema";
import type { Acting, ReportDesk } from "./service";

type Deps = {
  readonly desk: ReportDesk;
  readonly reviewer: ReviewerDesk;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
  readonly now: Clock;
};

const DAY_MS = 86_400_000;
const MOST_DAYS = 365;

type Query = Readonly<Record<string, string | undefined>>;

const actingAs = (person: Person): Acting => ({ user: person.user, by: personActor(person) });

/** What `/api/reports` and `/api/reviewer` do, without their addresses. */
class DeskDoors {
  private readonly decision = new ShapeCheck(ReportDecision);
  private readonly resumption = new ShapeCheck(ReviewerResume);

  constructor(private readonly deps: Deps) {}

  async list({ user }: Person, query: Query): Promise<Response> {
    const status = wanted("status", query, REPORT_STATUSES);
    const filter = {
      direction: wanted("direction", query, DIRECTIONS),
      statuses: status && [status],
      agent_id: query["agent_id"],
      questionnaire_section: wanted("section", query, REPORT_SECTIONS),
    };
    return Response.json(await readPage(query, (window) => this.deps.desk.page(user, filter, window)));
  }

  async rates({ user }: Person, query: Query): Promise<Response> {
    const days = Number(/^\d{1,3}$/.exec(query["days"] ?? "90")?.[0]);
    if (!(days >= 1 && days <= MOST_DAYS)) {
      throw new GuardError("invalid_value", `days must be a whole number from 1 to ${MOST_DAYS}.`, { param: "days" });
    }
    const data = await this.deps.desk.rates(user, this.deps.now() - days * DAY_MS);
    return Response.json({ object: "list", days, data } satisfies DisputeRates);
  }

  async open(person: Person, id: string): Promise<Response> {
    this.deps.admit();
    return Response.json(await this.deps.desk.open(actingAs(person), id));
  }

  async decide(person: Person, id: string, request: Request): Promise<Response> {
    this.deps.admit();
    const decision = this.decision.check((await bodyOf(request, this.deps.bodyBytes))());
    return Response.json(await this.deps.desk.decide(actingAs(person), id, decision));
  }

  async state(): Promise<Response> {
    return Response.json(await this.deps.reviewer.state());
  }

  async resume(person: Person, request: Request): Promise<Response> {
    this.deps.admit();
    const { reason } = this.resumption.check((await bodyOf(request, this.deps.bodyBytes))());
    return Response.json(await this.deps.reviewer.resume(personActor(person), reason));
  }
}

/** One of the values an address may ask for; undefined for all. Throws `invalid_value`. */
const wanted = <T extends string>(name: string, query: Query, values: readonly T[]): T | undefined => {
  const text = query[name];
  const value = values.find((one) => one === text);
  if (text !== undefined && value === undefined) {
    throw new GuardError("invalid_value", `${name}: one of ${values.join(", ")}.`, { param: name });
  }
  return value;
};

/** Reports for people. Never opened by a gateway token: no agent decides on its own disputes. */
export const reportDeskRoutes = (deps: Deps) => {
  const doors = new DeskDoors(deps);
  const about = (summary: string, told: About) => ({
    parse: "none" as const,
    detail: detailOf("Reports", summary, told),
  });
  const person = { role: "person" as const };
  const desk = { role: { roles: ["admin", "reviewer", "analyst", "auditor"] as const } };
  return new Elysia({ name: "report-desk", prefix: "/api" })
    .use(deps.door)
    .get("/reports", ({ person, query }) => doors.list(person, query), {
      ...person,
      ...about("List reports", {
        query: {
          ...{ direction: oneOf(DIRECTIONS), status: oneOf(REPORT_STATUSES), section: oneOf(REPORT_SECTIONS) },
          ...{ agent_id: Id, ...PAGE_QUERY },
        },
        answers: { 200: DeskPage },
      }),
    })
    .get("/reports/rates", ({ person, query }) => doors.rates(person, query), {
      ...person,
      ...about("How often disputes of each flag type were right", {
        query: { days: Type.Integer({ minimum: 1, maximum: MOST_DAYS, default: 90 }) },
        answers: { 200: DisputeRates },
      }),
    })
    .get("/reports/:id", ({ person, params }) => doors.open(person, params.id), {
      ...person,
      ...about("One report, with its content; each look of others than the reporter is on record", {
        answers: { 200: OpenedReport },
        errors: ["audit_unavailable", "shutting_down"],
      }),
    })
    .post("/reports/:id/decision", ({ person, params, request }) => doors.decide(person, params.id, request), {
      ...person,
      ...about("Say what it is, and close it", {
        body: ReportDecision,
        answers: { 200: DeskReport },
        errors: ["state_conflict", "stale_base", "approval_required"],
      }),
    })
    .get("/reviewer", () => doors.state(), {
      ...desk,
      ...about("The reviewing model, and how it does", { answers: { 200: ReviewerState } }),
    })
    .post("/reviewer/resume", ({ person, request }) => doors.resume(person, request), {
      role: { roles: ["admin"] as const },
      ...about("Let it review again after a wrong answer", {
        body: ReviewerResume,
        answers: { 200: ReviewerState },
        errors: ["state_conflict"],
      }),
    });
};
