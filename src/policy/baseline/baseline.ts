import type { PolicyRule, PolicySource } from "#scan/policy";
import type { BaselineCell, PolicyEdits } from "./edits";

/** A rule of the configuration and the key it stands under. */
export type ConfiguredRule = { readonly key: string; readonly rule: PolicyRule };

/** What the configuration says is said there alone: a rule set by hand cannot change it. */
export class Locks {
  constructor(private readonly configured: readonly ConfiguredRule[]) {}

  /** The key that says it; null where people may. */
  keyAt({ type, origin }: BaselineCell): string | null {
    const saying = this.configured.filter(
      ({ rule }) =>
        (type === rule.type || type.startsWith(`${rule.type}.`)) && (!rule.origins || rule.origins.includes(origin)),
    );
    return saying.at(-1)?.key ?? null;
  }
}

/** What the configuration says of the hub's baseline. */
export type Baseline = {
  /** The policy it makes of what people have set by hand. */
  readonly source: (edits: readonly PolicyRule[]) => PolicySource;
  readonly configured: readonly ConfiguredRule[];
  /** What no change can go below. */
  readonly floor: readonly PolicyRule[];
};

/** A looser policy that somebody asked for and somebody else decides on. */
export type PolicyProposal = {
  readonly id: string;
  /** The revision it was made against. */
  readonly base_revision: number;
  /** All that is set by hand once it is in force. */
  readonly edits: PolicyEdits;
  /** The revision it brings back; null for changes. */
  readonly restored: number | null;
  readonly reason: string;
  /** Who could decide when it was asked for. */
  readonly eligible: readonly string[];
  readonly proposed_by: string;
  readonly proposed_at: number;
  readonly state: "waiting" | "applied" | "rejected" | "stale";
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly comment: string | null;
};
