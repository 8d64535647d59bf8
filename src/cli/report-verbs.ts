import { DIRECTIONS, REPORT_STATUSES, VERDICTS } from "#core/report";
import type { Flag } from "./arguments";
import type { Verb } from "./verb";

const AS: Flag = { value: "EMAIL", about: "who does it: the same rules hold as under /api", required: true };

/** Disputes and miss reports, as people look at them. */
export const REPORT_VERBS: readonly Verb[] = [
  {
    name: "report list",
    summary: "List disputes and miss reports, newest first",
    flags: {
      status: { value: REPORT_STATUSES.join("|"), about: "only these" },
      direction: { value: DIRECTIONS.join("|"), about: "disputes, or misses" },
    },
    load: () => import("./reports").then((room) => room.listReports),
  },
  {
    name: "report show",
    summary: "Show a report with its content; that somebody has looked is on record",
    operands: ["ID"],
    flags: { as: AS },
    load: () => import("./reports").then((room) => room.showReport),
  },
  {
    name: "report decide",
    summary: "Say what a report is, and close it",
    operands: ["ID"],
    flags: {
      verdict: { value: VERDICTS.join("|"), about: "what it is found to be", required: true },
      as: AS,
      reason: { value: "TEXT", about: "why, for the record; needed to decide alone on one's own" },
    },
    load: () => import("./reports").then((room) => room.decideReport),
  },
];
