import type { ConfirmedMiss } from "#model/health/health-inputs";
import type { Restriction } from "#policy/restrictions/restriction";

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
