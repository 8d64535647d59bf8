import type { JobHandler } from "#hub/job-runner";
import { changeRecord, HUB_ACTOR } from "#model/change";
import type { KeptTexts } from "#model/kept-content";
import type { Report } from "#model/report";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Job, ReportStore } from "#store/loop-port";
import type { FollowUp } from "./follow-up";
import type { LlmReviewRun, NotReviewed } from "./llm-review-run";
import { fits, type ReportEvidence, type ReportEvidenceText } from "./reviewer/prompt";
import type { LlmReview } from "./reviewer/reply";

/** Judged disputes of one reporter that are looked at, the newest. */
export const ALARM_WINDOW = 20;
/** Above this share of them found false positives, the reporter may have learnt what the model believes. */
const ALARM_SHARE = 0.8;

/**
 * Whether one reporter's disputes go to people only: the model has found nearly all of the last ones right. Those that
 * a person has decided count for nothing, so that deciding some of them ends it.
 */
export const isAlarming = (
  reports: readonly Pick<Report, "direction" | "llm_verdict" | "decision" | "created_at">[],
): boolean => {
  const judged = reports
    .filter(({ direction, llm_verdict }) => direction === "false_positive" && llm_verdict !== null)
    .toSorted((one, other) => other.created_at - one.created_at)
    .slice(0, ALARM_WINDOW);
  if (judged.length < ALARM_WINDOW) return false;
  const unchecked = judged.filter(({ llm_verdict, decision }) => llm_verdict === "false_positive" && decision === null);
  return unchecked.length > ALARM_SHARE * ALARM_WINDOW;
};

/** Why a person has to judge a report. */
type WhyHuman = "not_shared" | "no_content" | "no_reviewer" | "reporter_alarm" | "reviewer_failed" | NotReviewed;

type ReportReviewNeeds = {
  readonly reports: Pick<ReportStore, "byId" | "list" | "save">;
  /** Null where no reviewer is configured: people judge. */
  readonly llmReviews: LlmReviewRun | null;
  readonly followUp: FollowUp;
  /** Unsealed; null when there is none any more. */
  readonly contentOf: (report: Report) => KeptTexts | null;
  /** The flag types that our own detectors find in a text. */
  readonly detect: (text: ReportEvidenceText) => Promise<readonly string[]>;
  readonly timeoutMs: number;
  readonly now: Clock;
  readonly ids: Ids;
};

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 10_000;
const AT_ONCE = 4;
/** Beside the time limits: a known case may be asked first, and a suggestion is made after. */
const BESIDE_MS = 60_000;

/** Reviews one report: reads it with the model where that is allowed, and leaves it to people where not. */
export class ReportReview implements JobHandler {
  readonly kind = "report.review";
  readonly attempts = ATTEMPTS;
  readonly atOnce = AT_ONCE;
  readonly leaseMs: number;

  constructor(private readonly deps: ReportReviewNeeds) {
    this.leaseMs = 2 * deps.timeoutMs + BESIDE_MS;
  }

  pauseAfter(attempts: number): number {
    return FIRST_PAUSE_MS * 4 ** (attempts - 1);
  }

  async run({ ref }: Job, signal: AbortSignal): Promise<void> {
    const report = await this.deps.reports.byId(ref);
    // Ended after the verdict was stored, a person's or a model's, and before what follows from it was.
    if (report?.status === "reviewed" || report?.status === "closed") await this.deps.followUp.of(report);
    const taken = report && (await this.taken(report));
    if (!taken) return;
    const outcome = await this.outcome(taken, signal);
    if (typeof outcome === "string") return this.leave(taken, outcome);
    const reviewed = await this.reviewed(taken, outcome);
    if (reviewed) await this.deps.followUp.of(reviewed);
  }

  async gaveUp({ ref }: Job): Promise<void> {
    const report = await this.deps.reports.byId(ref);
    if (report && isOpen(report)) await this.leave(report, "reviewer_failed");
  }

  /** The report as being reviewed; null when there is nothing left to do: it was withdrawn, or a person was quicker. */
  private async taken(report: Report): Promise<Report | null> {
    if (report.status === "reviewing") return report;
    if (report.status !== "submitted") return null;
    return this.save(report, { status: "reviewing" }, "report.reviewing", {});
  }

  private async outcome(report: Report, signal: AbortSignal): Promise<LlmReview | WhyHuman> {
    const { llmReviews, reports, contentOf } = this.deps;
    if (!report.share_content) return "not_shared";
    if (!llmReviews) return "no_reviewer";
    const content = contentOf(report);
    if (content === null) return "no_content";
    if (content.cut || !fits(content)) return "too_long";
    const { user_id } = report;
    if (isAlarming(await reports.list({ user_id, direction: "false_positive" }))) return "reporter_alarm";
    return llmReviews.of(report.id, await this.evidence(report, content), signal);
  }

  private async evidence(report: Report, { texts }: KeptTexts): Promise<ReportEvidence> {
    const { direction, flag_types, user_reason } = report;
    const found: string[] = [];
    for (const text of texts) found.push(...(await this.deps.detect(text)));
    const detected = [...new Set(found)];
    return { direction, detected, claimed: flag_types, reason: user_reason, texts };
  }

  private async leave(report: Report, why: WhyHuman): Promise<void> {
    await this.save(report, { status: "needs_human" }, "report.needs_human", { why });
  }

  private reviewed(report: Report, { verdict, confidence, reasoning }: LlmReview): Promise<Report | null> {
    const words = { llm_verdict: verdict, llm_confidence: confidence, llm_reasoning: reasoning };
    return this.save(report, { status: "reviewed", ...words }, "report.reviewed", { verdict, confidence });
  }

  /** Null when a person was quicker: their word holds. Throws `Moved`. */
  private async save(report: Report, patch: Partial<Report>, kind: string, more: object): Promise<Report | null> {
    const { reports, now, ids } = this.deps;
    const next: Report = { ...report, ...patch, updated_at: now(), revision: report.revision + 1 };
    const detail = { ...more, status: next.status, direction: report.direction, agent_id: report.agent_id };
    const change = { kind, by: HUB_ACTOR, subject: "report", subject_id: report.id, detail };
    const record = changeRecord(change, { id: ids(), at: now() });
    if (await reports.save(next, report.revision, { record })) return next;
    const current = await reports.byId(report.id);
    if (current && isOpen(current)) throw new Moved("The report changed while it was reviewed");
    return null;
  }
}

/** Something else about it changed than who judges it: reviewing it is tried again. */
class Moved extends Error {
  override readonly name = "Moved";
}

const isOpen = ({ status }: Report): boolean => status === "submitted" || status === "reviewing";
