import type { PolicyRule, PolicySource } from "#scan/policy";
import type { ConfiguredRule } from "./locks";

/** What the configuration says of the hub's baseline. */
export type Baseline = {
  /** The policy it makes of what people have set by hand. */
  readonly source: (edits: readonly PolicyRule[]) => PolicySource;
  readonly configured: readonly ConfiguredRule[];
  /** What no change can go below. */
  readonly floor: readonly PolicyRule[];
};
