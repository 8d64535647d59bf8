import type { AnswerTo } from "#dashboard/api/client";
import { followsOf, wordsOf } from "#dashboard/features/reports/report-words";
import type { Choice } from "#dashboard/parts/field";
import type { InboxDecisions, InboxItem, InboxKind } from "#features/inbox/schema";

export type BulkDecision = InboxDecisions["decision"];
export type Results = AnswerTo<"POST /api/inbox/decisions">;

/** In the order of how soon they have to be decided. */
export const KINDS: readonly (readonly [kind: InboxKind, title: string, hint: string])[] = [
  ["held_call", "Held calls", "Tool calls that need a decision. They are denied when they expire."],
  ["review", "Reviews", "Agents awaiting approval."],
  ["tuning", "Tuning suggestions", "Requests to loosen or tighten the scanner."],
  ["policy", "Baseline policy", "Requests to loosen the baseline policy."],
  ["report", "Reports", "Disputes and misses for human decision."],
  ["rebaseline", "Drift", "Agents whose behaviour deviates from their drift baseline."],
  ["tool_definition", "Tools", "New or changed tool definitions, hidden until approved."],
];

export const titleOfKind = (kind: InboxKind): string => KINDS.find(([one]) => one === kind)?.[1] ?? kind;

/** Whose items are shown. */
export const ASSIGNEES: readonly Choice<"me" | "none">[] = [
  { value: "me", label: "Mine" },
  { value: "none", label: "Unassigned" },
];

export const REFRESHED = ["/api/inbox", "/api/reports", "/api/tuning", "/api/holds", "/api/overview"] as const;

/** An item with those that are like it. */
export const sizeOf = ({ like }: Pick<InboxItem, "like">): number => like.length + 1;

type Offered = { readonly decision: BulkDecision; readonly key: string; readonly label: string; readonly hint: string };

const KEYS: Readonly<Record<BulkDecision, string>> = { approve: "a", deny: "d", inconclusive: "i" };

/** Of an item, what a decision on several needs. */
export type BulkItem = Pick<
  InboxItem,
  "kind" | "id" | "title" | "like" | "direction" | "content_hash" | "alone" | "assignee"
>;

/** What a report's verdict is called, where all of them have one direction. */
const reportWords = (items: readonly BulkItem[], decision: BulkDecision): Omit<Offered, "decision" | "key"> => {
  const [direction, ...others] = new Set(items.map((item) => item.direction ?? "false_positive"));
  const said = decision === "inconclusive" ? decision : null;
  if (direction === undefined || others.length > 0) {
    const label = { approve: "Reporter is right", deny: "Reporter is wrong", inconclusive: "Inconclusive" }[decision];
    return { label, hint: "Closes the reports. Where the scanner was wrong, tuning suggestions are created." };
  }
  const verdict =
    said ?? ((decision === "approve") === (direction === "false_positive") ? "false_positive" : "true_positive");
  return { label: wordsOf(direction, verdict), hint: followsOf(direction, verdict) };
};

/** What can be decided of several items at once; nothing for what has to be read first. */
export const offeredFor = (kind: InboxKind, items: readonly BulkItem[]): readonly Offered[] => {
  const all = (decision: BulkDecision, words: Omit<Offered, "decision" | "key">): Offered => ({
    decision,
    key: KEYS[decision],
    ...words,
  });
  if (kind === "report") {
    return (["approve", "deny", "inconclusive"] as const).map((one) => all(one, reportWords(items, one)));
  }
  const deny = all("deny", { label: "Deny", hint: "Each is denied as if you had opened it." });
  if (kind === "held_call") return [deny];
  const approval = "The approvals are valid for seven days. A suggestion that has changed since is not approved.";
  return kind === "tuning" ? [all("approve", { label: "Approve", hint: approval }), deny] : [];
};
