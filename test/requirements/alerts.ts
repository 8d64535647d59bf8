import type { Requirement } from "./requirement";

/** What is promised of alerts. */
export const ALERTS: readonly Requirement[] = [
  {
    id: "alert.states",
    promise:
      "An alert fires once its value was above the threshold for a while, ends once it was at or below clear_at for a while, and between the two nothing changes.",
    source: "docs/alerts.md#when-an-alert-fires",
  },
  {
    id: "alert.rules",
    promise:
      "Rules measure block rate, error rate, spend, budgets, drift, audit log, backups, event-loop delay, tool servers and providers, over all processes.",
    source: "docs/alerts.md#rules",
  },
  {
    id: "alert.once",
    promise:
      "Of several processes one measures rules, and a destination is told of an alert once, also across restarts.",
    source: "docs/alerts.md#several-processes",
  },
  {
    id: "alert.formats",
    promise:
      "Slack, Teams, PagerDuty, mail servers and webhooks are told in their own formats; names cannot become links.",
    source: "docs/alerts.md#destinations",
  },
  {
    id: "alert.mail",
    promise:
      "Mail is sent with STARTTLS or TLS to the server whose certificate is the name's, after AUTH, or not at all.",
    source: "docs/alerts.md#e-mail",
  },
  {
    id: "alert.audit-log",
    promise: "That records cannot be written is told although nothing can be stored, and so is that they can be again.",
    source: "docs/alerts.md#several-processes",
  },
  {
    id: "alert.retries",
    promise:
      "What a destination does not take is sent again; an alert that is over before it could be told of is never told of.",
    source: "docs/alerts.md#delivery",
  },
  {
    id: "alert.silences",
    promise: "While a silence lasts nobody is told of its alerts; one that still fires at its end is told of then.",
    source: "docs/alerts.md#silences",
  },
  {
    id: "alert.admin",
    promise:
      "Administrators alone change rules, destinations and silences, and that is on record; keys, URLs and passwords are kept sealed and never shown.",
    source: "docs/alerts.md#destinations",
  },
  {
    id: "alert.ssrf",
    promise: "Destinations are public addresses, reached encrypted, unless webhooks.allow_private allows a network.",
    source: "docs/alerts.md#destinations",
  },
  {
    id: "alert.examples",
    promise: "The Prometheus rules and the Grafana dashboard name only metrics that the hub serves.",
    source: "docs/alerts.md#prometheus-and-grafana",
  },
];
