import type { CustomRule } from "./custom";
import { ORIGINS, type Origin } from "./detector";

/* A policy as it is written down, and what may be written. */

export const MODES = ["enforce", "monitor", "off"] as const;
export type Mode = (typeof MODES)[number];

/** From which score on an action is taken. An action without a threshold is never taken. */
export type Thresholds = { readonly flag?: number; readonly redact?: number; readonly block?: number };

export const RULE_MODES = ["enforce", "monitor"] as const;

/** What to do about one flag type, or all below it; everywhere, or at the named origins. */
export type PolicyRule = {
  readonly type: string;
  readonly origins?: readonly Origin[];
  readonly thresholds: Thresholds;
  /** `monitor`: what it would redact or block is flagged only, and the flag says what would have been done. */
  readonly mode?: (typeof RULE_MODES)[number];
};

/** Rules that can only make a policy stricter. `name` is what records call them. */
export type PolicyLayer = { readonly name: string; readonly rules: readonly PolicyRule[] };

/** A policy as plain JSON. */
export type PolicySource = {
  readonly mode: Mode;
  /** Units a stream may hold back. A policy whose detectors need more takes more. */
  readonly hold_back: number;
  readonly rules: readonly PolicyRule[];
  /** What records call these rules; `baseline` if absent. */
  readonly name?: string;
  /** Layers over the rules: of all verdicts the strictest holds. */
  readonly above?: readonly PolicyLayer[];
  /** Hosts that links may point to, `*.` for all below: links to them are no `egress` findings. */
  readonly url_allow?: readonly string[];
  /** Rules of the operator's own, beside the built-in detectors. */
  readonly custom?: readonly CustomRule[];
  /** Units of one text that are scanned; the rest is reported as unscanned. */
  readonly max_text: number;
};

/** Throws an Error that names the fault. */
export function checkPolicy(source: PolicySource): void {
  if (!MODES.includes(source.mode)) throw new Error(`policy: mode must be one of ${MODES.join(", ")}`);
  if (!Number.isInteger(source.hold_back) || source.hold_back < 0) {
    throw new Error("policy: hold_back must be a whole number of units, 0 or more");
  }
  if (!Number.isInteger(source.max_text) || source.max_text < 1) {
    throw new Error("policy: max_text must be a whole number of units, 1 or more");
  }
  if (!Array.isArray(source.rules)) throw new Error("policy: rules must be a list");
  source.rules.forEach((rule, i) => {
    checkRule(rule, `policy: rules[${i}]`);
  });
  for (const { name, rules } of source.above ?? []) {
    rules.forEach((rule, i) => {
      checkRule(rule, `policy: ${name}: rules[${i}]`);
    });
  }
}

function checkRule(rule: PolicyRule, name: string): void {
  if (typeof rule.type !== "string" || !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(rule.type)) {
    throw new Error(`${name}.type must be a dotted lower-case name`);
  }
  for (const origin of rule.origins ?? []) {
    if (!ORIGINS.includes(origin)) throw new Error(`${name}.origins: unknown origin ${JSON.stringify(origin)}`);
  }
  if (rule.mode !== undefined && !RULE_MODES.includes(rule.mode)) {
    throw new Error(`${name}.mode must be one of ${RULE_MODES.join(", ")}`);
  }
  if (typeof rule.thresholds !== "object" || rule.thresholds === null) {
    throw new Error(`${name}.thresholds must be an object`);
  }
  checkThresholds(rule.thresholds, `${name}.thresholds`);
}

function checkThresholds(thresholds: Thresholds, name: string): void {
  for (const [action, score] of Object.entries(thresholds)) {
    if (action !== "flag" && action !== "redact" && action !== "block") {
      throw new Error(`${name}: unknown action ${JSON.stringify(action)}`);
    }
    if (typeof score !== "number" || !(score >= 0 && score <= 1)) {
      throw new Error(`${name}.${action} must be a number from 0 to 1`);
    }
  }
}
