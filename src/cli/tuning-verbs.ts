import type { CliFlag, CliFlags } from "./arguments";
import type { Verb } from "./verb";

const AS: CliFlag = { value: "EMAIL", about: "user who acts; needs the same role as under /api", required: true };
const REASON: CliFlag = { value: "TEXT", about: "reason, recorded in the audit log" };
const DECIDING: CliFlags = { as: AS, reason: { ...REASON, about: "reason; required when nobody else can decide" } };

/** From a suggestion to a rule in force, and back. */
export const TUNING_VERBS: readonly Verb[] = [
  {
    name: "tuning list",
    summary: "List tuning suggestions, or the tuning rules in force",
    flags: {
      status: { value: "STATUS[,STATUS]", about: "filter by status: proposed, pending_approval, approved, applied …" },
      rules: { about: "list the tuning rules in force instead" },
    },
    load: () => import("./tuning").then((module) => module.listTuning),
  },
  {
    name: "tuning show",
    summary: "Show a tuning suggestion and its blocking requirements",
    operands: ["ID"],
    load: () => import("./tuning").then((module) => module.showTuning),
  },
  {
    name: "tuning approve",
    summary: "Approve a tuning suggestion requested by somebody else",
    operands: ["ID"],
    flags: DECIDING,
    load: () => import("./tuning").then((module) => module.approveTuning),
  },
  {
    name: "tuning deny",
    summary: "Deny a tuning suggestion, or withdraw an approval",
    operands: ["ID"],
    flags: DECIDING,
    load: () => import("./tuning").then((module) => module.denyTuning),
  },
  {
    name: "tuning reject",
    summary: "Reject a tuning suggestion permanently",
    operands: ["ID"],
    flags: { as: AS, reason: REASON },
    load: () => import("./tuning").then((module) => module.rejectTuning),
  },
  {
    name: "tuning apply",
    summary: "Apply an approved tuning suggestion",
    operands: ["ID"],
    flags: {
      mode: {
        value: "MODE",
        about: "monitor records only what would change",
        values: ["enforce", "monitor"],
        fallback: "enforce",
      },
      "expires-in-days": { value: "N", about: "days until the rule expires", fallback: "90 for a rule that loosens" },
    },
    load: () => import("./tuning").then((module) => module.applyTuning),
  },
  {
    name: "tuning revert",
    summary: "Roll back a tuning rule",
    operands: ["RULE"],
    load: () => import("./tuning").then((module) => module.revertTuning),
  },
];
