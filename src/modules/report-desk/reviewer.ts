import { type Actor, changeRecord } from "#core/change";
import { GuardError } from "#core/errors";
import type { TrackRecord } from "#engine/reviewer/track-record";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { ReviewerState } from "./schema";

type Deps = {
  /** Null where no reviewer is configured. */
  readonly reviewer: {
    readonly model: string;
    readonly provider: string | null;
    readonly dailyBudget: number;
    readonly track: TrackRecord;
  } | null;
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** The reviewing model as people look after it. */
export class ReviewerDesk {
  constructor(private readonly deps: Deps) {}

  async state(): Promise<ReviewerState> {
    const { reviewer } = this.deps;
    if (!reviewer) return NONE;
    const { model, provider, dailyBudget, track } = reviewer;
    return { model, provider, daily_budget: dailyBudget, ...(await track.state()) };
  }

  /** Lets it review again after a wrong answer. Throws `state_conflict` when it is not paused. */
  async resume(by: Actor, reason: string): Promise<ReviewerState> {
    const { reviewer, writeRecord, now, ids } = this.deps;
    if (!reviewer || !(await reviewer.track.isPaused())) {
      throw new GuardError("state_conflict", "The reviewer is not paused.");
    }
    const change = { kind: "reviewer.resume", by, subject: "reviewer", subject_id: reviewer.model, detail: { reason } };
    await writeRecord(changeRecord(change, { id: ids(), at: now() }));
    await reviewer.track.resume();
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
