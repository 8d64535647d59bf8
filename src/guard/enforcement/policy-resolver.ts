import { GuardError } from "#core/errors";
import { matchesGlob } from "#core/glob";
import type { Agent } from "#model/agent";
import type { TokenPrincipal } from "#model/principal";
import type { Clock } from "#platform/clock";
import { type Effective, effectiveOf } from "#policy/profile/effective";
import { isInForce, type KillSwitch, layerOf, type Restriction } from "#policy/restrictions/restriction";
import type { TuningRule, TuningSubject } from "#policy/tuning/rule";
import { tunedBy } from "#policy/tuning/tuned";
import { type CompiledPolicy, type PolicyRule, variantOf } from "#scan/policy";
import type { ProfileRow } from "#store/governance-port";
import type { FeedChanges } from "#store/port";
import type { ExceptionMatcher } from "./exception-matcher";
import type { TuningRuleCache } from "./tuning-rule-cache";

/** Characters of an administrator's reason that an error repeats; the whole is on the kill switch's page. */
const MAX_REASON = 300;

/**
 * An administrator's words as one line of plain text, for an error that a program logs and a model may read: no line
 * ends, terminal escapes or characters that people do not see.
 */
export const shortReason = (reason: string): string => {
  const line = reason
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/[\p{Cf}\p{Cs}\p{Co}]/gu, "")
    .trim();
  const characters = [...line];
  return characters.length <= MAX_REASON ? line : `${characters.slice(0, MAX_REASON - 1).join("")}…`;
};

/** What one caller's calls are held to. A call takes it once and keeps it to its end. */
export type Rules = {
  readonly effective: Effective;
  readonly policy: CompiledPolicy;
  /** What tuning makes of what the policy finds. */
  readonly exceptionMatcher: ExceptionMatcher;
};

/** Whom and what a call concerns, as far as it is known yet: what can stop it. */
export type Subject = {
  readonly user_id: string;
  readonly agent_id: string | null;
  readonly model: string | null;
  readonly server_id: string | null;
};

/** A caller's subject before anything is known of what the call touches. */
export const subjectOf = ({ user, agent }: Pick<TokenPrincipal, "user" | "agent">): Subject => ({
  user_id: user.id,
  agent_id: agent?.id ?? null,
  model: null,
  server_id: null,
});

/** What rules are made of beside what the policy resolver knows. `rule`: one that is only tried. */
type Making = { readonly baseline: CompiledPolicy; readonly now: number; readonly rule?: TuningRule };

type PolicyResolverNeeds = {
  readonly tuningRules: TuningRuleCache;
  readonly now: Clock;
  readonly baseline: () => CompiledPolicy;
  /** What no profile can go below. */
  readonly floor: readonly PolicyRule[];
  /** What happens to an agent without a profile. */
  readonly ungoverned: "baseline" | "monitor" | "deny";
  /** Nothing is served by what was last confirmed longer ago than this, in milliseconds. */
  readonly staleMs: number;
};

type Made = Rules & {
  readonly baseline: CompiledPolicy;
  /** Unix milliseconds at which time itself changes it. */
  readonly until: number;
};

/** Agents whose rules are kept compiled. */
const MAX_CACHED_RULES = 2_000;

/** Profiles, restrictions and kill switches as of the last change taken in, and what they make of a call. */
export class PolicyResolver {
  private readonly agents = new Map<string, Agent>();
  private readonly profiles = new Map<string, ProfileRow>();
  private readonly restrictions = new Map<string, Map<string, Restriction>>();
  private readonly kills = new Map<string, KillSwitch>();
  private readonly made = new Map<string, Made>();
  private heardAt = performance.now();

  constructor(private readonly deps: PolicyResolverNeeds) {}

  apply({ agents, profiles, restrictions, kill_switches, tuning }: FeedChanges): void {
    for (const subject of this.deps.tuningRules.apply(tuning)) this.made.delete(subject);
    for (const agent of agents) this.agents.set(agent.id, agent);
    for (const profile of profiles) {
      const known = this.profiles.get(profile.agent_id);
      if (!known || known.version < profile.version) this.profiles.set(profile.agent_id, profile);
    }
    for (const restriction of restrictions) this.applyRestriction(restriction);
    for (const kill of kill_switches) {
      if (kill.lifted_at === null) this.kills.set(kill.id, kill);
      else this.kills.delete(kill.id);
    }
    for (const { id } of agents) this.made.delete(id);
    for (const { agent_id } of [...profiles, ...restrictions]) this.made.delete(agent_id);
  }

  /** What is over is forgotten: each call asks all that are kept. */
  private applyRestriction(restriction: Restriction): void {
    const { id, agent_id } = restriction;
    const now = this.deps.now();
    const own = this.restrictions.get(agent_id) ?? new Map<string, Restriction>();
    own.set(id, restriction);
    for (const one of own.values()) if (isOver(one, now)) own.delete(one.id);
    if (own.size > 0) this.restrictions.set(agent_id, own);
    else this.restrictions.delete(agent_id);
  }

  /** The store has answered: what is known here was so when it was asked, by `performance.now()`. */
  confirm(askedAt: number): void {
    this.heardAt = askedAt;
  }

  /** Whether what is known here was so lately. */
  get isCurrent(): boolean {
    return performance.now() - this.heardAt <= this.deps.staleMs;
  }

  /**
   * Throws `guard_unavailable` when the store was not read for too long: somebody may have been stopped
   * meanwhile; `insufficient_scope` for an agent without a profile where that is not allowed.
   */
  rulesOf({ agent, user }: Pick<TokenPrincipal, "agent" | "user">): Rules {
    if (!this.isCurrent) {
      throw new GuardError(
        "guard_unavailable",
        "The hub cannot read the current policies, so the call is not served. Retry later.",
      );
    }
    return agent ? this.rulesOfAgent(agent.id) : this.rulesOfUser(user.id);
  }

  /** The same, for who only wants to know. */
  rulesOfAgent(agentId: string | null): Rules {
    return this.rulesFor(agentId ?? "", agentId);
  }

  /** Of a user's calls without an agent. All without tuning of their own share the hub's. */
  rulesOfUser(userId: string): Rules {
    return this.rulesFor(this.deps.tuningRules.has(userId) ? userId : "", null);
  }

  /** As it would be with one more tuning rule, or with one changed. */
  rulesWith(subject: TuningSubject, rule: TuningRule): Rules {
    const { agent_id, user_id } = subject;
    return this.make(agent_id ?? user_id, agent_id, { baseline: this.deps.baseline(), now: this.deps.now(), rule });
  }

  private rulesFor(key: string, agentId: string | null): Rules {
    const baseline = this.deps.baseline();
    const now = this.deps.now();
    const known = this.made.get(key);
    if (known && known.baseline === baseline && now < known.until) return known;
    const made = this.make(key, agentId, { baseline, now });
    if (this.made.size >= MAX_CACHED_RULES) this.made.clear();
    this.made.set(key, made);
    return made;
  }

  /** The profile in force; null for an agent without one. */
  profileOf(agentId: string): ProfileRow | null {
    const agent = this.agents.get(agentId);
    const profile = this.profiles.get(agentId);
    const isGoverned = agent?.profile_version != null && agent.review_status !== "revoked";
    return isGoverned && profile?.version === agent.profile_version ? profile : null;
  }

  /** In force now, oldest first. */
  restrictionsOf(agentId: string): readonly Restriction[] {
    const now = this.deps.now();
    return [...(this.restrictions.get(agentId)?.values() ?? [])].filter((one) => isInForce(one, now));
  }

  get killSwitches(): readonly KillSwitch[] {
    return [...this.kills.values()];
  }

  /** What stops a call, also one that is under way; null for nothing. */
  stopOf(subject: Subject): GuardError | null {
    for (const kill of this.kills.values()) if (this.isKilled(subject, kill)) return killed(kill);
    const { agent_id } = subject;
    if (agent_id === null) return null;
    if (this.agents.get(agent_id)?.lifecycle === "suspended") return suspended("agent", "lifecycle");
    const restriction = this.suspensionOf(agent_id);
    return restriction && suspended(layerOf(restriction), "suspended");
  }

  /** Who is stopped is stopped with their agents, also where somebody else uses one. */
  private isKilled(subject: Subject, kill: KillSwitch): boolean {
    if (isKilledBy(subject, kill)) return true;
    const owner = subject.agent_id === null ? null : this.agents.get(subject.agent_id)?.owner_id;
    return owner != null && owner !== subject.user_id && isKilledBy({ ...subject, user_id: owner }, kill);
  }

  /** Throws what `stopOf` gives. */
  assertNotStopped(subject: Subject): void {
    const stop = this.stopOf(subject);
    if (stop) throw stop;
  }

  private suspensionOf(agentId: string): Restriction | null {
    const own = this.restrictions.get(agentId);
    if (!own) return null;
    const now = this.deps.now();
    for (const one of own.values()) if (one.kind === "suspended" && isInForce(one, now)) return one;
    return null;
  }

  private make(key: string, agentId: string | null, { baseline, now, rule }: Making): Made {
    const profile = agentId === null ? null : this.profileOf(agentId);
    if (agentId !== null && profile === null && this.deps.ungoverned === "deny") throw notApproved();
    const restrictions = agentId === null ? [] : this.restrictionsOf(agentId);
    const { mode } = baseline.source;
    const watched = agentId !== null && profile === null && this.deps.ungoverned === "monitor" && mode === "enforce";
    const effective = effectiveOf({
      baseline: watched ? { ...baseline.source, mode: "monitor" } : baseline.source,
      profile,
      floor: this.deps.floor,
      restrictions,
      now,
    });
    const tuning = this.deps.tuningRules.of(key, rule);
    const { source, added } = tunedBy(effective.policy, tuning.enforced);
    const isPlain = source === baseline.source && added.length === 0;
    const policy = isPlain ? baseline : variantOf(baseline, source, keyOf(key, profile, restrictions, now), added);
    const until = Math.min(tuning.until, this.untilOf(agentId, profile, now));
    return { effective, policy, exceptionMatcher: tuning.exceptionMatcher, baseline, until };
  }

  /** When a restriction ends, or a family's monitoring does, with nobody changing anything. */
  private untilOf(agentId: string | null, profile: ProfileRow | null, now: number): number {
    const own = agentId === null ? [] : [...(this.restrictions.get(agentId)?.values() ?? [])];
    const watched = Object.values(profile?.body.detectors ?? {}).map(({ monitor_until }) =>
      Date.parse(monitor_until ?? ""),
    );
    const moments = [...own.map(({ expires_at }) => expires_at ?? Number.NaN), ...watched];
    return Math.min(Number.POSITIVE_INFINITY, ...moments.filter((moment) => moment > now));
  }
}

const isOver = ({ lifted_at, expires_at }: Restriction, now: number): boolean =>
  lifted_at !== null || (expires_at !== null && expires_at <= now);

/** Two policies of one key say the same: verdicts are remembered by it. */
const keyOf = (
  subject: string,
  profile: ProfileRow | null,
  restrictions: readonly Restriction[],
  now: number,
): string => [subject, profile?.version ?? 0, now, ...restrictions.map(({ id }) => id)].join(":");

export const isKilledBy = (subject: Subject, { level, target }: KillSwitch): boolean => {
  if (level === "all") return true;
  if (target === null) return false;
  if (level === "agent") return subject.agent_id === target;
  if (level === "owner") return subject.user_id === target;
  if (level === "tool_server") return subject.server_id === target;
  return subject.model !== null && matchesGlob(target, subject.model);
};

const WHAT: Readonly<Record<KillSwitch["level"], string>> = {
  agent: "this agent",
  owner: "this user's tokens and agents",
  tool_server: "this tool server",
  model: "this model",
  all: "everything",
};

const killed = ({ level, id, reason }: KillSwitch): GuardError => {
  const stopped = `An administrator has stopped ${WHAT[level]} (kill switch ${id}). Do not retry.`;
  return new GuardError("killed", `${stopped} Reason: ${shortReason(reason)}`, {
    extra: { guard: { layer: `kill switch ${id}`, rule: level } },
  });
};

const suspended = (layer: string, rule: string): GuardError =>
  new GuardError("agent_suspended", "This agent is suspended. Its owner or an admin can resume it.", {
    extra: { guard: { layer, rule } },
  });

const notApproved = (): GuardError =>
  new GuardError(
    "insufficient_scope",
    "This hub serves agents only under an approved profile, and this agent has none: submit it for Agent Review.",
    { extra: { guard: { layer: "hub", rule: "guard.ungoverned" } } },
  );
