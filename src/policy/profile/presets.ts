import { DEFAULT_POLICY } from "#scan/defaults";
import type { PolicyRule, Thresholds } from "#scan/policy";
import type { ProfileBody } from "./profile";

export const FAMILIES = ["pii", "secrets", "prompt_injection", "tools", "custom"] as const;
export type DetectorFamily = (typeof FAMILIES)[number];
export type Sensitivity = "strict" | "balanced" | "permissive";
export type ProfileRules = ProfileBody["detectors"][DetectorFamily]["rules"];

const FAMILY_OF: Readonly<Record<string, DetectorFamily>> = {
  pii: "pii",
  secret: "secrets",
  injection: "prompt_injection",
  tool: "tools",
};

const familyOf = (type: string): DetectorFamily => FAMILY_OF[type.split(".")[0] ?? ""] ?? "custom";

/** How much sooner or later than the baseline a preset acts. What it only notes, it notes from the same score on. */
const SHIFT = 0.1;
const LATEST = 0.95;

/**
 * The rules of one family of detectors. `balanced` is the hub's baseline. `strict` acts a tenth sooner, takes personal
 * data of any kind out, and blocks dangerous arguments of tools. `permissive` acts a tenth later;
 * about secrets no preset is more lenient than the baseline.
 */
export const presetRules = (family: DetectorFamily, sensitivity: Sensitivity): ProfileRules => {
  const balanced = DEFAULT_POLICY.rules.filter(({ type }) => familyOf(type) === family);
  if (sensitivity === "balanced") return balanced.map(copied);
  if (sensitivity === "permissive") {
    return balanced.map((rule) => (family === "secrets" ? copied(rule) : shifted(rule, SHIFT)));
  }
  return balanced.map((rule) => ({
    ...shifted(rule, -SHIFT),
    ...(STRICT[rule.type] && rule.origins === undefined && { thresholds: STRICT[rule.type] }),
  }));
};

/** Where the baseline only notes and `strict` acts. */
const STRICT: Readonly<Record<string, ProfileRules[number]["thresholds"]>> = {
  pii: { flag: 0.3, redact: 0.5 },
  tool: { flag: 0.5, block: 0.8 },
};

const copied = ({ type, origins, thresholds, mode }: PolicyRule): ProfileRules[number] => ({
  type,
  ...(origins && { origins: [...origins] }),
  thresholds: { ...thresholds },
  ...(mode && { mode }),
});

const shifted = (rule: PolicyRule, by: number): ProfileRules[number] => {
  const { flag, redact, block }: Thresholds = rule.thresholds;
  const later = (score: number): number => Math.min(Math.max(score, LATEST), Math.round((score + by) * 100) / 100);
  return {
    ...copied(rule),
    thresholds: {
      ...(flag !== undefined && { flag }),
      ...(redact !== undefined && { redact: later(redact) }),
      ...(block !== undefined && { block: later(block) }),
    },
  };
};
