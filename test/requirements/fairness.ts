import type { Requirement } from "./requirement";

/** What is promised of callers beside each other: nobody's long text holds anybody up. */
export const FAIRNESS: readonly Requirement[] = [
  {
    id: "fairness.long-texts",
    promise: "While one caller's long text is scanned, health checks and the calls of others are answered.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.long-answers",
    promise:
      "While a provider's long answer is handled, health checks are answered; it leaves changed in nothing but what was redacted.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.long-events",
    promise:
      "A long event of a stream, and long arguments of a tool call, leave as they would in a whole answer, in their place.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.long-comments",
    promise: "A comment in a provider's stream that is too long to be read does not leave, and is recorded as dropped.",
    source: "docs/scanning.md#what-is-scanned",
  },
  {
    id: "fairness.same-findings",
    promise:
      "What is found in a text does not depend on where, beside what, or in how many pieces of time it is scanned.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.same-shape",
    promise: "A long body is taken or refused in the same words, and at the same place, as a short one.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.kept-texts",
    promise: "Long texts that were blocked or redacted are hashed and sealed in turns with calls, to the same hashes.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.tool-lists",
    promise:
      "While a server's long list of tools is taken in, health checks and the calls of others are answered; what comes of the list is the same.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.tool-results",
    promise:
      "While long arguments or results of a tool call are handled, health checks and the calls of others are answered; what arrives is the same.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.replays",
    promise: "Trying a change on the calls of the last two weeks, on samples and on kept texts gives way to calls.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.reports",
    promise:
      "Long texts of reports are masked, and looked at for suggestions, in the scan pool, as short ones are at once.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.turns",
    promise: "Callers with long texts take turns: however many one sends, another's first waits for one.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.bounded",
    promise:
      "Long texts that wait are bounded for each token and for all; beyond that a request is refused with Retry-After, and recorded.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.cancelled",
    promise: "When a client leaves, its text is not scanned any further, and its call is recorded as left.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.lost-thread",
    promise: "A scanning thread that dies or hangs is replaced; its text is treated as the scanner's failure is.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "fairness.probe",
    promise: "How late the event loop comes round, and what waits to be scanned, is told to collectors and by doctor.",
    source: "docs/operating.md#prometheus-metrics",
  },
];
