import { cut, type Notice } from "#features/alerts/notice";
import { timestamp } from "#platform/clock";

/* PagerDuty Events API v2. One incident an alert: what resolves it has the same key. */

export const PAGERDUTY_URL = "https://events.pagerduty.com/v2/enqueue";

const MAX_SUMMARY = 1_024;

export const dedupKeyOf = ({ alert }: Notice): string => `guardhouse-${alert.id}`;

export const pagerDutyBody = (notice: Notice, routingKey: string, action: "trigger" | "resolve"): string => {
  const { alert, title, text, facts, url, hub } = notice;
  const named = { routing_key: routingKey, event_action: action, dedup_key: dedupKeyOf(notice) };
  if (action === "resolve") return JSON.stringify(named);
  return JSON.stringify({
    ...named,
    payload: {
      summary: cut(`${title}. ${text}`, MAX_SUMMARY),
      source: new URL(hub).host,
      severity: alert.severity,
      timestamp: timestamp(alert.fired_at ?? notice.at),
      component: alert.label ?? "hub",
      group: alert.rule_id,
      class: alert.kind,
      custom_details: Object.fromEntries(facts),
    },
    client: "Guardhouse",
    client_url: url,
    links: [{ href: url, text: "Alerts" }],
  });
};
