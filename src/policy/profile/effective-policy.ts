import { TAINTED } from "#policy/provenance/provenance";
import { layerOf, type Restriction } from "#policy/restrictions/restriction";
import type { PolicyLayer, PolicyRule, PolicySource } from "#scan/policy";
import { FAMILIES, type ProfileRules } from "./presets";
import type { GuardrailProfile, ProfileBody } from "./profile";

/** What is made one. */
export type EffectiveParts = {
  /** The hub's baseline, for what is not said elsewhere. */
  readonly baseline: PolicySource;
  readonly profile: (Pick<GuardrailProfile, "version"> & { readonly body: ProfileBody }) | null;
  /** What no profile can go below. Holds for governed agents; others are under the baseline. */
  readonly floor: readonly PolicyRule[];
  /** Those in force. */
  readonly restrictions: readonly Restriction[];
  /** Unix milliseconds: a detector family's monitoring ends by itself. */
  readonly now: number;
};

type Detectors = ProfileBody["detectors"]["pii"];

/** The scanner's rules: the profile's own instead of the baseline's, and over them what can only be stricter. */
export const policyOf = (
  { baseline, profile, floor, restrictions, now }: EffectiveParts,
  name: string,
): PolicySource => {
  const above: PolicyLayer[] = restrictions.flatMap((one) =>
    one.kind === "output_redaction" ? [{ name: layerOf(one), rules: REDACT_ALL_OUTPUT }] : [],
  );
  if (!profile) return above.length === 0 ? baseline : { ...baseline, above };
  const { detectors, egress, streaming, mode, tools } = profile.body;
  const watches = ({ mode: own, monitor_until }: Detectors): boolean =>
    mode === "monitor" || (own === "monitor" && (monitor_until === null || now < Date.parse(monitor_until)));
  const rules = FAMILIES.flatMap((family) => {
    const { enabled, rules: given } = detectors[family];
    return enabled ? given.map((rule) => policyRuleOf(rule, watches(detectors[family]))) : [];
  });
  return {
    ...baseline,
    name,
    rules: [
      ...(detectors.custom.enabled ? customRules(baseline, watches(detectors.custom)) : []),
      taintedRule(tools.tainted_arguments),
      ...rules,
      ...egressRules(egress, mode === "monitor"),
    ],
    hold_back: Math.max(baseline.hold_back, streaming.hold_back_chars),
    above: [{ name: "floor", rules: floor }, ...above],
    ...(egress.url_allow && { url_allow: egress.url_allow.map((host) => host.toLowerCase()) }),
  };
};

/** The operator's own rules hold for every agent, unless its profile says otherwise of the same type, or turns them off. */
const customRules = ({ rules }: PolicySource, isWatched: boolean): PolicyRule[] => {
  const own = rules.filter(({ type }) => type === "custom" || type.startsWith("custom."));
  return isWatched ? own.map((rule) => ({ ...rule, mode: "monitor" })) : own;
};

/**
 * What is done about tainted arguments the profile says apart from detectors. Found they are in any case, from the
 * score on that the baseline finds them from.
 */
const taintedRule = (action: ProfileBody["tools"]["tainted_arguments"]): PolicyRule => ({
  type: TAINTED.type,
  thresholds: action === "allow" ? {} : { flag: 0.5 },
});

/** Whatever is found in an answer, however unsure, is taken out of it. */
const REDACT_ALL_OUTPUT: readonly PolicyRule[] = ["pii", "secret", "injection", "egress", "tool", "custom"].map(
  (type) => ({
    type,
    origins: ["output"],
    thresholds: { redact: 0.3 },
  }),
);

const egressRules = ({ urls, images }: ProfileBody["egress"], isWatched: boolean): PolicyRule[] =>
  (
    [
      ["egress.url", urls],
      ["egress.image", images],
    ] as const
  ).flatMap(([type, action]) =>
    action === "allow"
      ? []
      : [{ type, origins: ["output"], thresholds: { [action]: 0.5 }, ...(isWatched && { mode: "monitor" as const }) }],
  );

/** A profile's rule as the scanner has it. `isWatched`: its whole family only monitors. */
export const policyRuleOf = (rule: ProfileRules[number], isWatched: boolean): PolicyRule => {
  const { type, origins, thresholds, mode } = rule;
  const { flag, redact, block } = thresholds;
  return {
    type,
    ...(origins && { origins }),
    thresholds: {
      ...(flag !== undefined && { flag }),
      ...(redact !== undefined && { redact }),
      ...(block !== undefined && { block }),
    },
    ...((isWatched || mode === "monitor") && { mode: "monitor" as const }),
  };
};
