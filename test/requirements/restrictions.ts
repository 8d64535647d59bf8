import type { Requirement } from "./requirement";

/** What is promised of restrictions, kill switch, holds. */
export const RESTRICTIONS: readonly Requirement[] = [
  {
    id: "restriction.who",
    promise:
      "Administrators restrict anything, owners their own agents, analysts and the hub for a day at most; it is lifted by who set it or an administrator.",
    source: "docs/spec/restrictions.md#who-restricts",
  },
  {
    id: "kill.levels",
    promise:
      "A kill switch stops chat, streams, tools and probes of an agent, an owner, a tool server, a model or everything, and nothing else.",
    source: "docs/spec/restrictions.md#kill-switches",
  },
  {
    id: "kill.open-streams",
    promise: "An open stream that a kill switch stops ends within a second, with the error as its last event.",
    source: "docs/spec/restrictions.md#kill-switches",
  },
  {
    id: "kill.at-once",
    promise: "No call that began after a kill switch was confirmed is served.",
    source: "docs/spec/restrictions.md#kill-switches",
  },
  {
    id: "kill.kept",
    promise: "A kill switch survives a restart, and is on once for each target.",
    source: "docs/spec/restrictions.md#kill-switches",
  },
  {
    id: "kill.who",
    promise: "Only administrators switch kill switches.",
    source: "docs/spec/restrictions.md#kill-switches",
  },
  {
    id: "kill.command-line",
    promise: "Kill switches work on the command line, beside a running hub and without one.",
    source: "docs/spec/restrictions.md#kill-switches",
  },
  {
    id: "restriction.kinds",
    promise: "Each kind of restriction has its effect from the next request on, and none once it is lifted.",
    source: "docs/spec/restrictions.md#effect-of-a-restriction",
  },
  {
    id: "restriction.open-streams",
    promise: "Suspending an agent ends its open streams.",
    source: "docs/spec/restrictions.md#effect-of-a-restriction",
  },
  {
    id: "restriction.expires",
    promise: "A restriction ends at its time with nobody doing anything.",
    source: "docs/spec/restrictions.md#effect-of-a-restriction",
  },
  {
    id: "restriction.on-record",
    promise: "Restrictions survive a restart; who set, confirmed and lifted them is in the audit log.",
    source: "docs/spec/restrictions.md#effect-of-a-restriction",
  },
  {
    id: "restriction.receipts",
    promise: "Receipts say where a restriction holds, and never sooner than it does.",
    source: "docs/spec/restrictions.md#receipts",
  },
  {
    id: "restriction.windows",
    promise: "What automatic restrictions count over is exact to its step, and forgets by itself.",
    source: "docs/spec/restrictions.md#automatic-restrictions",
  },
  {
    id: "restriction.automatic",
    promise:
      "An agent that leaks, probes or runs away is restricted for a while, with the rule, its figures and evidence.",
    source: "docs/spec/restrictions.md#automatic-restrictions",
  },
  {
    id: "restriction.automatic-suspension",
    promise: "The hub suspends no agent by itself unless an administrator has opted in for its tier.",
    source: "docs/spec/restrictions.md#automatic-restrictions",
  },
  {
    id: "restriction.automatic-once",
    promise: "One rule restricts an agent once at a time, and anew only on new evidence.",
    source: "docs/spec/restrictions.md#automatic-restrictions",
  },
  {
    id: "restriction.automatic-cheap",
    promise: "Watching for automatic restrictions costs a call microseconds, and bounded memory.",
    source: "docs/spec/restrictions.md#automatic-restrictions",
  },
  {
    id: "restriction.automatic-shared",
    promise:
      "Where several processes serve, automatic restrictions count over all of them: the sum sets one off, once, as in one process.",
    source: "docs/spec/restrictions.md#automatic-restrictions",
  },
  {
    id: "hold.once",
    promise: "A held call passes once for each approval: the same tool with the same arguments, and no other.",
    source: "docs/spec/restrictions.md#held-calls",
  },
  {
    id: "hold.once-for-both",
    promise:
      "An approval of a gateway tool's call in an answer lets the answer pass and, for five minutes, the same call at the gateway, once each, at any process; never another definition, tool, agent or arguments, nor a client's own function of that name.",
    source: "docs/spec/restrictions.md#held-calls",
  },
  {
    id: "hold.denied",
    promise: "A held call that was denied stays denied until it runs out.",
    source: "docs/spec/restrictions.md#held-calls",
  },
  {
    id: "hold.chat",
    promise: "A tool call of a model that needs a person is withheld from the answer, whole and streamed.",
    source: "docs/spec/restrictions.md#held-calls",
  },
  {
    id: "hold.who",
    promise:
      "Owners decide on held calls of their agents, reviewers, analysts and administrators on all; never a gateway token.",
    source: "docs/spec/restrictions.md#deciding-on-held-calls",
  },
  {
    id: "hold.sealed",
    promise: "Arguments of held calls are kept sealed; who may decide sees them, and each look is on record.",
    source: "docs/spec/restrictions.md#deciding-on-held-calls",
  },
  {
    id: "hold.on-record",
    promise: "Holding, deciding and passing are in the audit log, and survive a restart.",
    source: "docs/spec/restrictions.md#deciding-on-held-calls",
  },
  {
    id: "hold.expires",
    promise: "A held call waits, and an approval of it is good, for 15 minutes.",
    source: "docs/spec/restrictions.md#held-calls",
  },
  {
    id: "hold.bounded",
    promise: "Of one agent 100 calls wait at most.",
    source: "docs/spec/restrictions.md#held-calls",
  },
  {
    id: "restriction.automatic-off",
    promise: 'guard.automatic_restrictions = "off" leaves restricting to people.',
    source: "docs/spec/restrictions.md#automatic-restrictions",
  },
  {
    id: "restriction.bounded",
    promise:
      "Of one kind 50 restrictions are in force on an agent at most; that keeps nobody from setting another kind.",
    source: "docs/spec/restrictions.md#who-restricts",
  },
  {
    id: "kill.says-why",
    promise:
      "Those a kill switch stops are told the reason: programs in the error, as one bounded line of plain text, people on every screen.",
    source: "docs/spec/restrictions.md#kill-switches",
  },
];
