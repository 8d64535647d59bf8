import { Elysia } from "elysia";
import type { Agent } from "#core/agent";
import { personActor } from "#core/change";
import { GuardError } from "#core/errors";
import { moverOf } from "#core/halt";
import { mayChange, maySee, noAgent, READING_ROLES } from "#core/ownership";
import type { User } from "#core/person";
import type { Effective } from "#core/profile/effective";
import type { Restriction } from "#core/restriction";
import { Type } from "#core/schema";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import { pageOf, readPage } from "#http/page";
import type { signedInPerson } from "#http/person";
import { isOn } from "#http/query-check";
import { effectiveView } from "./effective";
import type { ProfileService } from "./profiles";
import { AgentChange, NewAgent, Retirement, WithReason } from "./schema";
import type { AgentService } from "./service";
import {
  AgentPage,
  type AgentStanding,
  ComparedProfile,
  EffectiveView,
  type ListedAgent,
  ProfilePage,
  ShownAgent,
} from "./shown";

type Deps = {
  readonly agents: AgentService;
  readonly profiles: ProfileService;
  readonly people: { byEmail(email: string): Promise<User | null> };
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
  /** What the agent is held to now; null where it is served nothing without a profile. */
  readonly effectiveOf: (agentId: string) => Effective | null;
  /** In force now. */
  readonly restrictionsOf: (agentId: string) => readonly Restriction[];
  /** In the order of the ids. Nothing is computed for it. */
  readonly standingsOf: (agentIds: readonly string[]) => Promise<readonly AgentStanding[]>;
};

/** Nothing is known of it yet. */
const NEW: AgentStanding = {
  health_score: null,
  risk_tier: null,
  band: "insufficient_data",
  drift_status: "no_baseline",
  trend: [],
  restrictions: 0,
  suspended: false,
  last_used_at: null,
};

type Query = Readonly<Record<string, string | undefined>>;

/** What `/api/agents` does, without its addresses. */
class AgentDoors {
  private readonly checks = {
    create: new ShapeCheck(NewAgent),
    change: new ShapeCheck(AgentChange),
    reason: new ShapeCheck(WithReason),
    retire: new ShapeCheck(Retirement),
  };

  constructor(private readonly deps: Deps) {}

  async list({ user }: Person, query: Query): Promise<Response> {
    const all = isOn(query["all"]);
    if (all && !READING_ROLES.includes(user.role)) {
      throw new GuardError("insufficient_scope", `All agents are for the roles ${READING_ROLES.join(", ")}.`, {
        param: "all",
      });
    }
    const page = await readPage(query, (window) => this.deps.agents.page(all ? null : user.id, window));
    const standings = await this.deps.standingsOf(page.data.map(({ id }) => id));
    const data: ListedAgent[] = page.data.map((agent, at) => ({ ...agent, standing: standings[at] ?? NEW }));
    return Response.json({ ...page, data });
  }

  create(person: Person, request: Request): Promise<Response> {
    return this.changing(async () => {
      const { owner, ...wanted } = this.checks.create.check(await this.read(request));
      const agent = await this.deps.agents.create(personActor(person), await this.ownerFor(person, owner), wanted);
      return Response.json(await this.deps.agents.shown(agent), { status: 201 });
    });
  }

  async get(person: Person, id: string): Promise<Response> {
    return Response.json(await this.deps.agents.shown(await this.seen(person, id)));
  }

  change(person: Person, id: string, request: Request): Promise<Response> {
    return this.moving(person, id, async (agent) => {
      const change = this.checks.change.check(await this.read(request));
      if (change.owner !== undefined) mustBeAdmin(person);
      return this.deps.agents.update(personActor(person), agent, change);
    });
  }

  suspend(person: Person, id: string, request: Request): Promise<Response> {
    return this.moving(person, id, async (agent) => {
      const { reason } = this.checks.reason.check(await this.read(request));
      return this.deps.agents.suspend(moverOf(person, agent.owner_id), agent, reason);
    });
  }

  resume(person: Person, id: string): Promise<Response> {
    return this.moving(person, id, (agent) => this.deps.agents.resume(moverOf(person, agent.owner_id), agent, null));
  }

  retire(person: Person, id: string, request: Request): Promise<Response> {
    return this.moving(person, id, async (agent) => {
      const { confirm } = this.checks.retire.check(await this.read(request));
      return this.deps.agents.retire(personActor(person), agent, confirm);
    });
  }

  async profiles(person: Person, id: string, query: Query): Promise<Response> {
    return Response.json(pageOf(await this.deps.profiles.list(await this.seen(person, id)), query));
  }

  /** With `?diff=previous`, or a version, what it changed against that one. */
  async profile(person: Person, id: string, version: string, { diff }: Query): Promise<Response> {
    const agent = await this.seen(person, id);
    const profile = await this.deps.profiles.version(agent, numbered(version, "version"));
    if (diff === undefined) return Response.json(profile);
    const against = diff === "previous" ? null : numbered(diff, "diff");
    return Response.json({ ...profile, changes: await this.deps.profiles.changes(agent, profile.version, against) });
  }

  /** What it is held to now, and who says each of it. */
  async effective(person: Person, id: string): Promise<Response> {
    const agent = await this.seen(person, id);
    const version = agent.review_status === "revoked" ? null : agent.profile_version;
    const profile = version === null ? null : await this.deps.profiles.version(agent, version);
    return Response.json(effectiveView(profile, this.deps.effectiveOf(agent.id), this.deps.restrictionsOf(agent.id)));
  }

  revokeProfile(person: Person, id: string, request: Request): Promise<Response> {
    return this.moving(person, id, async (agent) => {
      const { reason } = this.checks.reason.check(await this.read(request));
      return this.deps.profiles.revoke(personActor(person), agent, reason);
    });
  }

  private moving(person: Person, id: string, work: (agent: Agent) => Promise<Agent>): Promise<Response> {
    return this.changing(async () => {
      const agent = await this.seen(person, id);
      if (!mayChange(person.user, agent)) {
        throw new GuardError("insufficient_scope", "Only its owner and administrators change an agent.");
      }
      return Response.json(await this.deps.agents.shown(await work(agent)));
    });
  }

  private async changing(work: () => Promise<Response>): Promise<Response> {
    this.deps.admit();
    const answer = await work();
    await this.deps.onChanged();
    return answer;
  }

  /** What somebody may not see answers as what does not exist. */
  private async seen({ user }: Person, id: string): Promise<Agent> {
    const agent = await this.deps.agents.byId(id);
    if (agent && maySee(user, agent)) return agent;
    throw noAgent();
  }

  /** Administrators register agents for others. */
  private async ownerFor(person: Person, email: string | undefined): Promise<User> {
    if (email === undefined || email.toLowerCase() === person.user.email.toLowerCase()) return person.user;
    mustBeAdmin(person);
    const owner = await this.deps.people.byEmail(email.trim());
    if (!owner) throw new GuardError("invalid_value", "There is no user of that address.", { param: "owner" });
    return owner;
  }

  private async read(request: Request): Promise<unknown> {
    return (await bodyOf(request, this.deps.bodyBytes))();
  }
}

const mustBeAdmin = ({ user }: Person): void => {
  if (user.role === "admin") return;
  throw new GuardError("insufficient_scope", "Only administrators say who owns an agent.", { param: "owner" });
};

const numbered = (text: string, param: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new GuardError("invalid_value", `${param} is the number of a version.`, { param });
};

const AGENT = { answers: { 200: ShownAgent } } as const;

/** Agents and their profiles, for signed-in people. */
export const agentRoutes = (deps: Deps) => {
  const doors = new AgentDoors(deps);
  const about = (summary: string, told: About) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: detailOf("Agents", summary, told),
  });
  return new Elysia({ name: "agents", prefix: "/api/agents" })
    .use(deps.door)
    .get(
      "",
      ({ person, query }) => doors.list(person, query),
      about("List agents", {
        query: { all: Type.Boolean({ description: "Everybody's." }), ...PAGE_QUERY },
        answers: { 200: AgentPage },
      }),
    )
    .post(
      "",
      ({ person, request }) => doors.create(person, request),
      about("Register an agent", {
        body: { schema: NewAgent, example: { name: "support-bot", environment: "production" } },
        answers: { 201: ShownAgent },
        errors: ["already_exists"],
      }),
    )
    .get("/:id", ({ person, params }) => doors.get(person, params.id), about("One agent", AGENT))
    .patch(
      "/:id",
      ({ person, params, request }) => doors.change(person, params.id, request),
      about("Change it", {
        body: { schema: AgentChange, example: { description: "Answers customers." } },
        ...AGENT,
        errors: ["already_exists", "state_conflict"],
      }),
    )
    .post(
      "/:id/suspend",
      ({ person, params, request }) => doors.suspend(person, params.id, request),
      about("Suspend it", { body: WithReason, ...AGENT, errors: ["state_conflict"] }),
    )
    .post(
      "/:id/resume",
      ({ person, params }) => doors.resume(person, params.id),
      about("Let it run again", { ...AGENT, errors: ["state_conflict", "insufficient_scope"] }),
    )
    .post(
      "/:id/retire",
      ({ person, params, request }) => doors.retire(person, params.id, request),
      about("Retire it", { body: { schema: Retirement, example: { confirm: "support-bot" } }, ...AGENT }),
    )
    .get(
      "/:id/profiles",
      ({ person, params, query }) => doors.profiles(person, params.id, query),
      about("Its profiles", { query: PAGE_QUERY, answers: { 200: ProfilePage } }),
    )
    .get(
      "/:id/profiles/:version",
      ({ person, params, query }) => doors.profile(person, params.id, params.version, query),
      about("One version of its profile, and what it changed", {
        params: { version: Type.Integer({ minimum: 1, description: "The number of a version." }) },
        query: {
          diff: Type.String({
            description: "previous, or the number of a version to compare with.",
            examples: ["previous"],
          }),
        },
        answers: { 200: ComparedProfile },
      }),
    )
    .get(
      "/:id/effective",
      ({ person, params }) => doors.effective(person, params.id),
      about("What it is held to, and which layer says so", { answers: { 200: EffectiveView } }),
    )
    .post("/:id/profile/revoke", ({ person, params, request }) => doors.revokeProfile(person, params.id, request), {
      ...about("Take its profile out of force", { body: WithReason, ...AGENT, errors: ["state_conflict"] }),
      role: { roles: ["admin"] },
    });
};
