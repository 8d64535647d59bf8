import type { Requirement } from "./requirement";

/** What is promised of the audit record. */
export const AUDIT: readonly Requirement[] = [
  {
    id: "audit.fail-closed",
    promise: "A call whose record cannot be written is not served to its end.",
    source: "docs/spec/audit.md#no-record-no-service",
  },
  {
    id: "audit.no-content",
    promise: "No record holds content.",
    source: "docs/spec/audit.md#what-a-record-holds",
  },
  {
    id: "audit.chain",
    promise: "audit verify finds any changed, removed or reordered record, and ends with 8.",
    source: "docs/spec/audit.md#the-chain",
  },
  {
    id: "audit.flags",
    promise:
      "A record holds at most 100 flags, of too many those most was done about; neither question nor answer takes the other's half.",
    source: "docs/spec/audit.md#what-a-record-holds",
  },
  {
    id: "audit.call-record",
    promise:
      "Each call has one final record with who, what, policy, flags with spans, coverage, usage, times and outcome; open calls have one before.",
    source: "docs/spec/audit.md#what-a-record-holds",
  },
  {
    id: "audit.request-id",
    promise: "Every response carries x-request-id; a call's is the id of its record.",
    source: "docs/spec/audit.md#what-a-record-holds",
  },
  {
    id: "audit.refusals",
    promise: "Refused tokens leave a counted trace that cannot fill the disk.",
    source: "docs/spec/audit.md#refused-tokens",
  },
  {
    id: "audit.recovery",
    promise: "When the audit log can be written again the hub serves again, without a restart.",
    source: "docs/spec/audit.md#no-record-no-service",
  },
  {
    id: "audit.crash",
    promise: "Killing the process loses no record of an answered call; what was open is recorded as interrupted.",
    source: "docs/spec/audit.md#no-record-no-service",
  },
  {
    id: "audit.signed",
    promise:
      "Checkpoints are chained and expected: taking any away, or rewriting what they signed, needs the signing key, and ends verify with 8.",
    source: "docs/audit.md#checkpoints",
  },
  {
    id: "audit.attacks",
    promise:
      "What is detected with the database alone, with the key, and with a head noted elsewhere is as documented.",
    source: "docs/audit.md#what-verification-detects",
  },
  {
    id: "audit.chained-update",
    promise: "A log of 0.1.0 verifies after the update, and says from which record on its checkpoints are chained.",
    source: "docs/audit.md#checkpoints",
  },
  {
    id: "audit.fault-log",
    promise: "While records cannot be written the log says so once and then how many, not a line for each call.",
    source: "docs/operating.md#log",
  },
  {
    id: "retention.unnoticed",
    promise: "Months are dropped a little at a time by the thread that writes records, and calls go on meanwhile.",
    source: "docs/operating.md#retention",
  },
  {
    id: "retention.resumed",
    promise:
      "A drop that is cut off at any moment leaves a log that verifies, with its record, and the next start goes on.",
    source: "docs/operating.md#retention",
  },
  {
    id: "proofs.prove",
    promise: "Each record under a checkpoint can be proved, in logs of any length.",
    source: "docs/audit.md#proofs",
  },
  {
    id: "proofs.check",
    promise: "A proof is checked with the log's public key alone, and what was changed of it does not hold.",
    source: "docs/audit.md#proofs",
  },
  {
    id: "proofs.consistency",
    promise: "A log that was set back or rewritten is told from one that goes on from what somebody kept of it.",
    source: "docs/audit.md#proofs",
  },
  {
    id: "proofs.pruned",
    promise: "Proofs hold after retention has dropped the months of their records.",
    source: "docs/audit.md#proofs",
  },
  {
    id: "proofs.verify",
    promise: "Verification holds tiles, root and signature of a log's tree to its records.",
    source: "docs/audit.md#proofs",
  },
  {
    id: "proofs.published",
    promise: "Hashes and checkpoints are served where that is switched on, records never.",
    source: "docs/audit.md#proofs",
  },
  {
    id: "proofs.witness",
    promise:
      "Witnesses sign checkpoints that go on from the one before and no others, and proofs carry their signatures.",
    source: "docs/audit.md#witnesses",
  },
  {
    id: "evidence.report",
    promise:
      "A report says what governed an agent in a time, and what it did: from enforced facts and the audit log alone.",
    source: "docs/audit.md#evidence-reports",
  },
  {
    id: "evidence.content",
    promise: "Evidence reports have no content of calls.",
    source: "docs/audit.md#evidence-reports",
  },
  {
    id: "evidence.signed",
    promise: "A report is signed, and each call that it cites is proved to be in the log.",
    source: "docs/audit.md#evidence-reports",
  },
  {
    id: "evidence.page",
    promise: "The page of a report loads nothing, and prints.",
    source: "docs/audit.md#evidence-reports",
  },
  {
    id: "evidence.taxonomy",
    promise: "Every flag type has its place in OWASP's lists for LLM applications and agents and in MITRE ATLAS.",
    source: "docs/audit.md#evidence-reports",
  },
  {
    id: "evidence.dashboard",
    promise: "Auditors get public keys, proofs and evidence reports from the pages of the log, of calls and of agents.",
    source: "docs/audit.md#proofs",
  },
  {
    id: "proofs.damaged",
    promise:
      "A damaged tree keeps no record from being written, and nothing is signed that does not go on from what was signed.",
    source: "docs/audit.md#proofs",
  },
  {
    id: "proofs.trust",
    promise: "Policies of witnesses with groups and thresholds are held to, and witnesses refuse what does not go on.",
    source: "docs/audit.md#witnesses",
  },
  {
    id: "proofs.hubs",
    promise: "Each process and hub proves its own records, under a name of its own.",
    source: "docs/audit.md#proofs",
  },
  {
    id: "proofs.restored",
    promise:
      "A log that was restored from a backup goes on under another name, since it may not sign otherwise than it has.",
    source: "docs/audit.md#witnesses",
  },
];
