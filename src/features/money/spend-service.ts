import type { Agent } from "#model/agent";
import { type Budget, windowEnd, windowStart } from "#model/budget";
import { usdOf } from "#model/money";
import { callScopeOf, maySee } from "#model/ownership";
import type { User } from "#model/person";
import { type DaySpend, expectedAt, rateOf, type SpendRate } from "#model/spend-forecast";
import { type Clock, timestamp } from "#platform/clock";
import type { CallIndex, CallScope } from "#store/call-index-port";
import type { SpendView } from "./schema";

type SpendServiceNeeds = {
  readonly calls: Pick<CallIndex, "traffic">;
  readonly agents: () => readonly Agent[];
  readonly now: Clock;
};

const DAY_MS = 86_400_000;
/** How far back it is looked when calls began: further than the days that are averaged. */
const LOOK_BACK_MS = 35 * DAY_MS;

/** What is spent, and what will be at the end of a month or of a budget's window. */
export class SpendService {
  constructor(private readonly deps: SpendServiceNeeds) {}

  /** This month's, of the calls that somebody may see. */
  async monthOf(user: User): Promise<SpendView> {
    const now = this.deps.now();
    const start = windowStart("month", now);
    const end = windowEnd("month", start);
    const agents = this.deps.agents().filter((agent) => maySee(user, agent));
    const { days, unpriced } = await this.spends(callScopeOf(user, agents), start, now);
    const spent = days.reduce((sum, { day, nano }) => (day >= start ? sum + nano : sum), 0);
    const rate = rateOf(days, now);
    return {
      object: "spend",
      month_start: timestamp(start),
      month_end: timestamp(end),
      spent_usd: usdOf(spent),
      unpriced_calls: unpriced,
      forecast: rate && {
        expected_usd: usdOf(expectedAt(end, { spent, now }, rate)),
        per_day_usd: usdOf(Math.round(rate.nanoPerDay)),
        days: rate.days,
      },
    };
  }

  /** What will be spent of a budget when its window ends, in nano-dollars; null where nobody can tell. */
  async expectedOf(budget: Budget, spent: number, end: number): Promise<number | null> {
    const now = this.deps.now();
    const rate = await this.rateOf(budget, now);
    return rate && expectedAt(end, { spent, now }, rate);
  }

  /** What agents and the hub spend is counted by day; of a user's calls only those without an agent. */
  private async rateOf({ scope, subject_id }: Budget, now: number): Promise<SpendRate | null> {
    if (scope === "user") return null;
    const whose = scope === "hub" ? null : { user_id: "", agent_ids: [subject_id] };
    return rateOf((await this.spends(whose, now, now)).days, now);
  }

  /** By day, as far back as `since` and further where rates need it; unpriced calls since then. */
  private async spends(
    scope: CallScope,
    since: number,
    now: number,
  ): Promise<{ readonly days: readonly DaySpend[]; readonly unpriced: number }> {
    const from = Math.min(since, now - LOOK_BACK_MS);
    const asked = { span: DAY_MS, since: from - (from % DAY_MS), until: now + 1, scope, detail: "sums" } as const;
    const { buckets } = await this.deps.calls.traffic(asked);
    const unpriced = buckets.filter(({ at }) => at >= since).map(({ counts }) => counts.get("unpriced") ?? 0);
    return {
      days: buckets.map(({ at, counts }) => ({ day: at, nano: counts.get("cost") ?? 0 })),
      unpriced: unpriced.reduce((sum, count) => sum + count, 0),
    };
  }
}
