import type { ConfirmedMiss } from "#model/health/health-inputs";
import type { Report } from "#model/report";
import type { Clock } from "#platform/clock";
import type { Restriction } from "#policy/restrictions/restriction";
import type { ReportStore } from "#store/loop-port";

/** What reviewed reports say of an agent. */
export type Confirmed = {
  /** Those of the window, and older ones that are still open. */
  readonly misses: readonly ConfirmedMiss[];
  /** Disputed blocks of the window that were wrong. */
  readonly falsePositives: number;
  /** Whether a report waits longer than it may. */
  readonly hasOverdue: boolean;
};

/** What the watch asks others of an agent. */
export type AgentFacts = {
  /** In force now. */
  restrictionsOf(agentId: string): readonly Restriction[];
  /** `since` is the begin of the window, Unix milliseconds. */
  confirmedOf(agentId: string, since: number): Promise<Confirmed>;
  /** Whether somebody still answers for what they own. */
  isActive(userId: string): boolean;
};

/** While there are no reports. */
export const NOTHING_CONFIRMED: Confirmed = { misses: [], falsePositives: 0, hasOverdue: false };

/** A report that waits longer than this for an answer is overdue. Three days. */
const OVERDUE_MS = 3 * 86_400_000;

const WAITING: readonly Report["status"][] = ["submitted", "reviewing", "needs_human"];

/** What reviewed reports say of an agent: a person's word before the model's. */
export const confirmedBy =
  (reports: Pick<ReportStore, "list">, now: Clock) =>
  async (agentId: string, since: number): Promise<Confirmed> => {
    const own = await reports.list({ agent_id: agentId });
    const misses = own.filter(
      (report) => verdictOf(report) === "true_positive" && report.direction === "false_negative",
    );
    const wrong = own.filter(
      (report) => verdictOf(report) === "false_positive" && report.direction === "false_positive",
    );
    return {
      misses: misses
        .filter((report) => report.created_at >= since || isOpen(report))
        .map((report) => ({
          severity: report.severity_estimate ?? "medium",
          at: report.created_at,
          isOpen: isOpen(report),
        })),
      falsePositives: wrong.filter(({ created_at }) => created_at >= since).length,
      hasOverdue: own.some(({ status, created_at }) => WAITING.includes(status) && now() - created_at > OVERDUE_MS),
    };
  };

const verdictOf = ({ decision, llm_verdict }: Report) => decision ?? llm_verdict;

/** A miss is open until what would have caught it is in force, or somebody has closed it. */
const isOpen = ({ status }: Report): boolean => status !== "closed" && status !== "withdrawn";
