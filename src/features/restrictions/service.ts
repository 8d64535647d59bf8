import { GuardError } from "#core/errors";
import type { Agent } from "#model/agent";
import { type Actor, CLI_ACTOR, changeRecord, personActor } from "#model/change";
import { maySee, noAgent } from "#model/ownership";
import type { Person } from "#model/session";
import type { Clock } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { Restriction, RestrictionScope } from "#policy/restrictions/restriction";
import { type Deed, objection, type RestrictionActor } from "#policy/restrictions/restriction-rules";
import type { RestrictionStore } from "#store/governance-port";
import type { AgentStore } from "#store/port";
import type { RestrictionResponse } from "./schema";
import { restrictionResponse } from "./schema";

type RestrictionServiceNeeds = {
  readonly restrictions: RestrictionStore;
  readonly agents: Pick<AgentStore, "byId">;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
  /** Resolves once every point has confirmed it, or that took too long. */
  readonly contained: (id: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Of one kind, in force on one agent: each call is held to all of them. Many of one kind keep nobody from setting another. */
const MAX_IN_FORCE = 50;

export type WantedRestriction = RestrictionScope & {
  readonly reason: string;
  /** Unix milliseconds, or null for until it is lifted. */
  readonly expires_at: number | null;
};

/** Somebody signed in, or the command line of the machine, which stands above all roles. */
export type Restrictor = Person | "operator" | { readonly operator: Actor };

const isPerson = (who: Restrictor): who is Person => who !== "operator" && "user" in who;

/** What people forbid an agent for a while, and lift again. */
export class RestrictionService {
  constructor(private readonly deps: RestrictionServiceNeeds) {}

  /** Newest first; what is over too. Throws `not_found`. */
  async list(who: Restrictor, agentId: string): Promise<RestrictionResponse[]> {
    const agent = await this.visible(who, agentId);
    const now = this.deps.now();
    return (await this.deps.restrictions.ofAgent(agent.id)).map((one) => restrictionResponse(one, now));
  }

  /** Throws `not_found`. */
  async get(who: Restrictor, agentId: string, id: string): Promise<RestrictionResponse> {
    return restrictionResponse(await this.of(await this.visible(who, agentId), id), this.deps.now());
  }

  /** In force when this returns, with the receipts there are by then. Throws `not_found`, `insufficient_scope`, `invalid_value`. */
  async set(
    who: Restrictor,
    agentId: string,
    { reason, expires_at, ...narrowed }: WantedRestriction,
  ): Promise<RestrictionResponse> {
    const agent = await this.visible(who, agentId);
    const now = this.deps.now();
    const lasts = expires_at === null ? null : expires_at - now;
    mustBeAllowed(actingOn(who, agent), { do: "set", kind: narrowed.kind, lasts });
    const id = this.deps.ids();
    const restriction: Restriction = {
      ...narrowed,
      id,
      agent_id: agent.id,
      source: "manual",
      set_by: userOf(who),
      trigger: null,
      reason,
      starts_at: now,
      expires_at,
      lifted_at: null,
      lifted_by: null,
      lift_reason: null,
      receipts: [],
    };
    const detail = { agent_id: agent.id, ...narrowed, source: "manual", reason, expires_at };
    const contained = this.deps.contained(id);
    if (!(await this.deps.restrictions.set(restriction, this.record("set", who, id, detail), MAX_IN_FORCE))) {
      throw new GuardError(
        "state_conflict",
        `The limit of ${MAX_IN_FORCE} restrictions of this kind on an agent is reached. Lift one first.`,
      );
    }
    await this.deps.onChanged();
    await contained;
    return restrictionResponse(await this.of(agent, id), this.deps.now());
  }

  /** Throws `not_found`, `insufficient_scope`; `state_conflict` for what is over. */
  async lift(who: Restrictor, agentId: string, id: string, reason: string): Promise<RestrictionResponse> {
    const agent = await this.visible(who, agentId);
    const restriction = await this.of(agent, id);
    const { source, set_by, kind } = restriction;
    mustBeAllowed(actingOn(who, agent), { do: "lift", source, set_by });
    const now = this.deps.now();
    const isOver = restriction.expires_at !== null && restriction.expires_at <= now;
    const record = this.record("lift", who, restriction.id, { agent_id: agent.id, kind, reason });
    const lifted = { at: now, by: userOf(who), reason };
    if (isOver || !(await this.deps.restrictions.lift(restriction.id, lifted, record))) {
      throw new GuardError("state_conflict", "The restriction has already ended.");
    }
    await this.deps.onChanged();
    return restrictionResponse(await this.of(agent, id), now);
  }

  /** Somebody else's agent answers as one that does not exist. */
  private async visible(who: Restrictor, agentId: string): Promise<Agent> {
    const agent = isUuid(agentId) ? await this.deps.agents.byId(agentId.toLowerCase()) : null;
    if (agent && (!isPerson(who) || maySee(who.user, agent))) return agent;
    throw noAgent();
  }

  private async of({ id: agentId }: Agent, id: string): Promise<Restriction> {
    const restriction = isUuid(id) ? await this.deps.restrictions.byId(id.toLowerCase()) : null;
    if (restriction?.agent_id === agentId) return restriction;
    throw new GuardError("not_found", "There is no such restriction on this agent.", { param: "rid" });
  }

  private record(what: string, who: Restrictor, id: string, detail: Readonly<Record<string, unknown>>): string {
    const by = isPerson(who) ? personActor(who) : who === "operator" ? CLI_ACTOR : who.operator;
    const change = { kind: `restriction.${what}`, by, subject: "restriction", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const userOf = (who: Restrictor): string | null => (isPerson(who) ? who.user.id : null);

const actingOn = (who: Restrictor, { owner_id }: Agent): RestrictionActor => {
  if (!isPerson(who)) return { by: "operator" };
  const { id, role } = who.user;
  return { by: "person", id, role, isOwner: owner_id === id };
};

const mustBeAllowed = (acting: RestrictionActor, deed: Deed): void => {
  const against = objection(acting, deed);
  if (against === null) return;
  const isBadEnd = deed.do === "set" && (deed.lasts === null ? deed.kind !== "suspended" : deed.lasts <= 0);
  if (isBadEnd)
    throw new GuardError("invalid_value", `${against} Set expires_in or expires_at.`, { param: "expires_in" });
  throw new GuardError("insufficient_scope", against);
};
