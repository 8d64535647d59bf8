import { changeRecord, HUB_ACTOR } from "#core/change";
import type { HubEvent } from "#core/event";
import type { Report } from "#core/report";
import { maskOf } from "#core/reviewer/mask";
import { ReplyReader } from "#core/reviewer/reply";
import { DETECTORS } from "#core/scan/detectors/index";
import type { Auditor } from "#engine/auditor";
import type { Dispatcher } from "#engine/dispatcher";
import type { Governor } from "#engine/governance/governor";
import type { Heartbeat } from "#engine/heartbeat";
import { ReportReview } from "#engine/report-review";
import { FollowUp } from "#engine/reviewer/follow-up";
import { ReportReader, type ReviewerOptions } from "#engine/reviewer/reading";
import { Readings } from "#engine/reviewer/readings";
import { TrackRecord } from "#engine/reviewer/track-record";
import type { Scanner } from "#engine/scanner";
import { SealedTexts } from "#engine/sealed-texts";
import type { SuggestionMaker } from "#engine/tuning/suggestion-maker";
import type { signedInPerson } from "#http/person";
import { ReviewerDesk } from "#modules/report-desk/reviewer";
import { reportDeskRoutes } from "#modules/report-desk/routes";
import { ReportDesk } from "#modules/report-desk/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { Store } from "#store/port";

export type ReportDeskDeps = {
  readonly store: Pick<Store, "reports" | "jobs" | "users" | "agents" | "usage">;
  /** Null where people review. */
  readonly reviewer: (ReviewerOptions & { readonly dailyBudget: number }) | null;
  /** 128 random bits, in hexadecimal. */
  readonly nonce: () => string;
  readonly tools: Pick<Sealing, "unseal">;
  readonly scanner: Scanner;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: { readonly bodyBytes: number };
};

type Around = {
  readonly dispatcher: Dispatcher;
  readonly heartbeat: Heartbeat;
  readonly auditor: Auditor;
  readonly governor: Pick<Governor, "stopOf">;
  readonly suggestions: Pick<SuggestionMaker, "suggest">;
  readonly emit: (event: HubEvent) => Promise<void>;
  readonly door: ReturnType<typeof signedInPerson>;
};

/** How reports are judged: by a model where one is configured, and by people always. */
export const assembleReportDesk = (deps: ReportDeskDeps, around: Around) => {
  const { store, reviewer, scanner, clock: now, ids, log, limits } = deps;
  const { auditor, door, suggestions } = around;
  const basics = { now, ids };
  const writeRecord = (line: string) => auditor.writeLine(line);
  const content = new SealedTexts(deps.tools.unseal);
  const followUp = new FollowUp({ reports: store.reports, suggestions, ...basics });
  const forOthers = maskOf(DETECTORS, ["secret", "pii"]);
  const model = reviewer && readingModel(deps, around, reviewer, new ReplyReader(forOthers));
  const review = new ReportReview({
    ...{ reports: store.reports, readings: model?.readings ?? null, followUp, ...basics },
    contentOf: (report) => content.ofReport(report),
    detect: ({ text, origin }) => scanner.scan(scanner.snapshot(), text, origin).scan.findings.map(({ type }) => type),
    timeoutMs: reviewer?.timeoutMs ?? 0,
  });
  /** Its decision holds whatever becomes of this: what fails is a job that is tried again. */
  const followed = async (report: Report): Promise<Report> => {
    try {
      return await followUp.of(report);
    } catch (error) {
      log.warn("report.follow_up_failed", { id: report.id, ...causeOf(error) });
      await store.jobs.add({ id: ids(), kind: "report.review", ref: report.id, run_at: now(), attempts: 0 });
      return report;
    }
  };
  const desk = new ReportDesk({
    ...{
      reports: store.reports,
      users: store.users,
      agents: store.agents,
      content,
      mask: forOthers,
      followUp: followed,
      writeRecord,
    },
    ...basics,
  });
  const reviewerDesk = new ReviewerDesk({
    reviewer: reviewer && model && { ...reviewer, track: model.track },
    ...{ writeRecord, ...basics },
  });
  return {
    /** Reviews what is queued. */
    handler: review,
    routes: reportDeskRoutes({
      ...{ desk, reviewer: reviewerDesk, door, bodyBytes: limits.bodyBytes },
      admit: () => auditor.admit(),
      now,
    }),
  };
};

const readingModel = (
  { store, nonce, scanner, clock: now, ids, log }: ReportDeskDeps,
  { dispatcher, heartbeat, auditor, governor, emit }: Around,
  options: NonNullable<ReportDeskDeps["reviewer"]>,
  reader: ReplyReader,
) => {
  const { model, provider, dailyBudget } = options;
  const track = new TrackRecord({ usage: store.usage, model: `${provider ?? "*"} ${model}`, dailyBudget, now });
  const onUntrusted = async (canary: string): Promise<void> => {
    log.error("reviewer.untrusted", { model, canary });
    const [kind, id, at] = ["system.reviewer_untrusted", ids(), now()] as const;
    const about = { subject: "reviewer", subject_id: model };
    const change = { kind, by: HUB_ACTOR, ...about, detail: { provider, canary } };
    await auditor.writeLine(changeRecord(change, { id, at }));
    await emit({ id, type: kind, at, agent_id: null, user_id: null, ...about });
  };
  const readings = new Readings({
    reader: new ReportReader({
      ...{ options, dispatcher, heartbeat, auditor, reader, now, ids },
      stopOf: (subject) => governor.stopOf(subject),
      policyRevision: () => scanner.snapshot().revision,
    }),
    ...{ track, nonce, onUntrusted },
    mask: maskOf(DETECTORS, ["secret"]),
  });
  return { track, readings };
};
