import { COST_BASES } from "#model/audit";
import { CALL_CATEGORIES, CALL_DECISIONS, CALL_GROUPS, CALL_SORTS } from "#model/call-entry";
import type { CliFlag, CliFlags } from "./arguments";
import type { Verb } from "./verb";

const OWNER: CliFlag = { value: "EMAIL", about: "owner of the agent, when several agents have its name" };
const SINCE: CliFlag = { value: "T", about: "start: RFC 3339, a date, or a duration before now" };
const UNTIL: CliFlag = { value: "T", about: "end, exclusive" };
const WHOSE: CliFlags = {
  kind: { value: "KIND", about: "kind, such as tool.call, its first word, or model for calls of any model API" },
  agent: { value: "AGENT", about: "agent: id or name" },
  owner: OWNER,
};

/** Those of `GET /api/calls`. */
const FILTERS: CliFlags = {
  ...WHOSE,
  category: {
    value: "C",
    about: "calls of models and tools, others through the guard, administration, or all",
    values: [...CALL_CATEGORIES, "all"],
    fallback: "call and other",
  },
  user: { value: "EMAIL", about: "user who called" },
  token: { value: "ID", about: "gateway token, by its id" },
  model: { value: "MODEL", about: "model that was asked for" },
  tool: { value: "TOOL", about: "public name of the tool" },
  conversation: { value: "ID", about: "conversation, as sent by the caller" },
  decision: { value: "D", about: "what became of it", values: CALL_DECISIONS },
  outcome: { value: "O", about: "how it ended, such as answered, blocked_input, upstream_error" },
  finding: { value: "TYPE", about: "type of a finding, or what it begins with: pii, secret.aws" },
  status: { value: "S", about: "HTTP status, or a class of them: 429, 5xx" },
  "min-latency-ms": { value: "MS", about: "took so long at least" },
  "max-latency-ms": { value: "MS", about: "took so long at most" },
  "min-tokens": { value: "N", about: "so many tokens at least" },
  "max-tokens": { value: "N", about: "so many tokens at most" },
  "min-cost-usd": { value: "USD", about: "cost so much at least" },
  "max-cost-usd": { value: "USD", about: "cost so much at most" },
  "cost-basis": { value: "BASIS", about: "what its cost was computed by", values: COST_BASES },
  since: SINCE,
  until: UNTIL,
};

/** What was done, and the log that says so. */
export const AUDIT_VERBS: readonly Verb[] = [
  {
    name: "call list",
    summary: "List calls, newest first or in another order",
    flags: {
      ...FILTERS,
      sort: {
        value: "ORDER",
        about: "order, with a minus the largest first; write --sort=-cost",
        values: CALL_SORTS,
        fallback: "-time",
      },
      lines: { value: "N", short: "n", about: "number of calls, at most 10000", fallback: "50" },
    },
    load: () => import("./calls").then((module) => module.listCalls),
  },
  {
    name: "call values",
    summary: "Add calls up by agent, model, user or another field, those that cost or were most first",
    form: `--by ${Object.keys(CALL_GROUPS).join("|")} [--order calls|tokens|cost] [--lines N] [FILTERS OF call list]`,
    flags: {
      by: { value: "FIELD", about: "what calls are added up by", values: Object.keys(CALL_GROUPS), required: true },
      order: { value: "calls|tokens|cost", about: "which values come first", fallback: "calls" },
      ...FILTERS,
      lines: { value: "N", short: "n", about: "number of values, at most 10000", fallback: "20" },
    },
    load: () => import("./calls").then((module) => module.callValues),
  },
  {
    name: "call show",
    summary: "Show a call with its findings, by the id of the call, its event or its record",
    operands: ["ID"],
    load: () => import("./calls").then((module) => module.showCall),
  },
  {
    name: "call trace",
    summary: "Show the conversation of a call: turns, tool calls below the model call that asked for them, totals",
    operands: ["ID"],
    flags: {
      lines: { value: "N", short: "n", about: "number of calls, the latest, at most 10000", fallback: "200" },
    },
    load: () => import("./call-trace").then((module) => module.traceCall),
  },
  {
    name: "audit tail",
    summary: "Show the newest audit records, and with --follow those that come",
    flags: {
      follow: { short: "f", about: "go on with what every process and hub records; Ctrl-C ends it" },
      ...WHOSE,
      lines: { value: "N", short: "n", about: "number of records, at most 10000", fallback: "20" },
    },
    load: () => import("./audit").then((module) => module.tail),
  },
  {
    name: "audit verify",
    summary: "Verify the integrity of the audit log; exit code 8 when it is broken",
    flags: {
      head: { value: "SEQ:HASH", about: "record noted elsewhere; exit code 8 when the log does not contain it" },
    },
    load: () => import("./audit").then((module) => module.verify),
  },
  {
    name: "audit prove",
    summary: "Write a proof that a call is in the audit log, for somebody who has nothing but the log's public key",
    operands: ["ID"],
    load: () => import("./proofs").then((module) => module.prove),
  },
  {
    name: "audit check",
    summary: "Check a proof without a data directory; exit code 8 when it does not hold",
    operands: ["FILE"],
    flags: {
      key: { value: "FILE", about: "the log's public key, as audit key prints it, or a C2SP policy with witnesses" },
    },
    load: () => import("./proof-check").then((module) => module.check),
  },
  {
    name: "audit key",
    summary: "Show the public keys that proofs are checked with, one for each log of this data directory",
    load: () => import("./proofs").then((module) => module.key),
  },
  {
    name: "audit consistency",
    summary: "Check that the log goes on from a checkpoint somebody kept; exit code 8 when it was rewritten",
    flags: {
      from: { value: "FILE", about: "checkpoint or proof that was kept", required: true },
      to: { value: "FILE", about: "later checkpoint or proof", fallback: "the newest of the log" },
    },
    load: () => import("./proofs").then((module) => module.consistency),
  },
  {
    name: "witness",
    summary: "Sign the checkpoints of hubs' audit logs, each only when it goes on from the one before; Ctrl-C ends it",
    flags: {
      logs: { value: "FILE", about: "public keys of the logs, as audit key prints them", required: true },
      name: { value: "NAME", about: "name of the witness in its key, such as witness.example.com", required: true },
      dir: { value: "DIR", about: "directory of its key and of what it has signed", fallback: "guardhouse-witness" },
      listen: { value: "HOST:PORT", about: "address it listens on", fallback: "127.0.0.1:8687" },
    },
    load: () => import("./witness").then((module) => module.witness),
  },
  {
    name: "audit export",
    summary: "Write audit records to stdout, oldest first",
    flags: {
      format: { value: "ndjson|csv|ocsf", about: "output format; OCSF is one event a line", required: true },
      since: SINCE,
      until: UNTIL,
    },
    load: () => import("./audit-export").then((module) => module.exportAudit),
  },
];
