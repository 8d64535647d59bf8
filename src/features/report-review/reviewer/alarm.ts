import type { Report } from "#model/report";

/** Judged disputes of one reporter that are looked at, the newest. */
export const ALARM_WINDOW = 20;
/** Above this share of them found false positives, the reporter may have learnt what the model believes. */
const ALARM_SHARE = 0.8;

/**
 * Whether one reporter's disputes go to people only: the model has found nearly all of the last ones right. Those that
 * a person has decided count for nothing, so that deciding some of them ends it.
 */
export const isAlarming = (
  reports: readonly Pick<Report, "direction" | "llm_verdict" | "decision" | "created_at">[],
): boolean => {
  const judged = reports
    .filter(({ direction, llm_verdict }) => direction === "false_positive" && llm_verdict !== null)
    .toSorted((one, other) => other.created_at - one.created_at)
    .slice(0, ALARM_WINDOW);
  if (judged.length < ALARM_WINDOW) return false;
  const unchecked = judged.filter(({ llm_verdict, decision }) => llm_verdict === "false_positive" && decision === null);
  return unchecked.length > ALARM_SHARE * ALARM_WINDOW;
};
