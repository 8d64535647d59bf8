import type { Auditor } from "#audit/auditor";
import { EncryptedContent } from "#guard/content/encrypted-content";
import type { Dispatcher } from "#guard/dispatcher";
import type { Subject } from "#guard/enforcement/policy-resolver";
import type { OpenCalls } from "#guard/open-calls";
import type { Scanner } from "#guard/scanner";
import { type TextScan, textScanOf } from "#guard/text-scan";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { HubEvent } from "#model/event";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import { DETECTORS } from "#scan/detectors/index";
import type { CompiledPolicy } from "#scan/policy";
import type { UsageStore } from "#store/governance-port";
import type { JobStore } from "#store/loop-port";
import { reportReviewRoutes } from "./endpoints";
import { FollowUp, followedUp, followedUpLater } from "./follow-up";
import { LlmReviewClient, type ReviewerOptions } from "./llm-review-client";
import { LlmReviewRun } from "./llm-review-run";
import { ReportReview } from "./report-review";
import { untrustedReviewer } from "./reviewer/canary";
import { type LongMask, longMaskOf, maskOf } from "./reviewer/mask";
import { ReplyReader } from "./reviewer/reply";
import { ReviewerAccuracy } from "./reviewer-accuracy";
import { ReviewerService } from "./reviewer-service";
import { ReportReviewService } from "./service";

/** Null where people review. */
export type ModelReviewer = (ReviewerOptions & { readonly dailyBudget: number }) | null;

type Basics = { readonly now: Clock; readonly ids: Ids; readonly log: Log };
type Scanning = { readonly reportScan: TextScan };
type Recording = { readonly writeRecord: (line: string) => Promise<void> };
type Modelling = { readonly reviewer: ModelReviewer };
type FollowUpParts = Omit<NeedsOf<typeof FollowUp>, "suggestions"> & {
  readonly suggestionMaker: NeedsOf<typeof FollowUp>["suggestions"];
};
type AccuracyParts = Modelling & { readonly usage: Pick<UsageStore, "add" | "read">; readonly now: Clock };
type RunParts = Basics &
  Modelling &
  Recording & {
    readonly dispatcher: Dispatcher;
    readonly openCalls: OpenCalls;
    readonly auditor: Auditor;
    readonly policyResolver: { stopOf: NeedsOf<typeof LlmReviewClient>["stopOf"] };
    readonly policyInForce: () => CompiledPolicy;
    readonly reportScan: TextScan;
    readonly reviewerAccuracy: ReviewerAccuracy | null;
    readonly nonce: () => string;
    readonly emit: (event: HubEvent) => Promise<void>;
  };
type ReviewParts = Basics &
  Modelling & {
    readonly reports: NeedsOf<typeof ReportReview>["reports"];
    readonly llmReviews: LlmReviewRun | null;
    readonly followUp: FollowUp;
    readonly sealedTexts: EncryptedContent;
    readonly policyInForce: () => CompiledPolicy;
    readonly reportScan: TextScan;
  };
type ServiceParts = Omit<NeedsOf<typeof ReportReviewService>, "content" | "mask" | "followUp" | "followUpLater"> & {
  readonly sealedTexts: EncryptedContent;
  readonly personMask: LongMask;
  readonly decided: NeedsOf<typeof ReportReviewService>["followUp"];
  readonly decidedLater: NeedsOf<typeof ReportReviewService>["followUpLater"];
};
type ReviewerParts = Basics & Modelling & Recording & { readonly reviewerAccuracy: ReviewerAccuracy | null };
type RouteParts = PersonRouteParts & {
  readonly reportReviewService: ReportReviewService;
  readonly reviewerService: ReviewerService;
  readonly now: Clock;
};

/** How reports are judged: by a model where one is configured, and by people always. */
export const reportReview = feature({
  provides: {
    reportScan: (c: { readonly scanner: Scanner }) => textScanOf(c.scanner.pool, "reports"),
    sealedTexts: (c: Pick<Sealing, "unseal">) => new EncryptedContent(c.unseal),
    /** What a person is not shown of somebody else's texts. */
    personMask: (c: Scanning) => longMaskOf(DETECTORS, ["secret", "pii"], c.reportScan),
    followUp: ({ reports, suggestionMaker: suggestions, now, ids }: FollowUpParts) =>
      new FollowUp({ reports, suggestions, now, ids }),
    reviewerAccuracy: ({ reviewer, usage, now }: AccuracyParts) =>
      reviewer &&
      new ReviewerAccuracy({
        usage,
        dailyBudget: reviewer.dailyBudget,
        now,
        model: `${reviewer.provider ?? "*"} ${reviewer.model}`,
      }),
    llmReviews: (c: RunParts) =>
      c.reviewer &&
      c.reviewerAccuracy &&
      new LlmReviewRun({
        reader: new LlmReviewClient({
          options: c.reviewer,
          dispatcher: c.dispatcher,
          openCalls: c.openCalls,
          auditor: c.auditor,
          reader: new ReplyReader(maskOf(DETECTORS, ["secret", "pii"])),
          now: c.now,
          ids: c.ids,
          stopOf: (subject: Subject) => c.policyResolver.stopOf(subject),
          policyRevision: () => c.policyInForce().revision,
        }),
        accuracy: c.reviewerAccuracy,
        nonce: c.nonce,
        mask: longMaskOf(DETECTORS, ["secret"], c.reportScan),
        onUntrusted: untrustedReviewer({
          ...c.reviewer,
          writeRecord: c.writeRecord,
          emit: c.emit,
          log: c.log,
          now: c.now,
          ids: c.ids,
        }),
      }),
    /** Reviews what is queued. */
    reportReview: ({
      reports,
      llmReviews,
      followUp,
      sealedTexts,
      reportScan,
      policyInForce,
      reviewer,
      now,
      ids,
    }: ReviewParts) =>
      new ReportReview({
        reports,
        llmReviews,
        followUp,
        now,
        ids,
        contentOf: (report) => sealedTexts.ofReport(report),
        detect: async ({ text, origin }) =>
          (await reportScan(policyInForce(), text, origin)).findings.map(({ type }) => type),
        timeoutMs: reviewer?.timeoutMs ?? 0,
      }),
    decided: (c: Basics & { readonly followUp: FollowUp; readonly jobs: Pick<JobStore, "add"> }) => followedUp(c),
    decidedLater: (c: Basics & { readonly jobs: Pick<JobStore, "add"> }) => followedUpLater(c),
    reportReviewService: ({
      reports,
      assignees,
      users,
      agents,
      sealedTexts,
      personMask,
      decided,
      decidedLater,
      writeRecord,
      now,
      ids,
    }: ServiceParts) =>
      new ReportReviewService({
        reports,
        assignees,
        users,
        agents,
        content: sealedTexts,
        mask: personMask,
        followUp: decided,
        followUpLater: decidedLater,
        writeRecord,
        now,
        ids,
      }),
    reviewerService: ({ reviewer, reviewerAccuracy: accuracy, writeRecord, now, ids }: ReviewerParts) =>
      new ReviewerService({ reviewer: reviewer && accuracy && { ...reviewer, accuracy }, writeRecord, now, ids }),
  },
  routes: (c: RouteParts) => [
    reportReviewRoutes({ ...personRoutes(c), service: c.reportReviewService, reviewer: c.reviewerService, now: c.now }),
  ],
});
