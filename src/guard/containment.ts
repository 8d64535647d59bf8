import { isKilledBy } from "#guard/enforcement/policy-resolver";
import type { OpenCall } from "#guard/open-calls";
import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import { isInForce, type KillSwitch, POINTS, type Receipt, type Restriction } from "#policy/restrictions/restriction";
import type { KillSwitchStore, RestrictionStore } from "#store/governance-port";
import type { NodeStore } from "#store/node-port";
import type { FeedChanges } from "#store/port";

/** How long somebody who restricts waits for the receipts, in milliseconds. */
const PATIENCE_MS = 1_000;
/** How often it is looked whether every other process has taken it in too, in milliseconds. */
const LOOK_MS = 100;
/** After a write that failed, in milliseconds. */
const RETRY_MS = 1_000;
const SYSTEM: Actor = { via: "system", user_id: null, agent_id: null, token_id: null };

type ContainmentNeeds = {
  readonly openCalls: () => Iterable<OpenCall>;
  readonly restrictions: Pick<RestrictionStore, "confirm">;
  readonly killSwitches: Pick<KillSwitchStore, "confirm">;
  /** The processes that serve; absent for this one alone. */
  readonly nodes?: Pick<NodeStore, "self" | "contains">;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

type Awaited = {
  readonly id: string;
  readonly kind: "restriction" | "killswitch";
  /** Whom it restricts; null for a kill switch. */
  readonly agent_id: string | null;
  readonly isOver: (now: number) => boolean;
  /** Whether an open call is one that has to end before nothing is left of what was. */
  readonly concerns: (call: OpenCall) => boolean;
  /** Those that have their receipt. */
  points: ReadonlySet<Receipt["point"]>;
  triesAt: number;
  isWriting: boolean;
};

/**
 * Says of each restriction and kill switch where it holds: `calls` and `tools` once it is taken in, for every new call
 * asks what is in memory; `streams` once no call is left that began without it. Where several processes serve, a point
 * holds once it does in each that lives. Only looks, so no call waits for it.
 */
export class Containment {
  private readonly awaited = new Map<string, Awaited>();
  private readonly waiters = new Map<string, () => void>();

  constructor(private readonly deps: ContainmentNeeds) {}

  /** To be called when the policy resolver has applied the same. */
  apply({ restrictions, kill_switches }: Pick<FeedChanges, "restrictions" | "kill_switches">): void {
    for (const one of restrictions) this.note(one, "restriction", () => this.restrictionAwaited(one));
    for (const one of kill_switches) this.note(one, "killswitch", () => killAwaited(one));
    this.confirmDue();
  }

  /** To be called at each tick, after the calls themselves were looked at. */
  confirmDue(): void {
    if (this.awaited.size === 0) return;
    const now = this.deps.now();
    for (const one of this.awaited.values()) {
      if (one.isOver(now)) this.forget(one.id);
      else if (!one.isWriting && now >= one.triesAt) this.confirmIfDue(one, now);
    }
  }

  /** Resolves once every point has confirmed it, also one that is taken in later; or after a second. */
  contained(id: string): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.release(id), PATIENCE_MS);
      this.waiters.set(id, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private note(it: Restriction | KillSwitch, kind: Awaited["kind"], make: () => Pick<Awaited, "isOver" | "concerns">) {
    const known = this.awaited.get(it.id);
    const points = new Set(it.receipts.map(({ point }) => point));
    if (it.lifted_at !== null || points.size === POINTS.length) this.forget(it.id);
    else if (known) known.points = new Set([...known.points, ...points]);
    else {
      const agent_id = "agent_id" in it ? it.agent_id : null;
      this.awaited.set(it.id, { id: it.id, kind, agent_id, points, triesAt: 0, isWriting: false, ...make() });
    }
  }

  private restrictionAwaited(it: Restriction): Pick<Awaited, "isOver" | "concerns"> {
    const isOver = (now: number) => !isInForce(it, now);
    if (it.kind === "suspended") return { isOver, concerns: ({ subject }) => subject.agent_id === it.agent_id };
    // A call keeps the rules it began with: those under way are narrowed when they have ended.
    const before = new Set<OpenCall>();
    for (const call of this.deps.openCalls()) if (call.subject.agent_id === it.agent_id) before.add(call);
    return { isOver, concerns: (call) => before.has(call) };
  }

  private confirmIfDue(one: Awaited, now: number): void {
    const isLeft = some(this.deps.openCalls(), one.concerns);
    const held = POINTS.filter((point) => !one.points.has(point) && (point !== "streams" || !isLeft));
    if (held.length === 0) return;
    one.isWriting = true;
    this.confirm(one, held).catch((error: unknown) => {
      one.isWriting = false;
      one.triesAt = now + RETRY_MS;
      this.deps.log.error("containment.failed", { ...causeOf(error), id: one.id });
    });
  }

  private async confirm(one: Awaited, held: readonly Receipt["point"][]): Promise<void> {
    const { nodes, restrictions, killSwitches, ids, now } = this.deps;
    const everywhere = nodes?.self?.isAlone === false ? await nodes.contains(one.id, held) : { points: held };
    const receipts = everywhere.points.map((point) => ({ point, confirmed_at: now() }));
    if (receipts.length === 0) {
      one.isWriting = false;
      one.triesAt = now() + LOOK_MS;
      return;
    }
    const subject = one.kind === "restriction" ? "restriction" : "kill_switch";
    const { agent_id } = one;
    const detail = { ...(agent_id !== null && { agent_id }), ...everywhere };
    const change = { kind: `${one.kind}.confirm`, by: SYSTEM, subject, subject_id: one.id, detail };
    const record = changeRecord(change, { id: ids(), at: now() });
    await (one.kind === "restriction" ? restrictions : killSwitches).confirm(one.id, receipts, record);
    one.isWriting = false;
    one.points = new Set([...one.points, ...everywhere.points]);
    if (one.points.size === POINTS.length) this.forget(one.id);
  }

  private forget(id: string): void {
    this.awaited.delete(id);
    this.release(id);
  }

  private release(id: string): void {
    this.waiters.get(id)?.();
    this.waiters.delete(id);
  }
}

const killAwaited = (it: KillSwitch): Pick<Awaited, "isOver" | "concerns"> => ({
  isOver: () => false,
  concerns: ({ subject }) => isKilledBy(subject, it),
});

const some = <T>(all: Iterable<T>, is: (one: T) => boolean): boolean => {
  for (const one of all) if (is(one)) return true;
  return false;
};
