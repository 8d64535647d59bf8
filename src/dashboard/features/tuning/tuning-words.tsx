import type { AnswerTo } from "#dashboard/api/client";
import { Chip, spoken } from "#dashboard/parts/chip";
import type { ItemOf } from "#dashboard/parts/hooks";

export type SuggestionData = ItemOf<"GET /api/tuning">;
export type Rule = ItemOf<"GET /api/tuning/rules">;
/** One suggestion, with where its approval stands and what the reader may do. */
export type OpenSuggestion = AnswerTo<"GET /api/tuning/:id">;
type Changed = Pick<SuggestionData, "match" | "change">;
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
export const subjectOf = ({ agent, user }: Pick<SuggestionData, "agent" | "user">): string =>
  agent ?? `${user} (personal)`;

/** Which findings it is about. */
export const aboutOf = ({ match }: Pick<SuggestionData, "match">): string => {
  const { types, origins, context, value, pattern, keywords } = match;
  return [
    types.length > 0 ? types.join(", ") : "any type",
    value && `${value.of === "match" ? "one exact value" : "one whole text"}${value.hash && ` (${value.hash}…)`}`,
    pattern && `matching ${pattern}`,
    keywords && `after ${keywords.join(", ")}`,
    context && `at ${context}`,
    origins && `origin ${origins.map(spoken).join(", ")}`,
  ]
    .filter(Boolean)
    .join("; ");
};

const PAST: Readonly<Record<string, string>> = {
  allow: "allowed",
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
        before: "Redacted or blocked, by policy.",
        after: "Only flagged.",
      };
    case "threshold":
      return {
        before: `${kindName(done(change.action))} from score ${change.from ?? "never"}.`,
        after: `${kindName(done(change.action))} from score ${change.to}.`,
      };
    case "action":
      return { before: `${kindName(done(change.from))}.`, after: `${kindName(done(change.to))}.` };
    case "detect":
      return { before: "Not detected.", after: `Detected and ${done(change.action)}.` };
    case "amend":
      return {
        before: "Rule in force.",
        after:
          change.mode === "off"
            ? "The rule ends."
            : `The rule continues in ${change.mode} mode, or with a later expiry.`,
      };
  }
};

/** The same for who reads JSON: only what differs, and what it is about. */
export const jsonOf = ({ match, change }: Changed): Readonly<Record<Step, string>> => {
  const text = (what: unknown) => JSON.stringify({ match, does: what }, null, 2);
  switch (change.op) {
    case "allow":
      return { before: text("by policy"), after: text({ action: "flag" }) };
    case "threshold":
      return { before: text({ [change.action]: change.from }), after: text({ [change.action]: change.to }) };
    case "action":
      return { before: text({ action: change.from }), after: text({ action: change.to }) };
    case "detect":
      return { before: text(null), after: text({ action: change.action }) };
    case "amend":
      return { before: text("by rule"), after: text({ rule: change.mode }) };
  }
};

/** Blocking requirements, and what to do about it. */
export const BLOCKING: Readonly<Record<string, string>> = {
  approval_required: "Approval required: request it from another person.",
  stale_base:
    "Tuning or profile of the same scope have changed. Request approval again: the change is re-evaluated against the current rules.",
  would_release_confirmed: "The change would release a confirmed finding. Narrow it, or reject it.",
  state_conflict: "No decision is pending.",
};

/** Which way a change goes. */
export const EffectChip = ({ effect }: { readonly effect: "loosen" | "tighten" }) => (
  <Chip tone={effect === "loosen" ? "warn" : "ok"}>{effect === "loosen" ? "loosens" : "tightens"}</Chip>
);
