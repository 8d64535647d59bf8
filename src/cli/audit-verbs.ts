import { CALL_DECISIONS } from "#model/call-entry";
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

/** What was done, and the log that says so. */
export const AUDIT_VERBS: readonly Verb[] = [
  {
    name: "call list",
    summary: "List calls, newest first",
    form: "[--agent AGENT [--owner EMAIL]] [--user EMAIL] [--model MODEL] [--tool TOOL] [--conversation ID] [--decision D] [--kind KIND] [--since T] [--until T] [--lines N]",
    flags: {
      ...WHOSE,
      user: { value: "EMAIL", about: "user who called" },
      model: { value: "MODEL", about: "model that was asked for" },
      tool: { value: "TOOL", about: "public name of the tool" },
      conversation: { value: "ID", about: "conversation, as sent by the caller" },
      decision: { value: "D", about: "what became of it", values: CALL_DECISIONS },
      since: SINCE,
      until: UNTIL,
      lines: { value: "N", short: "n", about: "number of calls, at most 10000", fallback: "50" },
    },
    load: () => import("./calls").then((module) => module.listCalls),
  },
  {
    name: "call show",
    summary: "Show a call with its findings, by the id of the call, its event or its record",
    operands: ["ID"],
    load: () => import("./calls").then((module) => module.showCall),
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
