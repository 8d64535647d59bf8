import { Elysia } from "elysia";
import type { Agent } from "#core/agent";
import { HealthReport } from "#core/health-report";
import { maySee, noAgent } from "#core/ownership";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import type { signedIn } from "#http/auth";
import { bodyOf } from "#http/body";
import type { GuardAnswers } from "#http/guard-answers";
import { type About, detailOf } from "#http/openapi/about";
import { CALL_ERRORS } from "#http/openapi/call-errors";
import type { signedInPerson } from "#http/person";
import { Acknowledging, Rebaselining, Trend } from "./schema";
import { DECIDING_ROLES, type HealthService } from "./service";

type CallerDeps = {
  readonly service: HealthService;
  readonly answers: GuardAnswers;
  readonly door: ReturnType<typeof signedIn>;
};

/** For agents and their owners, by gateway token. */
export const agentHealthRoutes = ({ service, answers, door }: CallerDeps) =>
  new Elysia({ name: "agent-health" })
    .use(door)
    .get(
      "/v1/guard/health/:agent_id",
      ({ caller, params }) => answers.json(caller, (id) => service.read(caller, id, params.agent_id)),
      {
        role: "caller",
        detail: detailOf("Guard", "How does this agent fare?", {
          description: "A stopped agent may read why it was stopped.",
          answers: { 200: HealthReport },
          errors: CALL_ERRORS,
        }),
      },
    );

type PersonDeps = {
  readonly service: HealthService;
  readonly agents: { byId(id: string): Promise<Agent | null> };
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

/** What `/api/agents/…/health` and `…/drift` do, without their addresses. */
class HealthDoors {
  private readonly acknowledging = new ShapeCheck(Acknowledging);
  private readonly rebaselining = new ShapeCheck(Rebaselining);

  constructor(private readonly deps: PersonDeps) {}

  async health(person: Person, id: string): Promise<Response> {
    return Response.json(await this.deps.service.healthOf(await this.seen(person, id)));
  }

  async trend(person: Person, id: string): Promise<Response> {
    const data = await this.deps.service.trendOf(await this.seen(person, id));
    return Response.json({ object: "list", data, has_more: false, next_cursor: null } satisfies Trend);
  }

  async acknowledge(person: Person, id: string, request: Request): Promise<Response> {
    this.deps.admit();
    const agent = await this.seen(person, id);
    const body = this.acknowledging.check(await this.read(request));
    return Response.json(await this.deps.service.acknowledge(person, agent, body));
  }

  async rebaseline(person: Person, id: string, request: Request): Promise<Response> {
    this.deps.admit();
    const agent = await this.seen(person, id);
    const body = this.rebaselining.check(await this.read(request));
    return Response.json(await this.deps.service.rebaseline(person, agent, body));
  }

  private async seen({ user }: Person, id: string): Promise<Agent> {
    const agent = await this.deps.agents.byId(id);
    if (agent && maySee(user, agent)) return agent;
    throw noAgent();
  }

  private async read(request: Request): Promise<unknown> {
    return (await bodyOf(request, this.deps.bodyBytes))();
  }
}

/** For signed-in people: owners read their agents', those who decide read all and answer for drift. */
export const agentWatchRoutes = (deps: PersonDeps) => {
  const doors = new HealthDoors(deps);
  const detail = (summary: string, about: About) => ({
    parse: "none" as const,
    detail: detailOf("Agents", summary, about),
  });
  const readers = { role: "person" as const };
  const deciders = { role: { roles: DECIDING_ROLES } };
  return new Elysia({ name: "agent-watch", prefix: "/api/agents" })
    .use(deps.door)
    .get("/:id/health", ({ person, params }) => doors.health(person, params.id), {
      ...readers,
      ...detail("How an agent fares", { answers: { 200: HealthReport } }),
    })
    .get("/:id/health/trend", ({ person, params }) => doors.trend(person, params.id), {
      ...readers,
      ...detail("Its score over seven days", { answers: { 200: Trend } }),
    })
    .post("/:id/drift/acknowledge", ({ person, params, request }) => doors.acknowledge(person, params.id, request), {
      ...deciders,
      ...detail("Answer for its drift for a while", {
        body: Acknowledging,
        answers: { 200: HealthReport },
        errors: ["state_conflict"],
      }),
    })
    .post("/:id/drift/rebaseline", ({ person, params, request }) => doors.rebaseline(person, params.id, request), {
      ...deciders,
      ...detail("Begin a new baseline", {
        body: Rebaselining,
        answers: { 200: HealthReport },
        errors: ["state_conflict"],
      }),
    });
};
