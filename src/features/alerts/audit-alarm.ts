import type { Alert, AlertDestination, AlertRule, AlertSilence } from "#model/alert";
import { isSilenced } from "#model/alert";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { AlertStore } from "#store/alert-port";
import type { AlertNotifier } from "./notifier";
import { rulesOf } from "./rules";

export type AuditAlarmNeeds = {
  readonly alerts: Pick<AlertStore, "rules" | "destinations" | "silences" | "save">;
  readonly alertNotifier: Pick<AlertNotifier, "tellNow">;
  /** Whether this process can write records. */
  readonly isHealthy: () => boolean;
  /** Names this process. */
  readonly node: string;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** What is known of rules and destinations, as it was read last: a store that takes no records may not be read either. */
type Known = {
  readonly rule: AlertRule | null;
  readonly destinations: readonly AlertDestination[];
  readonly silences: readonly AlertSilence[];
};

/**
 * Tells of the one thing that cannot be told through the store: that it takes no records. Each process does so for
 * itself, from memory; what it told is stored once records are written again.
 */
export class AuditAlarm {
  private known: Known = { rule: null, destinations: [], silences: [] };
  private alert: Alert | null = null;
  /** Ids of destinations that know of it. */
  private readonly told = new Set<string>();

  constructor(private readonly needs: AuditAlarmNeeds) {}

  /** To be called several times a minute. */
  async runOnce(): Promise<void> {
    const { isHealthy, now } = this.needs;
    if (isHealthy()) {
      await this.end();
      this.known = await this.read();
      return;
    }
    const { rule } = this.known;
    if (rule === null) return;
    this.alert ??= this.begun(rule);
    if (isSilenced(this.known.silences, this.alert, now())) return;
    await this.tell(this.alert, "firing", (id) => !this.told.has(id));
  }

  private async read(): Promise<Known> {
    const { alerts, now } = this.needs;
    const [rules, destinations, silences] = await Promise.all([
      rulesOf(alerts),
      alerts.destinations(),
      alerts.silences(now()),
    ]);
    const rule = rules.find(({ kind, enabled }) => kind === "audit_log" && enabled) ?? null;
    const wanted = rule?.destinations ?? null;
    const isWanted = ({ id, active }: AlertDestination) => active && (wanted === null || wanted.includes(id));
    return { rule, destinations: destinations.filter(isWanted), silences };
  }

  private async end(): Promise<void> {
    const { alerts, now } = this.needs;
    if (this.alert === null) return;
    const at = now();
    const resolved: Alert = { ...this.alert, state: "resolved", value: 0, clear_since: at, resolved_at: at };
    const told_at = this.told.size === 0 ? null : resolved.told_at;
    await alerts.save([{ ...resolved, told_at }], []);
    this.alert = null;
    await this.tell(resolved, "resolved", (id) => this.told.has(id));
    this.told.clear();
  }

  /** Who does not take it is asked again with the next run, as long as it lasts. */
  private async tell(alert: Alert, event: "firing" | "resolved", isMeant: (id: string) => boolean): Promise<void> {
    const meant = this.known.destinations.filter(({ id }) => isMeant(id));
    const tried = meant.map(async (destination) => {
      const { isTaken, isFinal } = await this.needs.alertNotifier.tellNow(destination, alert, event);
      if (isTaken || isFinal) this.told.add(destination.id);
    });
    for (const { status, reason } of (await Promise.allSettled(tried)).map(settled)) {
      if (status === "rejected") this.needs.log.warn("alert.not_told", causeOf(reason));
    }
  }

  private begun({ id: rule_id, name, severity, window_seconds }: AlertRule): Alert {
    const { now, ids, node } = this.needs;
    const at = now();
    return {
      id: ids(),
      rule_id,
      subject: `${node}/writing`,
      label: `process ${node}`,
      rule_name: name,
      kind: "audit_log",
      severity,
      state: "firing",
      value: 1,
      peak: 1,
      threshold: 0,
      window_seconds,
      since: at,
      fired_at: at,
      clear_since: null,
      told_at: at,
      resolved_at: null,
    };
  }
}

const settled = (result: PromiseSettledResult<void>) => ({
  status: result.status,
  reason: result.status === "rejected" ? result.reason : null,
});
