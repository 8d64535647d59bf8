import type { AnswerTo } from "#dashboard/api/client";
import type { ItemOf } from "#dashboard/parts/hooks";

export type ReportData = ItemOf<"GET /api/reports">;
/** One report, with its text as far as it may be read. */
export type OpenReport = AnswerTo<"GET /api/reports/:id">;
export type ReportVerdict = NonNullable<ReportData["decision"]>;

/** What a person can still decide. */
export const DECIDABLE: readonly string[] = ["submitted", "reviewing", "reviewed", "needs_human"];

export const SECTIONS = [
  { value: "secrets_security", label: "Secrets and security" },
  { value: "input_trust", label: "Untrusted input" },
  { value: "tools", label: "Tools" },
  { value: "data_privacy", label: "Data and privacy" },
  { value: "models", label: "Models" },
  { value: "oversight", label: "Oversight" },
  { value: "monitoring", label: "Monitoring and other" },
];

export const sectionName = (section: string): string =>
  SECTIONS.find(({ value }) => value === section)?.label ?? section;

export const kindOf = ({ direction }: Pick<ReportData, "direction">): string =>
  direction === "false_positive" ? "Dispute" : "Miss";

/** What a verdict says of a report of this direction, for people. */
export const wordsOf = (direction: ReportData["direction"], verdict: ReportVerdict): string => {
  if (verdict === "inconclusive") return "Inconclusive";
  const isWrong = verdict === "false_positive";
  if (direction === "false_positive") return isWrong ? "False positive" : "True positive";
  return isWrong ? "No miss" : "Confirmed miss";
};

/** What follows when a person says so. */
export const followsOf = (direction: ReportData["direction"], verdict: ReportVerdict): string => {
  if (verdict === "inconclusive") return "Closes the report without changes.";
  const isMistake = (verdict === "false_positive") === (direction === "false_positive");
  if (!isMistake) return "Closes the report without changes of the scanner.";
  return "Closes the report and creates a tuning suggestion: the narrowest change that would have avoided the mistake. It needs approval.";
};
