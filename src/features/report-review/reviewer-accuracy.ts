import { CANARY_EVERY } from "#features/report-review/reviewer/canary";
import { hourOf } from "#model/usage";
import type { Clock } from "#platform/clock";
import type { Counts, UsageStore } from "#store/governance-port";

const DAY_MS = 86_400_000;
/** What the readings of all models are counted under; those of one model under that and its name. */
const SUBJECT = "reviewer";

type ReviewerAccuracyNeeds = {
  readonly usage: Pick<UsageStore, "add" | "read">;
  /** Another model has a record of its own: what one got wrong is not held against the next. */
  readonly model: string;
  /** Readings a day, UTC. */
  readonly dailyBudget: number;
  readonly now: Clock;
};

/** How a reviewer has done so far, in counters that every process shares and no restart loses. */
export class ReviewerAccuracy {
  constructor(private readonly deps: ReviewerAccuracyNeeds) {}

  /** Whether it got a known case wrong, and nobody has let it go on since. */
  async isPaused(): Promise<boolean> {
    return (await this.wrongs()) > 0;
  }

  async state() {
    const { reviews, canaries } = totals(await this.hours());
    return { reviews, canaries, is_paused: await this.isPaused(), readings_today: await this.readingsToday() };
  }

  /** Counts a review; says how many known cases there have been when one is due, else null. */
  async begin(): Promise<number | null> {
    await this.count({ reviews: 1 });
    const { reviews, canaries } = totals(await this.hours());
    return Math.floor(reviews / CANARY_EVERY) > canaries ? canaries : null;
  }

  /** A known case was answered. */
  canary(isWrong: boolean): Promise<void> {
    return this.count({ canaries: 1, ...(isWrong && { wrong: 1 }) });
  }

  /** A person lets it go on. False when it was not paused. */
  async resume(): Promise<boolean> {
    const wrong = await this.wrongs();
    if (wrong > 0) await this.count({ resumed: wrong });
    return wrong > 0;
  }

  /** Takes readings out of the day's budget; false when it does not hold so many. Nearly exact over several processes. */
  async spend(readings: number): Promise<boolean> {
    const { usage, dailyBudget, now } = this.deps;
    if ((await this.readingsToday()) + readings > dailyBudget) return false;
    await usage.add([{ subject_id: SUBJECT, hour: hourOf(now()), counts: { readings } }]);
    return true;
  }

  private async readingsToday(): Promise<number> {
    const { usage, now } = this.deps;
    const midnight = now() - (now() % DAY_MS);
    const today = await usage.read(SUBJECT, midnight, midnight + DAY_MS);
    return today.reduce((sum, { counts }) => sum + of(counts, "readings"), 0);
  }

  /** Wrong answers that nobody has cleared. Hours that were dropped leave nothing behind: it never falls below none. */
  private async wrongs(): Promise<number> {
    const hours = await this.hours();
    return hours.reduce((open, { counts }) => Math.max(0, open + of(counts, "wrong") - of(counts, "resumed")), 0);
  }

  private count(counts: Counts): Promise<void> {
    const { usage, now } = this.deps;
    return usage.add([{ subject_id: this.subject, hour: hourOf(now()), counts }]);
  }

  private hours() {
    return this.deps.usage.read(this.subject, 0, this.deps.now() + 1);
  }

  private get subject(): string {
    return `${SUBJECT} ${this.deps.model}`;
  }
}

type Hours = Awaited<ReturnType<UsageStore["read"]>>;

const totals = (hours: Hours): { readonly reviews: number; readonly canaries: number } => ({
  reviews: hours.reduce((sum, { counts }) => sum + of(counts, "reviews"), 0),
  canaries: hours.reduce((sum, { counts }) => sum + of(counts, "canaries"), 0),
});

const of = (counts: Counts, name: string): number => counts[name] ?? 0;
