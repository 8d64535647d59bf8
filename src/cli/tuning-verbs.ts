import type { Flag, Flags } from "./arguments";
import type { Verb } from "./verb";

const AS: Flag = { value: "EMAIL", about: "who does it: the same rules hold as under /api", required: true };
const REASON: Flag = { value: "TEXT", about: "why, for the record" };
const DECIDING: Flags = { as: AS, reason: { ...REASON, about: "why; needed when nobody else could decide" } };

/** From a suggestion to a rule in force, and back. */
export const TUNING_VERBS: readonly Verb[] = [
  {
    name: "tuning list",
    summary: "List suggested changes of the scanner, or the rules they became",
    flags: {
      status: { value: "STATUS[,STATUS]", about: "only these: proposed, pending_approval, approved, applied …" },
      rules: { about: "the rules in force instead" },
    },
    load: () => import("./tuning").then((room) => room.listTuning),
  },
  {
    name: "tuning show",
    summary: "Show one suggestion, and what stands in its way",
    operands: ["ID"],
    load: () => import("./tuning").then((room) => room.showTuning),
  },
  {
    name: "tuning approve",
    summary: "Approve a suggestion that somebody else asked for",
    operands: ["ID"],
    flags: DECIDING,
    load: () => import("./tuning").then((room) => room.approveTuning),
  },
  {
    name: "tuning deny",
    summary: "Deny it, or take an approval back",
    operands: ["ID"],
    flags: DECIDING,
    load: () => import("./tuning").then((room) => room.denyTuning),
  },
  {
    name: "tuning reject",
    summary: "Say that a suggestion is not wanted",
    operands: ["ID"],
    flags: { as: AS, reason: REASON },
    load: () => import("./tuning").then((room) => room.rejectTuning),
  },
  {
    name: "tuning apply",
    summary: "Put an approved suggestion in force",
    operands: ["ID"],
    flags: {
      mode: { value: "MODE", about: "enforce, or monitor to see first what it would change", fallback: "enforce" },
      "expires-in-days": { value: "N", about: "how long it holds", fallback: "90 for what loosens something" },
    },
    load: () => import("./tuning").then((room) => room.applyTuning),
  },
  {
    name: "tuning revert",
    summary: "Take a rule back",
    operands: ["RULE"],
    load: () => import("./tuning").then((room) => room.revertTuning),
  },
];
