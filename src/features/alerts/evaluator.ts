import type { Alert, AlertRule, AlertSilence } from "#model/alert";
import { isSilenced } from "#model/alert";
import { changeRecord, HUB_ACTOR } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { AlertStore } from "#store/alert-port";
import { type Course, nextStep } from "./alert-state";
import { type Observation, type ObservationNeeds, observe } from "./observations";
import { rulesOf } from "./rules";

export type EvaluatorNeeds = Omit<ObservationNeeds, "alerts"> & {
  readonly alerts: AlertStore;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** Alerts of one rule at a time: thousands of agents that drift at once are told of little by little. */
export const MAX_OPEN = 50;

/** Measures what rules are about, and writes down what comes of it. One process at a time does. */
export class AlertEvaluator {
  constructor(private readonly needs: EvaluatorNeeds) {}

  async runOnce(): Promise<void> {
    const { alerts, now } = this.needs;
    const [rules, open, silences] = await Promise.all([rulesOf(alerts), alerts.open(), alerts.silences(now())]);
    const known = new Map(rules.map((rule) => [rule.id, rule]));
    for (const rule of rules) {
      const own = open.filter(({ rule_id }) => rule_id === rule.id);
      if (rule.enabled) await this.evaluate(rule, own, silences);
      else await this.end(own);
    }
    await this.end(open.filter(({ rule_id }) => !known.has(rule_id)));
  }

  private async evaluate(rule: AlertRule, open: readonly Alert[], silences: readonly AlertSilence[]): Promise<void> {
    const at = this.needs.now();
    const found = await this.observed(rule, at);
    if (found === null) return;
    const values = new Map(found.map((one) => [one.subject, one]));
    const put: Alert[] = [];
    const drop: string[] = [];
    for (const alert of open) {
      const step = nextStep(courseOf(alert), values.get(alert.subject)?.value ?? null, rule, at);
      if (step.kind === "none") drop.push(alert.id);
      else if (step.kind === "resolved") await this.resolve({ ...alert, ...step.course }, at);
      else put.push(...(await this.changed(alert, { ...alert, ...step.course }, silences, at)));
    }
    const subjects = new Set(open.map(({ subject }) => subject));
    const news = found.filter(({ subject, value }) => !subjects.has(subject) && value > rule.threshold);
    for (const one of news.slice(0, Math.max(0, MAX_OPEN - open.length))) {
      const step = nextStep(null, one.value, rule, at);
      if (step.kind === "open") put.push(this.begun(rule, one, step.course));
    }
    const { alerts } = this.needs;
    await alerts.save(put, drop);
    // What has begun is told of once it is there.
    for (const alert of put) if (!open.some(({ id }) => id === alert.id)) await this.tellOf(alert, silences, at);
  }

  /** Null where it could not be found out: alerts stay as they are. */
  private async observed(rule: AlertRule, at: number): Promise<readonly Observation[] | null> {
    try {
      return await observe(this.needs, rule, at);
    } catch (error) {
      this.needs.log.warn("alert.not_measured", { rule_id: rule.id, ...causeOf(error) });
      return null;
    }
  }

  private begun(rule: AlertRule, { subject, label }: Observation, course: Course): Alert {
    return {
      id: this.needs.ids(),
      rule_id: rule.id,
      subject,
      label,
      rule_name: rule.name,
      kind: rule.kind,
      severity: rule.severity,
      threshold: rule.threshold,
      window_seconds: rule.window_seconds,
      told_at: null,
      resolved_at: null,
      ...course,
    };
  }

  /** The same; of one that is as it was there is nothing to write either. */
  private async changed(before: Alert, alert: Alert, silences: readonly AlertSilence[], at: number): Promise<Alert[]> {
    const left = await this.tellOf(alert, silences, at);
    return Bun.deepEquals(before, alert) ? [] : left;
  }

  /** What is still to be written: nothing of one that was told of, for that is a change of its own. */
  private async tellOf(alert: Alert, silences: readonly AlertSilence[], at: number): Promise<Alert[]> {
    if (alert.state !== "firing" || alert.told_at !== null || isSilenced(silences, alert, at)) return [alert];
    await this.needs.alerts.tell({ ...alert, told_at: at }, this.record("alert.fire", alert, at));
    return [];
  }

  private async resolve(alert: Alert, at: number): Promise<void> {
    const { alerts } = this.needs;
    const resolved: Alert = { ...alert, state: "resolved", resolved_at: at };
    // Nobody was told that it fires.
    if (alert.told_at === null) await alerts.save([resolved], []);
    else await alerts.tell(resolved, this.record("alert.resolve", alert, at));
  }

  /** Their rule is gone, or disabled. */
  private async end(open: readonly Alert[]): Promise<void> {
    const at = this.needs.now();
    const pending = open.filter(({ state }) => state === "pending").map(({ id }) => id);
    await this.needs.alerts.save([], pending);
    for (const alert of open) if (alert.state === "firing") await this.resolve(alert, at);
  }

  private record(kind: string, alert: Alert, at: number): string {
    const { rule_id, subject, severity, value, threshold } = alert;
    const agent_id = alert.kind === "drift" || (isRate(alert) && subject !== "") ? subject : null;
    const detail = { rule_id, rule_kind: alert.kind, about: subject, severity, value, threshold, agent_id };
    const change = { kind, by: HUB_ACTOR, subject: "alert", subject_id: alert.id, detail };
    return changeRecord(change, { id: this.needs.ids(), at });
  }
}

const isRate = ({ kind }: Alert): boolean => kind === "block_rate" || kind === "error_rate" || kind === "spend";

const courseOf = ({ state, ...course }: Alert): Course => ({
  state: state === "firing" ? "firing" : "pending",
  since: course.since,
  fired_at: course.fired_at,
  clear_since: course.clear_since,
  value: course.value,
  peak: course.peak,
});
