import type { Answer } from "#dashboard/api/client";
import type { ItemOf } from "#dashboard/api/hooks";

export type Report = ItemOf<"GET /api/reports">;
/** One report, with its text as far as it may be read. */
export type OpenReport = Answer<"GET /api/reports/:id">;
export type Verdict = NonNullable<Report["decision"]>;

export const SECTIONS = [
  { value: "secrets_security", label: "Secrets and security" },
  { value: "input_trust", label: "Trust in input" },
  { value: "tools", label: "Tools" },
  { value: "data_privacy", label: "Data and privacy" },
  { value: "models", label: "Models" },
  { value: "oversight", label: "Oversight" },
  { value: "monitoring", label: "Everything else" },
];

export const sectionName = (section: string): string =>
  SECTIONS.find(({ value }) => value === section)?.label ?? section;

export const kindOf = ({ direction }: Pick<Report, "direction">): string =>
  direction === "false_positive" ? "Dispute" : "Miss";

/** What a verdict says of a report of this direction, for people. */
export const wordsOf = (direction: Report["direction"], verdict: Verdict): string => {
  if (verdict === "inconclusive") return "Cannot be told";
  const isWrong = verdict === "false_positive";
  if (direction === "false_positive") return isWrong ? "The scanner was wrong" : "The scanner was right";
  return isWrong ? "Nothing was missed" : "It should have been caught";
};

/** What follows when a person says so. */
export const followsOf = (direction: Report["direction"], verdict: Verdict): string => {
  if (verdict === "inconclusive") return "The report is closed. Nothing changes.";
  const isMistake = (verdict === "false_positive") === (direction === "false_positive");
  if (!isMistake) return "The report is closed. The scanner stays as it is.";
  return "The report is closed, and the narrowest change that would have avoided the mistake is suggested. It changes nothing until somebody has approved it.";
};
