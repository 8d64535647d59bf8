import type { Requirement } from "./requirement";

/** What is promised of the reviewing model. */
export const REVIEWER: readonly Requirement[] = [
  {
    id: "reviewer.fenced",
    promise:
      "Whatever a report's content or reason says, it reaches the reviewer as evidence: quoted, between random marks that cannot occur in it, without markers of chat templates.",
    source: "docs/spec/reviewer.md#evidence",
  },
  {
    id: "reviewer.masked",
    promise: "Secrets in a report are masked by the hub's own detectors before they leave it.",
    source: "docs/spec/reviewer.md#evidence",
  },
  {
    id: "reviewer.bounded",
    promise: "Evidence that is too long for the reviewer goes to people whole; nothing is cut off.",
    source: "docs/spec/reviewer.md#evidence",
  },
  {
    id: "reviewer.strict-answer",
    promise: "Of a reviewer's answer only the JSON object it ends with counts, and only in exactly the form asked for.",
    source: "docs/spec/reviewer.md#answers",
  },
  {
    id: "reviewer.plain-reasoning",
    promise: "A reviewer's reasoning is kept short, as plain text, with personal data and secrets masked.",
    source: "docs/spec/reviewer.md#answers",
  },
  {
    id: "reviewer.two-readings",
    promise: "A verdict takes two readings that agree, both at 0.7 or above; else it is inconclusive.",
    source: "docs/spec/reviewer.md#answers",
  },
  {
    id: "reviewer.canary",
    promise:
      "Every 50th review begins with a case whose answer is known; a wrong answer pauses the reviewer until a person lets it go on or another model is configured.",
    source: "docs/spec/reviewer.md#trust-in-the-model",
  },
  {
    id: "reviewer.alarm",
    promise:
      "When the model has found more than 80 % of a reporter's last 20 disputes right, people judge the next ones.",
    source: "docs/spec/reviewer.md#trust-in-the-model",
  },
  {
    id: "reviewer.optional",
    promise:
      "Without a reviewer configured, without consent or without content, a report goes to people, and its content to no model.",
    source: "docs/spec/reviewer.md#without-a-model",
  },
  {
    id: "reviewer.audited",
    promise:
      "Each reading of a report is on record before and after it, without content, and a decision names who made it.",
    source: "docs/spec/reviewer.md#consequences",
  },
  {
    id: "reviewer.no-change",
    promise: "A verdict changes no rule: it makes a suggestion for a wrong block or a real miss, and nothing else.",
    source: "docs/spec/reviewer.md#consequences",
  },
  {
    id: "reviewer.jobs",
    promise: "Reviews survive a restart and kill -9, are retried with growing pauses three times, then go to people.",
    source: "docs/spec/reviewer.md#consequences",
  },
  {
    id: "reviewer.limits",
    promise: "A reading has a time limit, and the readings of a day a budget; what is beyond goes to people.",
    source: "docs/spec/reviewer.md#trust-in-the-model",
  },
  {
    id: "reviewer.people",
    promise:
      "Analysts, reviewers and administrators decide on any report but their own, with or without a model's verdict.",
    source: "docs/spec/reviewer.md#without-a-model",
  },
  {
    id: "reviewer.reading",
    promise:
      "Content of a report is opened for analysts, reviewers and administrators only, and each look is on record.",
    source: "docs/spec/reviewer.md#without-a-model",
  },
];
