import { Elysia } from "elysia";
import { personActor } from "#core/change";
import { READING_ROLES } from "#core/ownership";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { pageOf } from "#http/page";
import type { signedInPerson } from "#http/person";
import type { KillSwitchService } from "./kill-switches";
import { endOf, NarrowingCheck } from "./narrowing";
import { Lifting, NewKillSwitch, NewRestriction } from "./schema";
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
    return Response.json(pageOf(query["in_force"] === "true" ? all.filter((one) => one.in_force) : all, query));
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
    return Response.json(pageOf(query["on"] === "true" ? all.filter(({ on }) => on) : all, query));
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
export const restrictionRoutes = (deps: Deps) => {
  const doors = new RestrictionDoors(deps);
  const about = <Who>(role: Who, summary: string) => ({
    role,
    parse: "none" as const,
    detail: { summary, tags: ["Restrictions"] },
  });
  const person = "person" as const;
  return new Elysia({ name: "restrictions", prefix: "/api" })
    .use(deps.door)
    .get(
      "/agents/:id/restrictions",
      (call) => doors.list(call.person, call.params.id, call.query),
      about(person, "List an agent's restrictions"),
    )
    .post(
      "/agents/:id/restrictions",
      (call) => doors.set(call.person, call.params.id, call.request),
      about(person, "Restrict an agent"),
    )
    .get(
      "/agents/:id/restrictions/:rid",
      (call) => doors.get(call.person, call.params.id, call.params.rid),
      about(person, "One restriction"),
    )
    .post(
      "/agents/:id/restrictions/:rid/lift",
      (call) => doors.lift(call.person, call.params.id, call.params.rid, call.request),
      about(person, "Lift a restriction"),
    )
    .get("/killswitch", (call) => doors.switches(call.query), about(WATCHERS, "List kill switches"))
    .post("/killswitch", (call) => doors.switchOn(call.person, call.request), about(ADMINS, "Stop at once"))
    .post(
      "/killswitch/:id/lift",
      (call) => doors.switchOff(call.person, call.params.id, call.request),
      about(ADMINS, "Lift a kill switch"),
    );
};
