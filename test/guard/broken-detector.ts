import { DEFAULT_POLICY } from "#scan/defaults";
import type { Detector } from "#scan/detector";
import { type CompiledPolicy, compilePolicy } from "#scan/policy";

const DETECTOR: Detector = {
  id: "custom.broken",
  category: "custom",
  severity: "low",
  reach: 10,
  behind: 0,
  keywords: ["boom"],
  read: () => {
    throw new TypeError("a fault of ours");
  },
};

/** A policy under which scanning fails with a fault of the hub's own, at the word "boom". */
export const failingPolicy = (): CompiledPolicy =>
  compilePolicy({ ...DEFAULT_POLICY, rules: [{ type: "custom", thresholds: { redact: 0.5 } }] }, 1, [DETECTOR]);
