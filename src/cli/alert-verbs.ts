import { DESTINATION_KINDS, MAIL_SECURITY, SEVERITIES } from "#model/alert";
import type { Verb } from "./verb";

export const ALERT_VERBS: readonly Verb[] = [
  {
    name: "alert list",
    summary: "List alerts that fire, and silences",
    flags: { all: { about: "also alerts that are pending, and the last that were resolved" } },
    load: () => import("./alerts").then((module) => module.listAlerts),
  },
  {
    name: "alert rules",
    summary: "List alert rules",
    load: () => import("./alerts").then((module) => module.listRules),
  },
  {
    name: "alert set",
    summary: "Change an alert rule; what is not given stays",
    operands: ["RULE"],
    form: "RULE [--threshold N] [--clear-at N] [--window DURATION] [--min-calls N] [--for DURATION] [--resolve-after DURATION] [--severity SEVERITY] [--to DESTINATION[,DESTINATION] | --to all] [--enable | --disable]",
    flags: {
      threshold: { value: "N", about: "an alert begins above it" },
      "clear-at": { value: "N", about: "an alert ends at or below it" },
      window: { value: "DURATION", about: "how far back calls are counted" },
      "min-calls": { value: "N", about: "with fewer calls there is no rate" },
      for: { value: "DURATION", about: "how long it is above before the alert fires" },
      "resolve-after": { value: "DURATION", about: "how long it is low before the alert is resolved" },
      severity: { value: "SEVERITY", about: "severity", values: SEVERITIES },
      to: { value: "DESTINATION[,DESTINATION]", about: "names or ids of destinations; all for all" },
      enable: { about: "measure it" },
      disable: { about: "do not measure it" },
    },
    load: () => import("./alerts").then((module) => module.setRule),
  },
  {
    name: "alert destinations",
    summary: "List where alerts are sent",
    load: () => import("./alerts").then((module) => module.listDestinations),
  },
  {
    name: "alert add",
    summary: "Add a destination of alerts; URL, key or password is read from a file",
    operands: [DESTINATION_KINDS.join("|")],
    form: `${DESTINATION_KINDS.join("|")} --name NAME [--secret-file FILE] [--url URL] [--host HOST --from ADDRESS --to ADDRESS[,ADDRESS] [--port PORT] [--security SECURITY] [--username NAME]]`,
    flags: {
      name: { value: "NAME", about: "name of the destination", required: true },
      "secret-file": {
        value: "FILE",
        about: "URL (slack, teams, webhook), integration key (pagerduty) or password (email); - reads stdin",
      },
      url: { value: "URL", about: "of a webhook, or of PagerDuty where it is not the usual one" },
      host: { value: "HOST", about: "SMTP server" },
      port: { value: "PORT", about: "port of it", fallback: "587; 465 for tls" },
      security: { value: "SECURITY", about: "encryption", values: MAIL_SECURITY, fallback: "starttls" },
      username: { value: "NAME", about: "user name at it" },
      from: { value: "ADDRESS", about: "sender" },
      to: { value: "ADDRESS[,ADDRESS]", about: "recipients" },
    },
    load: () => import("./alerts").then((module) => module.addDestination),
  },
  {
    name: "alert remove",
    summary: "Remove a destination of alerts",
    operands: ["DESTINATION"],
    load: () => import("./alerts").then((module) => module.removeDestination),
  },
  {
    name: "alert test",
    summary: "Send a test message to a destination and show the result",
    operands: ["DESTINATION"],
    load: () => import("./alerts").then((module) => module.testDestination),
  },
  {
    name: "alert silence",
    summary: "Silence alerts temporarily",
    form: "--for DURATION --reason TEXT [--rule RULE [--subject SUBJECT]]",
    flags: {
      for: { value: "DURATION", about: "how long, up to 90d", required: true },
      reason: { value: "TEXT", about: "reason", required: true },
      rule: { value: "RULE", about: "alerts of this rule", fallback: "all" },
      subject: { value: "SUBJECT", about: "of them, those about this subject", fallback: "all" },
    },
    load: () => import("./alerts").then((module) => module.silence),
  },
  {
    name: "alert unsilence",
    summary: "End a silence before its time",
    operands: ["ID"],
    load: () => import("./alerts").then((module) => module.unsilence),
  },
];
