import type { Alert, AlertDestination, AlertKind, AlertNotice, AlertSeverity } from "#model/alert";
import type { ColumnKit } from "./columns";

/** What people are alerted to. */
export const alerts = (kit: ColumnKit) => ({
  alertRule: kit.table("alert_rule", {
    id: kit.text().primaryKey(),
    rule: kit.json().notNull(),
    changed_at: kit.integer().notNull(),
  }),

  alertDestination: kit.table("alert_destination", {
    id: kit.text().primaryKey(),
    name: kit.text().notNull(),
    kind: kit.text<AlertDestination["kind"]>().notNull(),
    active: kit.boolean().notNull(),
    settings: kit.json().notNull(),
    sealed: kit.text().notNull(),
    failing_since: kit.integer(),
    created_by: kit.text(),
    created_at: kit.integer().notNull(),
  }),

  alert: kit.table("alert", {
    id: kit.text().primaryKey(),
    rule_id: kit.text().notNull(),
    subject: kit.text().notNull(),
    label: kit.text(),
    rule_name: kit.text().notNull(),
    kind: kit.text<AlertKind>().notNull(),
    severity: kit.text<AlertSeverity>().notNull(),
    state: kit.text<Alert["state"]>().notNull(),
    value: kit.real().notNull(),
    peak: kit.real().notNull(),
    threshold: kit.real().notNull(),
    window_seconds: kit.integer().notNull(),
    since: kit.integer().notNull(),
    fired_at: kit.integer(),
    clear_since: kit.integer(),
    told_at: kit.integer(),
    resolved_at: kit.integer(),
  }),

  alertNotice: kit.table("alert_notice", {
    id: kit.text().primaryKey(),
    alert_id: kit.text().notNull(),
    destination_id: kit.text().notNull(),
    told: kit.text<AlertNotice["told"]>().notNull(),
    state: kit.text<AlertNotice["state"]>().notNull(),
    attempts: kit.json().notNull(),
    next_at: kit.integer(),
    created_at: kit.integer().notNull(),
  }),

  alertSilence: kit.table("alert_silence", {
    id: kit.text().primaryKey(),
    rule_id: kit.text(),
    subject: kit.text(),
    reason: kit.text().notNull(),
    until: kit.integer().notNull(),
    created_by: kit.text(),
    created_at: kit.integer().notNull(),
    ended_at: kit.integer(),
  }),

  nodeFigures: kit.table("node_figures", {
    node: kit.text().primaryKey(),
    epoch: kit.integer().notNull(),
    figures: kit.json().notNull(),
  }),
});
