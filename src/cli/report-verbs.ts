import { DIRECTIONS, REPORT_STATUSES, VERDICTS } from "#model/report";
import type { CliFlag } from "./arguments";
import type { Verb } from "./verb";

const AS: CliFlag = { value: "EMAIL", about: "user who acts; needs the same role as under /api", required: true };

/** Disputes and miss reports, as people look at them. */
export const REPORT_VERBS: readonly Verb[] = [
  {
    name: "report list",
    summary: "List disputes and miss reports, newest first",
    flags: {
      status: { value: REPORT_STATUSES.join("|"), about: "filter by status" },
      direction: { value: DIRECTIONS.join("|"), about: "disputes (false_positive) or miss reports (false_negative)" },
    },
    load: () => import("./reports").then((module) => module.listReports),
  },
  {
    name: "report show",
    summary: "Show a report with its content; viewing is recorded in the audit log",
    operands: ["ID"],
    flags: { as: AS },
    load: () => import("./reports").then((module) => module.showReport),
  },
  {
    name: "report decide",
    summary: "Decide reports and close them",
    operands: ["[ID…]"],
    form: "{ID… | --like ID} --verdict VERDICT --as EMAIL [--reason TEXT] [--dry-run]",
    flags: {
      like: { value: "ID", about: "this report and the waiting ones like it, as the inbox groups them" },
      "dry-run": { about: "only show which reports would be decided" },
      verdict: { value: VERDICTS.join("|"), about: "verdict", required: true },
      as: AS,
      reason: {
        value: "TEXT",
        about: "reason, recorded in the audit log; required to decide alone on your own report",
      },
    },
    load: () => import("./reports").then((module) => module.decideReport),
  },
  {
    name: "report evidence",
    summary: "Write an evidence report on an agent: JSON, a page to print, and a signed note that names both",
    flags: {
      agent: { value: "AGENT", about: "agent: id or name", required: true },
      owner: { value: "EMAIL", about: "owner of the agent, when several agents have its name" },
      from: { value: "T", about: "start: RFC 3339, a date, or a duration before now", required: true },
      to: { value: "T", about: "end, exclusive", required: true },
      out: { value: "DIR", about: "directory to write to", fallback: "the working directory" },
    },
    load: () => import("./evidence").then((module) => module.evidenceReport),
  },
];
