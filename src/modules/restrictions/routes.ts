import { Elysia } from "elysia";
import { personActor } from "#core/change";
import { READING_ROLES } from "#core/ownership";
import { Type } from "#core/schema";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import { pageOf } from "#http/page";
import type { signedInPerson } from "#http/person";
import { isOn } from "#http/query-check";
import type { KillSwitchService } from "./kill-switches";
import { endOf, NarrowingCheck } from "./narrowing";
import {
  KillSwitchPage,
  Lifting,
  NewKillSwitch,
  NewRestriction,
  RestrictionPage,
  ShownKillSwitch,
  ShownRestriction,
} from "./schema";
import type { RestrictionService } from "./service";

type Deps = {
  readonly restrictions: RestrictionService;
  readonly killSwitches: KillSwitchService;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  readonly now: () => number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

type Query = Readonly<Record<string, string | undefined>>;

/** What is done at the addresses of restrictions and kill switches, without the addresses. */
class RestrictionDoors {
  private readonly checks = {
    restriction: new ShapeCheck(NewRestriction),
    killSwitch: new ShapeCheck(NewKillSwitch),
    lifting: new ShapeCheck(Lifting),
  };
  private readonly narrowing = new NarrowingCheck();

  constructor(private readonly deps: Deps) {}

  async list(person: Person, agentId: string, query: Query): Promise<Response> {
    const all = await this.deps.restrictions.list(person, agentId);
    return Response.json(pageOf(isOn(query["in_force"]) ? all.filter((one) => one.in_force) : all, query));
  }

  async get(person: Person, agentId: string, id: string): Promise<Response> {
    return Response.json(await this.deps.restrictions.get(person, agentId, id));
  }

  async set(person: Person, agentId: string, request: Request): Promise<Response> {
    this.deps.admit();
    const { kind, params, reason, ...end } = this.checks.restriction.check(await this.read(request));
    const narrowed = this.narrowing.narrowed({ kind, ...(params && { params }) });
    const wanted = { ...narrowed, reason, expires_at: endOf(end, this.deps.now()) };
    return Response.json(await this.deps.restrictions.set(person, agentId, wanted), { status: 201 });
  }

  async lift(person: Person, agentId: string, id: string, request: Request): Promise<Response> {
    this.deps.admit();
    const { reason } = this.checks.lifting.check(await this.read(request));
    return Response.json(await this.deps.restrictions.lift(person, agentId, id, reason));
  }

  async switches(query: Query): Promise<Response> {
    const all = await this.deps.killSwitches.list();
    return Response.json(pageOf(isOn(query["on"]) ? all.filter(({ on }) => on) : all, query));
  }

  async switchOn(person: Person, request: Request): Promise<Response> {
    this.deps.admit();
    const { level, target = null, reason } = this.checks.killSwitch.check(await this.read(request));
    const made = await this.deps.killSwitches.on(personActor(person), { level, target, reason });
    return Response.json(made, { status: 201 });
  }

  async switchOff(person: Person, id: string, request: Request): Promise<Response> {
    this.deps.admit();
    const { reason } = this.checks.lifting.check(await this.read(request));
    return Response.json(await this.deps.killSwitches.off(personActor(person), id, reason));
  }

  private async read(request: Request): Promise<unknown> {
    return (await bodyOf(request, this.deps.bodyBytes))();
  }
}

const ADMINS = { roles: ["admin"] as const };
/** A member sees that a call was stopped, not who else was. */
const WATCHERS = { roles: READING_ROLES };

/** Restricting an agent for a while, and stopping everything of a kind at once, for signed-in people. */
const RESTRICTING = {
  kind: "rate_limited",
  params: { requests_per_minute: 10 },
  reason: "It asks too often.",
  expires_in: "4h",
};
const STOPPING = { level: "agent", target: "support-bot", reason: "It sends mail to strangers." };

export const restrictionRoutes = (deps: Deps) => {
  const doors = new RestrictionDoors(deps);
  const about = <Who>(role: Who, summary: string, told: About) => ({
    role,
    parse: "none" as const,
    detail: detailOf("Restrictions", summary, told),
  });
  const person = "person" as const;
  return new Elysia({ name: "restrictions", prefix: "/api" })
    .use(deps.door)
    .get(
      "/agents/:id/restrictions",
      (call) => doors.list(call.person, call.params.id, call.query),
      about(person, "List an agent's restrictions", {
        query: { in_force: Type.Boolean({ description: "Those that hold now, only." }), ...PAGE_QUERY },
        answers: { 200: RestrictionPage },
      }),
    )
    .post(
      "/agents/:id/restrictions",
      (call) => doors.set(call.person, call.params.id, call.request),
      about(person, "Restrict an agent", {
        body: { schema: NewRestriction, example: RESTRICTING },
        answers: { 201: ShownRestriction },
        errors: ["state_conflict", "below_floor"],
      }),
    )
    .get(
      "/agents/:id/restrictions/:rid",
      (call) => doors.get(call.person, call.params.id, call.params.rid),
      about(person, "One restriction", { answers: { 200: ShownRestriction } }),
    )
    .post(
      "/agents/:id/restrictions/:rid/lift",
      (call) => doors.lift(call.person, call.params.id, call.params.rid, call.request),
      about(person, "Lift a restriction", {
        body: Lifting,
        answers: { 200: ShownRestriction },
        errors: ["state_conflict"],
      }),
    )
    .get(
      "/killswitch",
      (call) => doors.switches(call.query),
      about(WATCHERS, "List kill switches", {
        query: { on: Type.Boolean({ description: "Those that are on, only." }), ...PAGE_QUERY },
        answers: { 200: KillSwitchPage },
      }),
    )
    .post(
      "/killswitch",
      (call) => doors.switchOn(call.person, call.request),
      about(ADMINS, "Stop at once", {
        body: { schema: NewKillSwitch, example: STOPPING },
        answers: { 201: ShownKillSwitch },
        errors: ["already_exists", "not_found"],
      }),
    )
    .post(
      "/killswitch/:id/lift",
      (call) => doors.switchOff(call.person, call.params.id, call.request),
      about(ADMINS, "Lift a kill switch", {
        body: Lifting,
        answers: { 200: ShownKillSwitch },
        errors: ["state_conflict"],
      }),
    );
};
