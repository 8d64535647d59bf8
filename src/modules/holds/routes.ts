import { Elysia } from "elysia";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { Id, oneOf, PAGE_QUERY } from "#http/openapi/shapes";
import { readPage } from "#http/page";
import type { signedInPerson } from "#http/person";
import { HoldDecision, HoldPage, OpenedHold, SHOWN_STATES, ShownHold } from "./schema";
import type { HoldService } from "./service";

type Deps = {
  readonly service: HoldService;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

/** What `/api/holds` does, without its addresses. */
class HoldDoors {
  private readonly check = new ShapeCheck(HoldDecision);

  constructor(private readonly deps: Deps) {}

  async list(person: Person, query: Readonly<Record<string, string | undefined>>): Promise<Response> {
    const state = SHOWN_STATES.find((one) => one === query["state"]);
    const wanted = { state, agent_id: query["agent_id"]?.toLowerCase() };
    return Response.json(await readPage(query, (window) => this.deps.service.page(person, wanted, window)));
  }

  async open(person: Person, id: string): Promise<Response> {
    this.deps.admit();
    return Response.json(await this.deps.service.open(person, id));
  }

  async decide(person: Person, id: string, state: "approved" | "denied", request: Request): Promise<Response> {
    this.deps.admit();
    // A decision needs no body.
    const hasNone = request.body === null || request.headers.get("content-length") === "0";
    const body = hasNone ? {} : (await bodyOf(request, this.deps.bodyBytes))();
    const { reason = null } = this.check.check(body);
    return Response.json(await this.deps.service.decide(person, id, { state, reason }));
  }
}

/** Calls of tools that wait for a person. Never opened by a gateway token: no agent approves its own calls. */
const DECIDING: About = {
  body: { schema: HoldDecision, isOptional: true },
  answers: { 200: ShownHold },
  errors: ["state_conflict", "no_eligible_approver"],
};

export const holdRoutes = (deps: Deps) => {
  const doors = new HoldDoors(deps);
  const about = (summary: string, told: About) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: detailOf("Held calls", summary, told),
  });
  return new Elysia({ name: "holds", prefix: "/api/holds" })
    .use(deps.door)
    .get(
      "",
      ({ person, query }) => doors.list(person, query),
      about("List calls that wait for a person", {
        query: { state: oneOf(SHOWN_STATES), agent_id: Id, ...PAGE_QUERY },
        answers: { 200: HoldPage },
      }),
    )
    .get(
      "/:id",
      ({ person, params }) => doors.open(person, params.id),
      about("One held call, with its arguments", {
        answers: { 200: OpenedHold },
        errors: ["audit_unavailable", "shutting_down"],
      }),
    )
    .post(
      "/:id/approve",
      ({ person, params, request }) => doors.decide(person, params.id, "approved", request),
      about("Let exactly this call pass, once", DECIDING),
    )
    .post(
      "/:id/deny",
      ({ person, params, request }) => doors.decide(person, params.id, "denied", request),
      about("Deny it", DECIDING),
    );
};
