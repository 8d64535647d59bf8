import type { Restriction } from "#core/restriction";
import type { Effect } from "#core/review/questionnaire";
import { BASELINE, type PolicyLayer, type PolicyRule, type PolicySource } from "#core/scan/policy";
import type { GuardrailProfile, Limits, ProfileBody } from "./profile";

/** Something a layer says; `layer` is what denials and records call it: `profile v3`, `restriction <id>`, `floor`. */
export type Said<T> = { readonly layer: string; readonly value: T };

/** Names that are allowed, denied, or both; absent for no opinion. */
export type NameRules = { readonly allow?: readonly string[]; readonly deny?: readonly string[] };

/**
 * What a call is held to: of the floor, the profile (or the baseline, for an agent without one) and the restrictions in
 * force the strictest. Each value names the layer it comes from.
 */
export type Effective = {
  readonly profile_version: number | null;
  /** What callers are told: `monitor` when the profile only watches. */
  readonly mode: PolicySource["mode"];
  readonly policy: PolicySource;
  readonly fail_mode: Said<"closed" | "open">;
  readonly block_response: Said<"error" | "completion">;
  readonly models: readonly Said<NameRules>[];
  readonly max_output_tokens: Said<number> | null;
  readonly tools: readonly Said<NameRules & { readonly read_only?: boolean }>[];
  readonly effects: Readonly<Record<string, Effect>>;
  /** Tools each call of which a person approves. */
  readonly require_human: readonly Said<readonly string[]>[];
  readonly tainted_arguments: Said<ProfileBody["tools"]["tainted_arguments"]>;
  readonly limits: { readonly [K in keyof Limits]: Said<number> | null };
  readonly tool_calls_per_conversation: Said<number> | null;
  readonly content: Pick<ProfileBody["data"], "store_content" | "retention_days">;
};

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

/** Of everything that is said the strictest, with who says it. */
export const effectiveOf = (parts: EffectiveParts): Effective => {
  const { baseline, profile, restrictions } = parts;
  const name = profile ? `profile v${profile.version}` : BASELINE;
  const body = profile?.body;
  const from = <T>(value: T, otherwise: T): Said<T> => ({
    layer: body ? name : BASELINE,
    value: body ? value : otherwise,
  });
  return {
    profile_version: profile?.version ?? null,
    mode: body && baseline.mode === "enforce" ? body.mode : baseline.mode,
    policy: policyOf(parts, name),
    fail_mode: from(body?.fail_mode ?? "closed", "closed"),
    block_response: from(body?.block_response ?? "error", "error"),
    models: [
      ...(body ? [{ layer: name, value: namesOf(body.models.allow, body.models.deny) }] : []),
      ...restrictedModels(restrictions),
    ],
    max_output_tokens: body?.models.max_output_tokens ? { layer: name, value: body.models.max_output_tokens } : null,
    tools: [...(body ? [{ layer: name, value: toolsOf(body) }] : []), ...restrictedTools(restrictions)],
    effects: body?.tools.effects ?? {},
    require_human: [
      ...(body && body.tools.require_human.length > 0 ? [{ layer: name, value: body.tools.require_human }] : []),
      ...restrictions.flatMap((one) =>
        one.kind === "human_approval" ? [{ layer: layerOf(one), value: one.params.tools }] : [],
      ),
    ],
    tainted_arguments: from(body?.tools.tainted_arguments ?? "flag", "flag"),
    limits: limitsOf(body?.limits ?? null, name, restrictions),
    tool_calls_per_conversation: boundOf(name, body?.tools.max_calls_per_conversation),
    content: {
      store_content: body?.data.store_content ?? "none",
      retention_days: body?.data.retention_days ?? 1,
    },
  };
};

export const layerOf = ({ id }: Pick<Restriction, "id">): string => `restriction ${id}`;

const namesOf = (allow: readonly string[], deny: readonly string[]): NameRules => ({ allow, deny });

const toolsOf = ({ tools }: ProfileBody): NameRules => (tools.default === "deny" ? { allow: tools.allow } : {});

const restrictedModels = (restrictions: readonly Restriction[]): Said<NameRules>[] =>
  restrictions.flatMap((one) =>
    one.kind === "model_restricted" ? [{ layer: layerOf(one), value: { allow: one.params.models_allow } }] : [],
  );

const restrictedTools = (restrictions: readonly Restriction[]): Effective["tools"][number][] =>
  restrictions.flatMap((one) => {
    if (one.kind !== "tool_restricted") return [];
    const { tools_deny: deny, read_only } = one.params;
    return [{ layer: layerOf(one), value: { ...(deny && { deny }), ...(read_only && { read_only }) } }];
  });

const FAMILIES = ["pii", "secrets", "prompt_injection", "tools", "custom"] as const;

/** The scanner's rules: the profile's own instead of the baseline's, and over them what can only be stricter. */
const policyOf = ({ baseline, profile, floor, restrictions, now }: EffectiveParts, name: string): PolicySource => {
  const above: PolicyLayer[] = restrictions.flatMap((one) =>
    one.kind === "output_redaction" ? [{ name: layerOf(one), rules: REDACT_ALL_OUTPUT }] : [],
  );
  if (!profile) return above.length === 0 ? baseline : { ...baseline, above };
  const { detectors, egress, streaming, mode } = profile.body;
  const rules = FAMILIES.flatMap((family) => {
    const { enabled, mode: own, monitor_until, rules: given } = detectors[family];
    if (!enabled) return [];
    const watches = own === "monitor" && (monitor_until === null || now < Date.parse(monitor_until));
    return given.map((rule) => ruleOf(rule, watches || mode === "monitor"));
  });
  return {
    ...baseline,
    name,
    rules: [...rules, ...egressRules(egress, mode === "monitor")],
    hold_back: Math.max(baseline.hold_back, streaming.hold_back_chars),
    above: [{ name: "floor", rules: floor }, ...above],
    ...(egress.url_allow && { url_allow: egress.url_allow.map((host) => host.toLowerCase()) }),
  };
};

/** Whatever is found in an answer, however unsure, is taken out of it. */
const REDACT_ALL_OUTPUT: readonly PolicyRule[] = ["pii", "secret", "injection", "egress", "custom"].map((type) => ({
  type,
  origins: ["output"],
  thresholds: { redact: 0.3 },
}));

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

const ruleOf = (rule: ProfileBody["detectors"]["pii"]["rules"][number], isWatched: boolean): PolicyRule => {
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

type Bound = Said<number> | null;

const boundOf = (layer: string, value: number | null | undefined): Bound => (value == null ? null : { layer, value });

/** A restriction's names of limits, and the profile's. */
const RESTRICTED_LIMITS = ["requests_per_minute", "tokens_per_minute", "concurrent"] as const;

const limitsOf = (limits: Limits | null, name: string, restrictions: readonly Restriction[]): Effective["limits"] => {
  const own = (key: keyof Limits): Bound => boundOf(name, limits?.[key]);
  const lowest = (key: (typeof RESTRICTED_LIMITS)[number]): Bound =>
    restrictions.reduce((least: Bound, one) => {
      const value = one.kind === "rate_limited" ? one.params[key] : undefined;
      if (value === undefined || (least && least.value <= value)) return least;
      return { layer: layerOf(one), value };
    }, own(key));
  return {
    requests_per_minute: lowest("requests_per_minute"),
    tokens_per_minute: lowest("tokens_per_minute"),
    concurrent: lowest("concurrent"),
    requests_per_day: own("requests_per_day"),
    tokens_per_day: own("tokens_per_day"),
    calls_per_conversation: own("calls_per_conversation"),
  };
};
