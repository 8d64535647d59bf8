import { canaryFor, isWrong } from "#features/report-review/reviewer/canary";
import type { LongMask } from "#features/report-review/reviewer/mask";
import { maskedLongEvidence, PASSES, promptFor, type ReportEvidence } from "#features/report-review/reviewer/prompt";
import type { LlmReviewClient, LlmReviewSubject } from "./llm-review-client";
import { type LlmReview, verdictOf } from "./reviewer/reply";
import type { ReviewerAccuracy } from "./reviewer-accuracy";

/** Why a report is not read by the model. */
export type NotReviewed = "reviewer_paused" | "budget_spent" | "too_long" | "unmaskable";

type LlmReviewRunNeeds = {
  readonly reader: Pick<LlmReviewClient, "read">;
  readonly accuracy: ReviewerAccuracy;
  /** Takes secrets out of what leaves the hub. */
  readonly mask: LongMask;
  /** 128 bits, in hexadecimal. */
  readonly nonce: () => string;
  /** The reviewer got a known case wrong. */
  readonly onUntrusted: (canary: string) => Promise<void>;
};

/** Two readings of one report, if the reviewer is to be trusted and there is budget left. */
export class LlmReviewRun {
  constructor(private readonly deps: LlmReviewRunNeeds) {}

  /** Throws what a reading throws. */
  async of(reportId: string, evidence: ReportEvidence, signal: AbortSignal): Promise<LlmReview | NotReviewed> {
    const { accuracy } = this.deps;
    if (await accuracy.isPaused()) return "reviewer_paused";
    const due = await accuracy.begin();
    if (due !== null) {
      const outcome = await this.trial(due, signal);
      if (outcome !== "passed") return outcome;
    }
    return this.twice("report", reportId, evidence, signal);
  }

  /** Asks what is known. */
  private async trial(taken: number, signal: AbortSignal): Promise<"passed" | NotReviewed> {
    const canary = canaryFor(taken);
    if (!canary) return "passed";
    const given = await this.twice("canary", canary.name, canary.evidence, signal);
    if (typeof given === "string") return given;
    const wrong = isWrong(canary, given.verdict);
    await this.deps.accuracy.canary(wrong);
    if (!wrong) return "passed";
    await this.deps.onUntrusted(canary.name);
    return "reviewer_paused";
  }

  private async twice(
    subject: LlmReviewSubject["subject"],
    id: string,
    evidence: ReportEvidence,
    signal: AbortSignal,
  ): Promise<LlmReview | NotReviewed> {
    const { mask, nonce, reader, accuracy } = this.deps;
    const masked = await maskedLongEvidence(evidence, mask);
    if (!masked) return "unmaskable";
    const prompts = PASSES.map((pass) => ({ pass, messages: promptFor(masked, pass, nonce()) }));
    if (prompts.some(({ messages }) => messages === null)) return "too_long";
    if (!(await accuracy.spend(prompts.length))) return "budget_spent";
    const readings = await allEnded(
      prompts.map(({ pass, messages }) => reader.read({ subject, id, pass }, messages ?? [], signal)),
    );
    return readings.reduce(verdictOf);
  }
}

/** As `Promise.all`, but none is left under way when it rejects. */
const allEnded = async <T>(works: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(works);
  return Promise.all(works);
};
