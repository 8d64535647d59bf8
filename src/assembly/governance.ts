import type { Effective } from "#core/profile/effective";
import { fitsPattern } from "#core/scan/custom";
import type { PolicyRule } from "#core/scan/policy";
import { Governor } from "#engine/governance/governor";
import { Limiter } from "#engine/governance/limiter";
import type { Scanner } from "#engine/scanner";
import { Tunings } from "#engine/tuning/tunings";
import type { Clock } from "#platform/clock";

export type GovernanceOptions = {
  /** What no profile can go below. */
  readonly floor: readonly PolicyRule[];
  /** What happens to an agent without a profile. */
  readonly ungoverned: "baseline" | "monitor" | "deny";
  /** Nothing is served by what was last heard of the store longer ago than this, in milliseconds. */
  readonly staleMs: number;
};

export type GovernanceDeps = {
  readonly governance: GovernanceOptions;
  readonly scanner: Scanner;
  readonly clock: Clock;
  /** Keyed with the master key: how values of tuning rules are compared. */
  readonly keeping: { readonly hash: { readonly of: (text: string) => string } };
};

/** What an agent used since midnight, UTC, in processes before this one. */
type SpentEarlier = (agentId: string) => { readonly requests: number; readonly tokens: number };

/** What holds agents to their profiles: who is stopped, what is allowed, how much is left. */
export const assembleGovernance = (
  { governance, scanner, clock, keeping }: GovernanceDeps,
  spentEarlier: SpentEarlier,
) => {
  const tunings = new Tunings({ now: clock, hashOf: keeping.hash.of, fits: fitsPattern });
  const governor = new Governor({ ...governance, tunings, now: clock, baseline: () => scanner.snapshot() });
  const limiter = new Limiter({ now: clock, spentEarlier });
  /** What an agent is held to now; null for one that is served nothing without a profile. */
  const effectiveOf = (agentId: string): Effective | null => {
    const isServed = governance.ungoverned !== "deny" || governor.profileOf(agentId) !== null;
    return isServed ? governor.rulesOfAgent(agentId).effective : null;
  };
  return { governor, limiter, tunings, effectiveOf };
};

export type Governance = ReturnType<typeof assembleGovernance>;
