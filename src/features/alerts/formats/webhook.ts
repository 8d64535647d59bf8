import type { Notice } from "#features/alerts/notice";
import { kindOf } from "#model/alert";
import { timestamp } from "#platform/clock";

/* The hub's own format, in the frame of Standard Webhooks: a type, a time and the alert. */

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms));

export const webhookBody = ({ event, at, alert, title, text, url }: Notice): string =>
  JSON.stringify({
    type: `alert.${event}`,
    timestamp: timestamp(at),
    data: {
      id: alert.id,
      rule_id: alert.rule_id,
      rule: alert.rule_name,
      kind: alert.kind,
      severity: alert.severity,
      subject: alert.subject,
      label: alert.label,
      value: alert.value,
      peak: alert.peak,
      threshold: alert.threshold,
      unit: kindOf(alert.kind).unit,
      title,
      text,
      since: timestamp(alert.since),
      fired_at: timeOrNull(alert.fired_at),
      resolved_at: timeOrNull(alert.resolved_at),
      url,
    },
  });
