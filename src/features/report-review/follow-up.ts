import { changeRecord, HUB_ACTOR } from "#model/change";
import type { Report } from "#model/report";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { Suggestion } from "#policy/tuning/suggestion";
import type { JobStore, ReportStore } from "#store/loop-port";
import { asksForChange } from "./reviewer/reply";

type FollowUpNeeds = {
  readonly reports: Pick<ReportStore, "byId" | "save">;
  readonly suggestions: { readonly suggest: (report: Report) => Promise<Suggestion | null> };
  readonly now: Clock;
  readonly ids: Ids;
};

/** Others may touch the report while its suggestion is made. */
const MAX_TRIES = 5;

/** What follows from a verdict, a model's or a person's: a suggestion, never a change. */
export class FollowUp {
  constructor(private readonly deps: FollowUpNeeds) {}

  /** The report with the suggestion that was made of it, if its verdict asks for one and there is none yet. */
  async of(report: Report): Promise<Report> {
    const verdict = report.decision ?? report.llm_verdict;
    if (report.tuning_suggestion_id !== null || verdict === null || !asksForChange(report.direction, verdict)) {
      return report;
    }
    const suggestion = await this.deps.suggestions.suggest(report);
    return suggestion ? this.linked(report, suggestion.id) : report;
  }

  private async linked(report: Report, id: string): Promise<Report> {
    const { reports, now, ids } = this.deps;
    let current: Report | null = report;
    for (let tries = 0; current && tries < MAX_TRIES; tries += 1) {
      const next: Report = { ...current, tuning_suggestion_id: id, updated_at: now(), revision: current.revision + 1 };
      const detail = { agent_id: report.agent_id, tuning_suggestion_id: id };
      const change = { kind: "report.suggest", by: HUB_ACTOR, subject: "report", subject_id: report.id, detail };
      const record = changeRecord(change, { id: ids(), at: now() });
      if (await reports.save(next, current.revision, { record })) return next;
      current = await reports.byId(report.id);
    }
    return report;
  }
}

type LaterNeeds = { readonly jobs: Pick<JobStore, "add">; readonly now: Clock; readonly ids: Ids };
type DecidedNeeds = LaterNeeds & { readonly followUp: FollowUp; readonly log: Log };

/** What follows is left to a job, which is tried again where it fails. */
export const followedUpLater =
  ({ jobs, now, ids }: LaterNeeds) =>
  async (report: Report): Promise<Report> => {
    await jobs.add({ id: ids(), kind: "report.review", ref: report.id, run_at: now(), attempts: 0 });
    return report;
  };

/** A person's decision holds whatever becomes of what follows from it: what fails is a job that is tried again. */
export const followedUp = ({ followUp, jobs, log, now, ids }: DecidedNeeds) => {
  const later = followedUpLater({ jobs, now, ids });
  return async (report: Report): Promise<Report> => {
    try {
      return await followUp.of(report);
    } catch (error) {
      log.warn("report.follow_up_failed", { id: report.id, ...causeOf(error) });
      return later(report);
    }
  };
};
