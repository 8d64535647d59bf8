import type { Answer } from "#dashboard/api/client";
import type { ItemOf } from "#dashboard/api/hooks";
import { spoken } from "#dashboard/parts/chip";

export type Suggestion = ItemOf<"GET /api/tuning">;
export type Rule = ItemOf<"GET /api/tuning/rules">;
/** One suggestion, with where its approval stands and what the reader may do. */
export type OpenSuggestion = Answer<"GET /api/tuning/:id">;
type Changed = Pick<Suggestion, "match" | "change">;
type Step = "before" | "after";

export const TUNING_TABS = [
  { to: "/tuning", label: "Suggestions" },
  { to: "/tuning/rules", label: "Rules in force" },
] as const;

export const kindName = (kind: string): string => {
  const words = spoken(kind);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};

/** Whose calls it is about. */
export const subjectOf = ({ agent, user }: Pick<Suggestion, "agent" | "user">): string => agent ?? `${user}, own calls`;

/** Which findings it is about. */
export const aboutOf = ({ match }: Pick<Suggestion, "match">): string => {
  const { types, origins, context, value, pattern, keywords } = match;
  return [
    types.length > 0 ? types.join(", ") : "any type",
    value && `${value.of === "match" ? "one exact value" : "one whole text"}${value.hash && ` (${value.hash}…)`}`,
    pattern && `values of the form ${pattern}`,
    keywords && `after ${keywords.join(", ")}`,
    context && `at ${context}`,
    origins && `said by ${origins.map(spoken).join(", ")}`,
  ]
    .filter(Boolean)
    .join("; ");
};

const PAST: Readonly<Record<string, string>> = {
  allow: "let pass",
  flag: "flagged",
  redact: "redacted",
  block: "blocked",
};
const done = (action: string): string => PAST[action] ?? action;

/** What is done about them before it, and what after, in words. */
export const effectOf = ({ change }: Changed): Readonly<Record<Step, string>> => {
  switch (change.op) {
    case "allow":
      return {
        before: "Redacted or blocked, as the policy has it.",
        after: "Only flagged: it passes, and is on record.",
      };
    case "threshold":
      return {
        before: `${kindName(done(change.action))} from a score of ${change.from ?? "never"} on.`,
        after: `${kindName(done(change.action))} from a score of ${change.to} on.`,
      };
    case "action":
      return { before: `${kindName(done(change.from))}.`, after: `${kindName(done(change.to))}.` };
    case "detect":
      return { before: "Not looked for.", after: `Looked for, and ${done(change.action)}.` };
    case "amend":
      return {
        before: "The rule is in force as it is.",
        after: change.mode === "off" ? "The rule ends." : `The rule goes on in ${change.mode} mode, or holds longer.`,
      };
  }
};

/** The same for who reads JSON: only what differs, and what it is about. */
export const jsonOf = ({ match, change }: Changed): Readonly<Record<Step, string>> => {
  const text = (what: unknown) => JSON.stringify({ match, does: what }, null, 2);
  switch (change.op) {
    case "allow":
      return { before: text("as the policy has it"), after: text({ action: "flag" }) };
    case "threshold":
      return { before: text({ [change.action]: change.from }), after: text({ [change.action]: change.to }) };
    case "action":
      return { before: text({ action: change.from }), after: text({ action: change.to }) };
    case "detect":
      return { before: text(null), after: text({ action: change.action }) };
    case "amend":
      return { before: text("as the rule has it"), after: text({ rule: change.mode }) };
  }
};

/** What stands in the way, and what to do about it. */
export const BLOCKING: Readonly<Record<string, string>> = {
  approval_required: "It takes a person's approval: ask for it, and have somebody else approve it.",
  stale_base:
    "Tuning or profile of the same subject have changed since. Ask for approval anew: it is replayed against the rules of now.",
  would_release_confirmed:
    "It would let pass what is known to be caught rightly. Edit it so that it is narrower, or reject it.",
  state_conflict: "Nothing is left to decide about it.",
};
