import { GuardError } from "#core/errors";
import { type AlertKind, type AlertRule, DEFAULT_RULES, kindOf } from "#model/alert";
import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { AlertStore } from "#store/alert-port";
import { isBuiltIn, rulesOf } from "./rules";
import { type AlertRuleChange, type AlertRuleView, type NewAlertRule, ruleView } from "./schema";

export type RuleServiceNeeds = {
  readonly alerts: Pick<AlertStore, "rules" | "putRule" | "removeRule" | "destinations">;
  /** Whether there is such an agent. */
  readonly isAgent: (id: string) => Promise<boolean>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Each is measured several times a minute. */
const MAX_RULES = 100;

/** Rules as people look after them. */
export class AlertRuleService {
  constructor(private readonly needs: RuleServiceNeeds) {}

  /** The built-in ones first. */
  async list(): Promise<AlertRuleView[]> {
    const stored = new Set((await this.needs.alerts.rules()).map(({ id }) => id));
    return (await rulesOf(this.needs.alerts)).map((rule) => ruleView(rule, isBuiltIn(rule.id) && stored.has(rule.id)));
  }

  /** Throws `invalid_value`; `state_conflict` when there are too many. */
  async create(by: Actor, { kind, ...parts }: NewAlertRule): Promise<AlertRuleView> {
    const usual = usualOf(kind);
    const clear_at = parts.clear_at ?? usualClear(usual, parts.threshold);
    const rule = { ...usual, enabled: true, ...parts, clear_at, id: this.needs.ids() };
    return this.put(by, "alert.rule_add", rule);
  }

  /** Throws `not_found`, `invalid_value`. */
  async change(by: Actor, id: string, parts: AlertRuleChange): Promise<AlertRuleView> {
    const rule = await this.known(id);
    const clear_at = parts.clear_at ?? usualClear(rule, parts.threshold);
    return this.put(by, "alert.rule_update", { ...rule, ...parts, clear_at }, Object.keys(parts));
  }

  /** A built-in one is as it came again. Throws `not_found`. */
  async remove(by: Actor, id: string): Promise<{ id: string; deleted: boolean }> {
    const rule = await this.known(id);
    const kind = isBuiltIn(id) ? "alert.rule_reset" : "alert.rule_remove";
    const isRemoved = await this.needs.alerts.removeRule(id, this.record(by, kind, rule, {}));
    if (!isRemoved && !isBuiltIn(id)) throw noRule();
    return { id, deleted: !isBuiltIn(id) };
  }

  private async put(by: Actor, kind: string, rule: AlertRule, changed?: readonly string[]): Promise<AlertRuleView> {
    await this.check(rule);
    const { alerts, now } = this.needs;
    const record = this.record(by, kind, rule, { ...(changed && { changed }) });
    if (!(await alerts.putRule(rule, now(), record, MAX_RULES))) {
      throw new GuardError("state_conflict", `The limit of ${MAX_RULES} rules is reached. Remove one first.`);
    }
    return ruleView(rule, isBuiltIn(rule.id));
  }

  private async check({ kind, threshold, clear_at, agent_id, destinations, window_seconds }: AlertRule): Promise<void> {
    if (clear_at > threshold)
      throw bad("clear_at", "clear_at must be at most the threshold: an alert would never end.");
    if (window_seconds % 60 !== 0) throw bad("window_seconds", "window_seconds must be whole minutes.");
    if (agent_id !== null) {
      if (!kindOf(kind).agent) throw bad("agent_id", "agent_id is for block_rate, error_rate and spend.");
      if (!(await this.needs.isAgent(agent_id))) throw bad("agent_id", "There is no such agent.");
    }
    if (destinations === null) return;
    const known = new Set((await this.needs.alerts.destinations()).map(({ id }) => id));
    const missing = destinations.findIndex((id) => !known.has(id));
    if (missing >= 0) throw bad(`destinations[${missing}]`, "There is no such destination.");
  }

  private async known(id: string): Promise<AlertRule> {
    const rule = (await rulesOf(this.needs.alerts)).find((one) => one.id === id);
    if (rule) return rule;
    throw noRule();
  }

  private record(by: Actor, kind: string, rule: AlertRule, more: Readonly<Record<string, unknown>>): string {
    const { id, enabled, severity, threshold, clear_at, for_seconds, agent_id } = rule;
    const detail = { rule_kind: rule.kind, enabled, severity, threshold, clear_at, for_seconds, agent_id, ...more };
    const change = { kind, by, subject: "alert_rule", subject_id: id, detail };
    return changeRecord(change, { id: this.needs.ids(), at: this.needs.now() });
  }
}

const usualOf = (kind: AlertKind): AlertRule => {
  const usual = DEFAULT_RULES.find((rule) => rule.kind === kind);
  if (usual) return usual;
  throw new Error(`The kind of alerts ${kind} has no built-in rule`);
};

/** Where only the threshold is said: the same share of it as before. */
const usualClear = (rule: AlertRule, threshold: number | undefined): number => {
  if (threshold === undefined) return rule.clear_at;
  return rule.threshold > 0 ? threshold * (rule.clear_at / rule.threshold) : Math.min(rule.clear_at, threshold);
};

const bad = (param: string, message: string): GuardError => new GuardError("invalid_value", message, { param });

const noRule = (): GuardError => new GuardError("not_found", "There is no such rule.", { param: "id" });
