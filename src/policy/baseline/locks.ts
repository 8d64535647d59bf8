import type { PolicyRule } from "#scan/policy";
import type { BaselineCell } from "./edits";

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
