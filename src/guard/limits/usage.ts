import type { AuditRecord } from "#model/audit";
import { countCall, finishedCall, hourOf, NAMED, type NamedCounter } from "#model/usage";
import type { Clock } from "#platform/clock";
import type { UsageStore } from "#store/governance-port";

/** Names from outside that are told apart in one hour of one subject. */
const MAX_NAMES = 200;
const MAX_NAME_LENGTH = 100;
const DAY_MS = 86_400_000;
/** Subjects whose counters are read or written in one go: some milliseconds. */
const AT_ONCE = 25;
/** Subjects looked at in one go, where few of them have anything new: under a millisecond. */
const SEEN_AT_ONCE = 2_000;

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export type SpentEarlier = { readonly requests: number; readonly tokens: number };
type Row = Parameters<UsageStore["add"]>[0][number];

/**
 * One agent, or one user's calls without an agent, in the hour of its last call: what is not stored yet, and
 * which names have a counter of their own.
 */
class Meter {
  counts = new Map<string, number>();
  readonly names = new Set<string>();

  constructor(readonly hour: number) {}

  add(counter: string, by: number): void {
    this.counts.set(counter, (this.counts.get(counter) ?? 0) + by);
  }

  name(of: NamedCounter, name: string): void {
    const counter = `${of}.${name}`;
    this.add(this.isTold(counter) ? counter : `${of}.other`, 1);
  }

  private isTold(counter: string): boolean {
    if (this.names.has(counter)) return true;
    if (this.names.size >= MAX_NAMES || counter.length > MAX_NAME_LENGTH) return false;
    this.names.add(counter);
    return true;
  }
}

type UsageRecorderNeeds = { readonly usage: Pick<UsageStore, "add" | "ofDay" | "ofHour">; readonly now: Clock };

/**
 * Counts finished calls in memory; `flush` adds them to the store's hours. What a crash takes is counted again from
 * the audit log (`usage-recovery.ts`).
 */
export class UsageRecorder {
  private readonly meters = new Map<string, Meter>();
  /** Of one day, counted by processes before this one. */
  private readonly earlier = new Map<string, { day: number; requests: number; tokens: number }>();
  /** Counted in an hour that is over, or given back by a store that could not take it. */
  private due: Row[] = [];
  private flushing: Promise<void> = Promise.resolve();

  constructor(private readonly deps: UsageRecorderNeeds) {}

  /** Takes in what was counted before this process, so that today's budgets go on. To be called before calls come. */
  async load(now: number): Promise<void> {
    const day = dayOf(now);
    for (const { subject_id, requests, tokens } of await this.deps.usage.ofDay(day)) {
      this.earlier.set(subject_id, { day, requests, tokens });
    }
  }

  /** Which names have counters of their own this hour: a few subjects at a time, beside the calls. */
  async loadNames(now: number): Promise<void> {
    const hour = hourOf(now);
    for (let after: string | null = null; ; ) {
      const rows: Awaited<ReturnType<UsageStore["ofHour"]>> = await this.deps.usage.ofHour(hour, after, AT_ONCE);
      if (hourOf(this.deps.now()) > hour) return;
      for (const { subject_id, counts } of rows) {
        const { names } = this.meterOf(subject_id, hour);
        for (const counter of Object.keys(counts)) if (NAMED_PREFIX.test(counter)) names.add(counter);
      }
      after = rows.at(-1)?.subject_id ?? null;
      if (rows.length < AT_ONCE) return;
      await breathe();
    }
  }

  /** Takes in what a crash took from the counters, once it was found in the audit log. */
  regain(hours: readonly Row[], now: number): void {
    const day = dayOf(now);
    for (const { subject_id, hour, counts } of hours) {
      if (hour < day) continue;
      const count = (name: string) => counts[name] ?? 0;
      const known = this.earlier.get(subject_id);
      const { requests, tokens } = known?.day === day ? known : NOTHING;
      const calls = count("calls") + count("tool_calls");
      this.earlier.set(subject_id, { day, requests: requests + calls, tokens: tokens + count("tokens") });
    }
  }

  /** Counts a call by its final record; every other record is none of its business. Never throws, never waits. */
  note(record: AuditRecord): void {
    const call = finishedCall(record);
    if (call) countCall(call, this.meterOf(call.subject, hourOf(Date.parse(record.at))));
  }

  /** Since midnight, UTC, by processes before this one. */
  spentEarlier(subjectId: string): SpentEarlier {
    const spent = this.earlier.get(subjectId);
    return spent?.day === dayOf(this.deps.now()) ? spent : NOTHING;
  }

  /** Adds what was counted to the store. When the store cannot take it, it is kept and the promise rejects. */
  flush(): Promise<void> {
    // One after the other, whatever became of the one before.
    this.flushing = this.flushing.catch(() => undefined).then(() => this.store());
    return this.flushing;
  }

  private async store(): Promise<void> {
    const now = this.deps.now();
    let counted = 0;
    // A few at a time: between two commits calls go on.
    for (const [subject, meter] of [...this.meters]) {
      // One that was replaced meanwhile has given its counts to those that are due.
      if (this.meters.get(subject) !== meter) continue;
      this.flushOne(subject, meter);
      if (meter.hour < hourOf(now)) this.meters.delete(subject);
      counted += 1;
      if (this.due.length >= AT_ONCE) await this.storeDue();
      else if (counted % SEEN_AT_ONCE === 0) await breathe();
    }
    for (const [subject, { day }] of this.earlier) if (day < dayOf(now)) this.earlier.delete(subject);
    await this.storeDue();
  }

  private async storeDue(): Promise<void> {
    while (this.due.length > 0) {
      const rows = this.due.splice(0, AT_ONCE);
      try {
        await this.deps.usage.add(rows);
      } catch (error) {
        this.due.unshift(...rows);
        throw error;
      }
      if (rows.length === AT_ONCE) await breathe();
    }
  }

  private flushOne(subject_id: string, meter: Meter): void {
    if (meter.counts.size === 0) return;
    this.due.push({ subject_id, hour: meter.hour, counts: Object.fromEntries(meter.counts) });
    meter.counts = new Map();
  }

  private meterOf(subject: string, hour: number): Meter {
    const meter = this.meters.get(subject);
    if (meter?.hour === hour) return meter;
    if (meter) this.flushOne(subject, meter);
    const next = new Meter(hour);
    this.meters.set(subject, next);
    return next;
  }
}

const NOTHING: SpentEarlier = { requests: 0, tokens: 0 };
const NAMED_PREFIX = new RegExp(`^(?:${NAMED.join("|")})\\.`);

const dayOf = (at: number): number => at - (at % DAY_MS);
