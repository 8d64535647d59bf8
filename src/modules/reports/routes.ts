import { Elysia } from "elysia";
import type { Caller } from "#core/caller";
import type { Direction } from "#core/report";
import type { signedIn } from "#http/auth";
import { bodyOf } from "#http/body";
import type { GuardAnswers } from "#http/guard-answers";
import type { ListQuery } from "./schema";
import type { ReportService } from "./service";

type Deps = {
  readonly service: ReportService;
  readonly answers: GuardAnswers;
  readonly door: ReturnType<typeof signedIn>;
  readonly bodyBytes: number;
};

/** What the addresses of reports do, without their addresses. */
class ReportDoors {
  constructor(private readonly deps: Deps) {}

  async post(caller: Caller, request: Request, direction: Direction): Promise<Response> {
    const { answers, service, bodyBytes } = this.deps;
    const read = await bodyOf(request, bodyBytes);
    const sent = { key: request.headers.get("idempotency-key"), read };
    return answers.reply(caller, (id) => service.post(caller, id, direction, sent));
  }

  list(caller: Caller, query: ListQuery): Promise<Response> {
    return this.deps.answers.reply(caller, (id) => this.deps.service.list(caller, id, query));
  }

  read(caller: Caller, report: string): Promise<Response> {
    return this.deps.answers.reply(caller, (id) => this.deps.service.read(caller, id, report));
  }

  withdraw(caller: Caller, report: string): Promise<Response> {
    return this.deps.answers.reply(caller, (id) => this.deps.service.withdraw(caller, id, report));
  }
}

export const reportRoutes = (deps: Deps) => {
  const doors = new ReportDoors(deps);
  const about = (summary: string) => ({
    role: "caller" as const,
    parse: "none" as const,
    detail: { summary, tags: ["Guard"] },
  });
  return new Elysia({ name: "reports", prefix: "/v1/guard" })
    .use(deps.door)
    .post(
      "/disputes",
      ({ caller, request }) => doors.post(caller, request, "false_positive"),
      about("Say that a block or a redaction was wrong"),
    )
    .post(
      "/miss-reports",
      ({ caller, request }) => doors.post(caller, request, "false_negative"),
      about("Say that something should not have passed"),
    )
    .get("/miss-reports", ({ caller, query }) => doors.list(caller, query), about("Your reports, of both directions"))
    .get("/miss-reports/:id", ({ caller, params }) => doors.read(caller, params.id), about("One of your reports"))
    .delete(
      "/miss-reports/:id",
      ({ caller, params }) => doors.withdraw(caller, params.id),
      about("Withdraw a report: what you told with it is forgotten"),
    );
};
