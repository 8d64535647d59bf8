import { GuardError } from "#core/errors";
import type { ReviewerAccuracy } from "#features/report-review/reviewer-accuracy";
import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { ReviewerState } from "./schema";

type ReviewerServiceNeeds = {
  /** Null where no reviewer is configured. */
  readonly reviewer: {
    readonly model: string;
    readonly provider: string | null;
    readonly dailyBudget: number;
    readonly accuracy: ReviewerAccuracy;
  } | null;
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** The reviewing model as people look after it. */
export class ReviewerService {
  constructor(private readonly deps: ReviewerServiceNeeds) {}

  async state(): Promise<ReviewerState> {
    const { reviewer } = this.deps;
    if (!reviewer) return NONE;
    const { model, provider, dailyBudget, accuracy } = reviewer;
    return { model, provider, daily_budget: dailyBudget, ...(await accuracy.state()) };
  }

  /** Lets it review again after a wrong answer. Throws `state_conflict` when it is not paused. */
  async resume(by: Actor, reason: string): Promise<ReviewerState> {
    const { reviewer, writeRecord, now, ids } = this.deps;
    if (!reviewer || !(await reviewer.accuracy.isPaused())) {
      throw new GuardError("state_conflict", "The reviewer is not paused.");
    }
    const change = { kind: "reviewer.resume", by, subject: "reviewer", subject_id: reviewer.model, detail: { reason } };
    await writeRecord(changeRecord(change, { id: ids(), at: now() }));
    await reviewer.accuracy.resume();
    return this.state();
  }
}

const NONE: ReviewerState = {
  model: null,
  provider: null,
  is_paused: false,
  reviews: 0,
  canaries: 0,
  readings_today: 0,
  daily_budget: 0,
};
