import { type Static, Type } from "#core/schema";
import {
  BaselineState,
  Burst,
  BurstState,
  SlidingSum,
  SumState,
  UsageBaseline,
} from "#features/restrictions/trigger-windows";
import type { AuditFlag, AuditRecord, CallFacts } from "#model/audit";
import { isToolGatewayCall } from "#model/call-entry";
import { ACT_KINDS, actType } from "#policy/profile/local-acts";
import type { RestrictionScope, Trigger } from "#policy/restrictions/restriction";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** One severity point in a thousand calls is the budget; burning it this many times as fast is an alarm. */
const BUDGET = 1 / 1_000;
const BURN = 14.4;
/** One odd call among few is no trend. */
const MIN_CALLS = 20;
const MIN_POINTS = 3;
/** How many times the usual pace is a runaway. */
const RUNAWAY = 3;

export const TRIGGER_RULES = ["secret_egress", "tool_probe", "runaway", "severity_burn", "novel_model"] as const;
export type TriggerRule = (typeof TRIGGER_RULES)[number];

/** A rule's condition is met. What it restricts is null where only the profile can say. */
export type Alarm = Trigger & {
  readonly rule: TriggerRule;
  readonly narrowed: RestrictionScope | null;
  readonly lasts: number;
};

/** What counts of finished calls of one agent. */
export type Note = {
  /** Names them as evidence. */
  readonly id: string;
  readonly call_id: string;
  readonly calls: number;
  readonly tokens: number;
  /** Secrets that got into its output, each under a key of its own. */
  readonly leaks: readonly string[];
  readonly isProbe: boolean;
  readonly isOffProfile: boolean;
  /** Whether its output had to be blocked or cleaned. */
  readonly isPoint: boolean;
};

export const noteOf = ({ kind, call_id }: AuditRecord, facts: CallFacts): Note => {
  const leaks = facts.flags.filter(isLeak);
  return {
    id: facts.event_id ?? call_id,
    call_id,
    calls: 1,
    tokens: facts.usage?.total_tokens ?? 0,
    leaks: leaks.map(({ param, start }) => `${call_id} ${param} ${start}`),
    isProbe: isToolGatewayCall(kind) && isProbe(facts),
    isOffProfile: isOffProfile(facts),
    isPoint: leaks.length > 0 || facts.flags.some(isBad),
  };
};

/** Whether nothing counts of it but that there was a call. */
export const isPlain = ({ leaks, isProbe, isOffProfile, isPoint }: Note): boolean =>
  leaks.length === 0 && !isProbe && !isOffProfile && !isPoint;

const Sums = Type.Object({ calls: SumState, points: SumState });
export const TriggerState = Type.Object({
  secrets: BurstState,
  probes: BurstState,
  models: BurstState,
  calls: BaselineState,
  tokens: BaselineState,
  hour: Sums,
  minutes: Sums,
});
export type TriggerState = Static<typeof TriggerState>;

/** What is counted of one agent. A few kilobytes, whatever it does. */
export class AgentTriggers {
  private readonly secrets = new Burst(3, 10 * MINUTE_MS);
  private readonly probes = new Burst(10, 10 * MINUTE_MS);
  private readonly models = new Burst(5, 10 * MINUTE_MS);
  private readonly calls = new UsageBaseline();
  private readonly tokens = new UsageBaseline();
  private readonly hour = { calls: new SlidingSum(MINUTE_MS, 60), points: new SlidingSum(MINUTE_MS, 60) };
  private readonly minutes = { calls: new SlidingSum(10_000, 30), points: new SlidingSum(10_000, 30) };

  static of(state: TriggerState): AgentTriggers {
    const triggers = new AgentTriggers();
    for (const name of ["secrets", "probes", "models"] as const) triggers[name].resume(state[name]);
    for (const name of ["calls", "tokens"] as const) triggers[name].resume(state[name]);
    for (const name of ["hour", "minutes"] as const) {
      triggers[name].calls.resume(state[name].calls);
      triggers[name].points.resume(state[name].points);
    }
    return triggers;
  }

  /** To go on from in another process. */
  get state(): TriggerState {
    const { secrets, probes, models, calls, tokens, hour, minutes } = this;
    return {
      secrets: secrets.state,
      probes: probes.state,
      models: models.state,
      calls: calls.state,
      tokens: tokens.state,
      hour: { calls: hour.calls.state, points: hour.points.state },
      minutes: { calls: minutes.calls.state, points: minutes.points.state },
    };
  }

  /** Takes in finished calls; the alarms they set off. What set one off counts for no further one. */
  note(note: Note, now: number): readonly Alarm[] {
    const { id, call_id, leaks } = note;
    const alarms: (Alarm | null)[] = [this.runaway(note, now)];
    if (leaks.length > 0) alarms.push(this.egress(leaks, id, now));
    if (note.isProbe) alarms.push(this.probe(call_id, id, now));
    if (note.isOffProfile) alarms.push(this.model(call_id, id, now));
    alarms.push(this.burn(note, now));
    return alarms.filter((alarm) => alarm !== null);
  }

  private egress(leaks: readonly string[], id: string, now: number): Alarm | null {
    let isFull = false;
    for (const key of leaks) if (this.secrets.note({ at: now, key, id })) isFull = true;
    if (!isFull) return null;
    const evidence = this.secrets.evidence;
    this.secrets.clear();
    const narrowed = { kind: "output_redaction", params: {} } as const;
    return alarm("secret_egress", narrowed, 24, { evidence, metrics: { secrets_in_10_min: 3 } });
  }

  private probe(call_id: string, id: string, now: number): Alarm | null {
    if (!this.probes.note({ at: now, key: call_id, id })) return null;
    const evidence = this.probes.evidence;
    this.probes.clear();
    const narrowed = { kind: "tool_restricted", params: { read_only: true } } as const;
    return alarm("tool_probe", narrowed, 4, { evidence, metrics: { calls_in_10_min: 10 } });
  }

  private model(call_id: string, id: string, now: number): Alarm | null {
    if (!this.models.note({ at: now, key: call_id, id })) return null;
    const evidence = this.models.evidence;
    this.models.clear();
    return alarm("novel_model", null, 1, { evidence, metrics: { calls_in_10_min: 5 } });
  }

  private runaway(note: Note, now: number): Alarm | null {
    this.calls.add(now, note.calls);
    this.tokens.add(now, note.tokens);
    const calls = { now: this.calls.current(now), usual: this.calls.usual };
    const tokens = { now: this.tokens.current(now), usual: this.tokens.usual };
    if (calls.now < MIN_CALLS || calls.usual === null) return null;
    const isFast = calls.now > RUNAWAY * calls.usual;
    const isDear = tokens.usual !== null && tokens.now > RUNAWAY * tokens.usual;
    if (!isFast && !isDear) return null;
    this.calls.discard();
    this.tokens.discard();
    const params = {
      requests_per_minute: aMinute(calls.usual, 10),
      ...(tokens.usual !== null && { tokens_per_minute: aMinute(tokens.usual, 10) }),
    };
    const metrics = {
      calls_in_10_min: calls.now,
      usual_calls: calls.usual,
      tokens_in_10_min: tokens.now,
      ...(tokens.usual !== null && { usual_tokens: tokens.usual }),
    };
    return alarm("runaway", { kind: "rate_limited", params }, 1, { evidence: [note.id], metrics });
  }

  /** Over an hour, and in the last five minutes too: a spike that is over restricts nobody. */
  private burn({ id, calls: more, isPoint }: Note, now: number): Alarm | null {
    const { hour, minutes } = this;
    for (const { calls, points } of [hour, minutes]) {
      calls.add(now, more);
      if (isPoint) points.add(now, 1);
    }
    if (!isPoint) return null;
    const calls = hour.calls.total(now);
    const points = minutes.points.total(now);
    if (calls < MIN_CALLS || points < MIN_POINTS) return null;
    const metrics = {
      burn_1_h: hour.points.total(now) / calls / BUDGET,
      burn_5_min: points / minutes.calls.total(now) / BUDGET,
    };
    if (Math.min(metrics.burn_1_h, metrics.burn_5_min) < BURN) return null;
    hour.points.clear();
    minutes.points.clear();
    const narrowed = { kind: "rate_limited", params: { requests_per_minute: aMinute(calls / 2, 60) } } as const;
    return alarm("severity_burn", narrowed, 4, { evidence: [id], metrics });
  }
}

const alarm = (
  rule: TriggerRule,
  narrowed: RestrictionScope | null,
  hours: number,
  { evidence, metrics }: { evidence: readonly string[]; metrics: Trigger["metrics"] },
): Alarm => ({ rule, narrowed, lasts: hours * HOUR_MS, evidence_event_ids: evidence.slice(-10), metrics });

/** Per minute, of what was counted in so many. */
const aMinute = (amount: number, minutes: number): number => Math.max(1, Math.ceil(amount / minutes));

/** Said by the agent's model, or sent off to a tool by it: what callers and tools say is not the agent's doing. */
const isOwn = ({ origin, param }: AuditFlag): boolean =>
  origin === "output" || (origin === "tool_args" && !HISTORY.test(param));

/** Where requests of model APIs hold earlier turns. */
const HISTORY = /^(?:messages|input)\[/;

/** What is only noted may well be none. */
const isActedOn = ({ action, would = action }: AuditFlag): boolean => would === "redact" || would === "block";

const isLeak = (flag: AuditFlag): boolean => flag.type.startsWith("secret.") && isOwn(flag) && isActedOn(flag);

/** What the profile wants a person to look at, or does not allow, is no fault in what was said. */
const GOVERNED = new Set<string>([
  "human_approval",
  "policy.human_approval",
  "tool.not_allowed",
  ...ACT_KINDS.map(actType),
]);

/** A held call's flag names its cause as its rule. */
const isHeld = ({ type, rule }: AuditFlag): boolean => rule === type;

const isBad = (flag: AuditFlag): boolean =>
  isOwn(flag) && (flag.would ?? flag.action) === "block" && !GOVERNED.has(flag.type) && !isHeld(flag);

/** A model its profile does not allow; what people have restricted is not the agent's doing. */
const isOffProfile = ({ code, denied_by }: CallFacts): boolean =>
  code === "model_not_allowed" && denied_by?.layer.startsWith("profile") === true;

/** A tool that was never given to it. A server that is off, or a definition that changed, is not the agent's doing. */
const isProbe = ({ tool }: CallFacts): boolean =>
  tool?.denied_by === "unknown" || tool?.denied_by === "agent" || tool?.denied_by === "profile";
