import { recordIn } from "#audit/audit-rows";
import { slices } from "#platform/slices";
import { type CallChange, callChange, isReleased, type Policies } from "#policy/baseline/impact";
import type { Action, Origin } from "#scan/detector";
import type { ReportStore } from "#store/loop-port";
import type { AuditLog } from "#store/port";

export const WINDOW_DAYS = 14;
const DAY_MS = 86_400_000;
/** Lines of the log that are looked at. Beyond, `complete` is false. */
const MAX_LINES = 500_000;
const MAX_EXAMPLES = 20;
/** A call that nothing was found in is no concern of any threshold: its line is left unparsed. */
const HAS_FLAGS = '"flags":[{';

type BaselineReplayNeeds = {
  readonly audit: Pick<AuditLog, "read">;
  readonly reports: Pick<ReportStore, "list">;
};

export type Replayed = {
  readonly window_days: number;
  /** Calls under the baseline in which something was found. */
  readonly decisions: number;
  readonly would_change: number;
  readonly moves: readonly { readonly before: Action; readonly after: Action; readonly calls: number }[];
  readonly by_type: readonly { readonly type: string; readonly origin: Origin; readonly calls: number }[];
  /** Of what people have confirmed to be caught rightly. */
  readonly would_release_confirmed: number;
  /** The newest first. */
  readonly examples: readonly CallChange[];
  readonly complete: boolean;
};

/**
 * What a policy would have made of the calls of the last 14 days. Scores and places are on record, texts are not needed;
 * what scored below every threshold of its time is not on record and cannot be told.
 */
export class BaselineReplay {
  constructor(private readonly deps: BaselineReplayNeeds) {}

  async of(policies: Policies, now: number): Promise<Replayed> {
    const confirmed = await this.confirmed();
    const tally = new Tally();
    let lines = 0;
    const pause = slices.begin();
    for await (const { body } of this.deps.audit.read({ since: now - WINDOW_DAYS * DAY_MS })) {
      lines += 1;
      const wait = pause();
      if (wait) await wait;
      if (lines > MAX_LINES) break;
      if (!body.includes(HAS_FLAGS)) continue;
      const record = recordIn(body);
      if (record?.phase !== "final") continue;
      const change = callChange(record, policies);
      if (change !== undefined) tally.add(change, confirmed);
    }
    return tally.told(lines <= MAX_LINES);
  }

  private async confirmed(): Promise<ReadonlySet<string>> {
    const reports = await this.deps.reports.list({});
    const right = reports.filter(({ decision, llm_verdict }) => (decision ?? llm_verdict) === "true_positive");
    return new Set(right.flatMap(({ event_id }) => event_id ?? []));
  }
}

class Tally {
  private decisions = 0;
  private changed = 0;
  private released = 0;
  private readonly moves = new Map<string, { before: Action; after: Action; calls: number }>();
  private readonly types = new Map<string, { type: string; origin: Origin; calls: number }>();
  private readonly examples: CallChange[] = [];

  add(change: CallChange | null, confirmed: ReadonlySet<string>): void {
    this.decisions += 1;
    if (change === null) return;
    this.changed += 1;
    const { before, after, type, origin, event_id } = change;
    count(this.moves, `${before} ${after}`, { before, after });
    count(this.types, `${type} ${origin}`, { type, origin });
    if (event_id !== null && confirmed.has(event_id) && isReleased(change)) this.released += 1;
    this.examples.push(change);
    if (this.examples.length > MAX_EXAMPLES) this.examples.shift();
  }

  told(complete: boolean): Replayed {
    return {
      window_days: WINDOW_DAYS,
      decisions: this.decisions,
      would_change: this.changed,
      moves: mostFirst(this.moves),
      by_type: mostFirst(this.types),
      would_release_confirmed: this.released,
      examples: this.examples.toReversed(),
      complete,
    };
  }
}

const count = <T extends object>(counts: Map<string, T & { calls: number }>, key: string, what: T): void => {
  counts.set(key, { ...what, calls: (counts.get(key)?.calls ?? 0) + 1 });
};

const mostFirst = <T extends { readonly calls: number }>(counts: ReadonlyMap<string, T>): T[] =>
  [...counts.values()].sort((one, other) => other.calls - one.calls);
