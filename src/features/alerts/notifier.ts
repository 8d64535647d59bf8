import { type JobHandler, NotTaken } from "#hub/job-runner";
import type { Alert, AlertDestination, AlertNotice, NoticeAttempt } from "#model/alert";
import type { HubEvent } from "#model/event";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { AlertStore } from "#store/alert-port";
import type { Job } from "#store/loop-port";
import { noticeOf } from "./notice";
import { rulesOf } from "./rules";
import { type TellingNeeds, type ToldAnswer, tell } from "./telling";

const MINUTE_MS = 60_000;

/** Waits after a failed attempt, in milliseconds. What is hours late is no alert. */
export const RETRY_AFTER_MS: readonly number[] = [
  5_000,
  30_000,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  60 * MINUTE_MS,
  120 * MINUTE_MS,
];
const JITTER = 0.1;
/** Attempts that are shown of a notice. */
const KEPT_ATTEMPTS = 20;

export type NotifierNeeds = TellingNeeds & {
  readonly alerts: AlertStore;
  readonly publicUrl: () => string;
  readonly now: Clock;
  readonly ids: Ids;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Log;
};

/**
 * Tells destinations how alerts are. What is stored is what a destination knows, so that each job brings it to the present
 * state, whatever order jobs come in: an alert that ended before it could be told of is never told of.
 */
export class AlertNotifier implements JobHandler {
  readonly kind = "alert.notify";
  readonly attempts = RETRY_AFTER_MS.length + 1;
  readonly atOnce = 8;
  /** A run tells two things at most, each for 20 seconds; of PagerDuty's test two requests. */
  readonly leaseMs = 90_000;

  constructor(private readonly needs: NotifierNeeds) {}

  pauseAfter(attempts: number): number {
    return Math.round((RETRY_AFTER_MS[attempts - 1] ?? MINUTE_MS) * (1 + JITTER * this.needs.random()));
  }

  /** Queues what destinations are to be told of an event. */
  async enqueue({ type, subject_id }: HubEvent): Promise<void> {
    if (type !== "alert.fired" && type !== "alert.resolved") return;
    const { alerts } = this.needs;
    const alert = await alerts.byId(subject_id);
    if (alert === null) return;
    if (type === "alert.resolved") {
      for (const { destination_id } of await alerts.notices(alert.id)) await this.queue(alert, destination_id);
      return;
    }
    const rule = (await rulesOf(alerts)).find(({ id }) => id === alert.rule_id);
    for (const { id, active } of await alerts.destinations()) {
      const isWanted = rule?.destinations == null || rule.destinations.includes(id);
      if (active && isWanted) await this.queue(alert, id);
    }
  }

  private async queue(alert: Alert, destination_id: string): Promise<void> {
    const { alerts, now, ids } = this.needs;
    const at = now();
    const notice: AlertNotice = {
      id: ids(),
      alert_id: alert.id,
      destination_id,
      told: "none",
      state: "pending",
      attempts: [],
      next_at: at,
      created_at: at,
    };
    await alerts.queueNotice(notice, { id: ids(), kind: this.kind, run_at: at, attempts: 0 });
  }

  /** Throws `NotTaken`. */
  async run(job: Job, signal: AbortSignal): Promise<void> {
    // What ended while it was told of is told at once.
    for (let said = 0; said < 2; said += 1) {
      if (!(await this.tellNext(job, signal))) return;
    }
  }

  /** Whether something was told, and there may be more. */
  private async tellNext(job: Job, signal: AbortSignal): Promise<boolean> {
    const { alerts } = this.needs;
    const notice = await alerts.notice(job.ref);
    const alert = notice && (await alerts.byId(notice.alert_id));
    const destination = notice && (await alerts.destination(notice.destination_id));
    if (!notice || !alert || !destination) return false;
    const event = nextEvent(alert, notice);
    if (event === null || !destination.active) {
      const isLeft = notice.state === "pending" && notice.told === "none";
      if (isLeft) await alerts.saveNotice(notice.id, { state: "skipped", next_at: null });
      return false;
    }
    const answer = await this.attempt({ alert, notice, destination, event, job }, signal);
    if (answer.isTaken) return true;
    if (answer.isFinal) return false;
    throw new NotTaken(answer.error ?? `status_${answer.status}`);
  }

  private async attempt(
    told: {
      readonly alert: Alert;
      readonly notice: AlertNotice;
      readonly destination: AlertDestination;
      readonly event: "firing" | "resolved";
      readonly job: Job;
    },
    signal: AbortSignal,
  ): Promise<ToldAnswer> {
    const { alerts, now } = this.needs;
    const { alert, notice, destination, event, job } = told;
    const at = now();
    const answer = await this.told(destination, noticeOf(event, alert, at, this.needs.publicUrl()), signal);
    const { status, error, isTaken, isFinal } = answer;
    const attempt: NoticeAttempt = { at, event, status, error, ms: Math.max(0, now() - at) };
    const isOver = isTaken || isFinal || job.attempts >= this.attempts;
    await alerts.saveNotice(notice.id, {
      attempts: [...notice.attempts, attempt].slice(-KEPT_ATTEMPTS),
      ...(isTaken && { told: event }),
      state: isTaken ? "delivered" : isOver ? "failed" : "pending",
      next_at: isOver ? null : now() + (RETRY_AFTER_MS[job.attempts - 1] ?? MINUTE_MS),
    });
    if (!signal.aborted && isTaken !== (destination.failing_since === null)) {
      await alerts.noteDestination(destination.id, isTaken ? null : (destination.failing_since ?? at));
    }
    return answer;
  }

  /** What cannot be opened or is damaged fails like a receiver that is gone. */
  private async told(
    ...[destination, notice, signal]: readonly [AlertDestination, Parameters<typeof tell>[2], AbortSignal]
  ) {
    try {
      return await tell(this.needs, destination, notice, signal);
    } catch (error) {
      this.needs.log.warn("alert.not_told", { destination_id: destination.id, ...causeOf(error) });
      return { status: null, error: "broken", isTaken: false, isFinal: false };
    }
  }

  /** It ended its process each time, or was never taken. */
  async gaveUp({ ref }: Job): Promise<void> {
    await this.needs.alerts.saveNotice(ref, { state: "failed", next_at: null });
  }

  /** Once, at once, and noted nowhere. */
  tellNow(destination: AlertDestination, alert: Alert, event: "firing" | "resolved"): Promise<ToldAnswer> {
    const { now, publicUrl } = this.needs;
    return this.told(destination, noticeOf(event, alert, now(), publicUrl()), new AbortController().signal);
  }

  /** Once, at once, whatever comes of it: to try a destination. */
  async test(destination: AlertDestination): Promise<ToldAnswer> {
    const { now, ids, publicUrl } = this.needs;
    const at = now();
    const alert: Alert = {
      id: ids(),
      rule_id: "test",
      subject: "",
      label: null,
      rule_name: "a message to this destination",
      kind: "block_rate",
      severity: "info",
      state: "firing",
      value: 42,
      peak: 42,
      threshold: 20,
      window_seconds: 900,
      since: at,
      fired_at: at,
      clear_since: null,
      told_at: at,
      resolved_at: null,
    };
    const notice = { ...noticeOf("test", alert, at, publicUrl()), text: "This is a test. Nothing is wrong." };
    return this.told(destination, notice, new AbortController().signal);
  }
}

/** What it has to be told next; null for nothing. */
const nextEvent = ({ state }: Alert, { told }: AlertNotice): "firing" | "resolved" | null => {
  if (state === "firing") return told === "none" ? "firing" : null;
  return state === "resolved" && told === "firing" ? "resolved" : null;
};
