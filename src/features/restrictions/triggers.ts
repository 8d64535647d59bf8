import { type Due, type Heed, SharedTriggers } from "#features/restrictions/shared-triggers";
import { AgentTriggers, type Alarm, noteOf } from "#features/restrictions/trigger-rules";
import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import type { AuditRecord } from "#model/audit";
import { isToolGatewayCall } from "#model/call-entry";
import { type Actor, changeRecord } from "#model/change";
import { isModelCall } from "#model/model-api";
import { isVerdict } from "#model/verdict";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import { RecentlyUsed } from "#platform/recently-used";
import type { Restriction, RestrictionScope } from "#policy/restrictions/restriction";
import { objection } from "#policy/restrictions/restriction-rules";
import type { Tier } from "#policy/review/review";
import type { RestrictionStore } from "#store/governance-port";
import type { SharedStore } from "#store/shared-port";

/** Agents that are watched, half of them at least; of more the ones that were silent longest are forgotten. */
const MAX_AGENTS = 4_000;
/** How long an alarm that was taken up is not taken up again, in milliseconds. */
const QUIET_MS = 60_000;
const SYSTEM: Actor = { via: "system", user_id: null, agent_id: null, token_id: null };

export type TriggersOptions = {
  /** Tiers of agents that may be suspended without a person: an administrator has opted in. */
  readonly suspendable: readonly Tier[];
};

type TriggersNeeds = TriggersOptions & {
  readonly policyResolver: Pick<PolicyResolver, "restrictionsOf" | "profileOf">;
  readonly restrictions: Pick<RestrictionStore, "set">;
  /** Null in a process that serves alone, which counts in memory. */
  readonly shared: Pick<SharedStore, "changeTriggers"> | null;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** Watches finished calls and restricts an agent that does what it should not, for a while. People lift it, or extend it. */
export class Triggers {
  private readonly watches = new RecentlyUsed<AgentTriggers>(MAX_AGENTS);
  private readonly due = new Map<string, Due>();
  private readonly quiet = new Map<string, number>();
  private isBusy = false;
  private readonly shared: SharedTriggers | null;

  constructor(private readonly deps: TriggersNeeds) {
    const { shared } = deps;
    this.shared = shared && new SharedTriggers({ shared, quietMs: QUIET_MS, clock: () => performance.now() });
  }

  /** Takes in the final record of a call. In memory only, for it stands in every call's way. */
  note(record: AuditRecord): void {
    const { agent_id } = record.actor;
    const { kind } = record;
    const isCounted = isToolGatewayCall(kind) || isModelCall(kind) || isVerdict(kind);
    if (agent_id === null || !record.call || !isCounted) return;
    const note = noteOf(record, record.call);
    if (this.shared) {
      this.shared.note(agent_id, note);
      return;
    }
    for (const alarm of this.watchOf(agent_id).note(note, this.deps.now())) this.take({ agent_id, alarm });
  }

  /** Restricts what is due. To be called several times a second, beside the calls. */
  async runOnce(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      await this.shared?.count(this.heed);
    } finally {
      // What is due is not held up by what cannot be counted.
      await this.restrict().finally(() => {
        this.isBusy = false;
      });
    }
  }

  /** Counts what is not counted for all processes yet: this one ends. */
  async settle(): Promise<void> {
    if (this.shared === null) return;
    await this.shared.flush(this.heed);
    await this.restrict();
  }

  private readonly heed: Heed = {
    restricts: (due) => this.restrictionOf(due, this.deps.now()) !== null,
    take: (due) => this.take(due),
  };

  private take(due: Due): void {
    this.due.set(`${due.agent_id} ${due.alarm.rule}`, due);
  }

  private async restrict(): Promise<void> {
    if (this.due.size === 0) return;
    const all = [...this.due];
    this.due.clear();
    const isSet: boolean[] = [];
    for (const [key, due] of all) isSet.push(await this.claim(key, due));
    if (isSet.includes(true)) await this.deps.onChanged();
  }

  private async claim(key: string, due: Due): Promise<boolean> {
    const now = this.deps.now();
    this.forgetQuiet(now);
    // What is counted for all processes is quiet for all of them.
    if (this.shared === null && this.quiet.has(key)) return false;
    const restriction = this.restrictionOf(due, now);
    if (restriction === null) return false;
    this.quiet.set(key, now + QUIET_MS);
    try {
      await this.deps.restrictions.set(restriction, this.record(restriction, now));
    } catch (error) {
      this.quiet.delete(key);
      this.due.set(key, due);
      this.deps.log.error("restriction.automatic_failed", { ...causeOf(error), agent_id: due.agent_id });
      return false;
    }
    const { id, agent_id, kind } = restriction;
    this.deps.log.warn("restriction.automatic", { id, agent_id, kind, rule: due.alarm.rule });
    return true;
  }

  /** Null while one of the same rule is in force, and for what restricts nothing. */
  private restrictionOf({ agent_id, alarm }: Due, now: number): Restriction | null {
    const { policyResolver, suspendable } = this.deps;
    const { rule, evidence_event_ids, metrics, lasts } = alarm;
    if (policyResolver.restrictionsOf(agent_id).some(({ trigger }) => trigger?.rule === rule)) return null;
    const profile = policyResolver.profileOf(agent_id);
    const maySuspend = profile !== null && suspendable.includes(profile.body.risk_tier);
    const narrowed = narrowedBy(alarm, maySuspend, profile?.body.models.allow ?? null);
    if (narrowed === null || objection({ by: "hub", maySuspend }, { do: "set", kind: narrowed.kind, lasts }))
      return null;
    return {
      ...narrowed,
      id: this.deps.ids(),
      agent_id,
      source: "automatic",
      set_by: null,
      trigger: { rule, evidence_event_ids, metrics },
      reason: REASONS[rule],
      starts_at: now,
      expires_at: now + lasts,
      lifted_at: null,
      lifted_by: null,
      lift_reason: null,
      receipts: [],
    };
  }

  private record(it: Restriction, at: number): string {
    const { id, agent_id, kind, params, source, trigger, expires_at } = it;
    const detail = { agent_id, kind, params, source, trigger, expires_at };
    const change = { kind: "restriction.set", by: SYSTEM, subject: "restriction", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at });
  }

  private watchOf(agentId: string): AgentTriggers {
    const known = this.watches.get(agentId);
    if (known) return known;
    const watch = new AgentTriggers();
    this.watches.set(agentId, watch);
    return watch;
  }

  private forgetQuiet(now: number): void {
    for (const [key, until] of this.quiet) if (until <= now) this.quiet.delete(key);
  }
}

const REASONS: Readonly<Record<Alarm["rule"], string>> = {
  secret_egress: "Three secrets were redacted in its output within ten minutes.",
  tool_probe: "It called ten tools it was not given within ten minutes.",
  runaway: "It makes more than three times the calls, or uses more than three times the tokens, that is usual for it.",
  severity_burn: "Too many of its answers had to be blocked or cleaned, over an hour and in the last five minutes.",
  novel_model: "It asked five times within ten minutes for models its profile does not allow.",
};

/** Suspending stands in for the strongest of the rules, where an administrator has said so. */
const narrowedBy = (
  { rule, narrowed }: Alarm,
  maySuspend: boolean,
  models: readonly string[] | null,
): RestrictionScope | null => {
  if (rule === "severity_burn" && maySuspend) return { kind: "suspended", params: {} };
  if (rule !== "novel_model") return narrowed;
  return models === null ? null : { kind: "model_restricted", params: { models_allow: [...models] } };
};
