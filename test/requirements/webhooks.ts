import type { Requirement } from "./requirement";

/** What is promised of webhooks. */
export const WEBHOOKS: readonly Requirement[] = [
  {
    id: "webhook.signed",
    promise: "Each message is signed as Standard Webhooks has it; two secrets sign while one is being replaced.",
    source: "docs/spec/webhooks.md#messages",
  },
  {
    id: "webhook.summary-shared",
    promise:
      "Where several processes serve, the summary of blocked calls is one event for each caller, of all of them, also when the one that tells of it is replaced.",
    source: "docs/spec/webhooks.md#messages",
  },
  {
    id: "webhook.ssrf",
    promise:
      "Only public addresses are sent to, by https and without redirects, unless the configuration allows a network.",
    source: "docs/spec/webhooks.md#receivers",
  },
  {
    id: "webhook.thin",
    promise: "Payloads hold a type, a time, ids and an address: never content, names or reasons.",
    source: "docs/spec/webhooks.md#messages",
  },
  {
    id: "webhook.retries",
    promise: "What a receiver does not take is sent again up to nine times over three days, under the same id.",
    source: "docs/spec/webhooks.md#delivery",
  },
  {
    id: "webhook.disabled",
    promise: "A receiver that is gone (410), or takes nothing for five days, is switched off, and that is on record.",
    source: "docs/spec/webhooks.md#delivery",
  },
  {
    id: "webhook.log",
    promise: "What was sent, and what came of each attempt, is kept for 30 days and can be sent again.",
    source: "docs/spec/webhooks.md#delivery",
  },
  {
    id: "webhook.events",
    promise:
      "Subscribers are told of changes of agents, reviews, restrictions, kill switches, tokens and tools, of blocked calls in sum, and of health and drift.",
    source: "docs/spec/webhooks.md#messages",
  },
  {
    id: "webhook.at-least-once",
    promise: "A change is told at least once, also when the hub is killed in between.",
    source: "docs/spec/webhooks.md#delivery",
  },
  {
    id: "webhook.admin",
    promise: "Administrators alone have webhooks; the secret is shown once and kept sealed.",
    source: "docs/spec/webhooks.md#management",
  },
  {
    id: "webhook.outbox",
    promise: "Every change of governance leaves its record in the outbox in the same step, whichever process makes it.",
    source: "docs/spec/webhooks.md#delivery",
  },
];
