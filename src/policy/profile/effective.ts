import { BUDGET_PERIODS, type BudgetPeriod, type ProfileBudget } from "#model/budget";
import type { ServerToolRules } from "#model/server-tools";
import type { CommandRules } from "#policy/commands/command-rules";
import type { FileRules } from "#policy/files/file-rules";
import { layerOf, type Restriction } from "#policy/restrictions/restriction";
import type { ToolEffect } from "#policy/review/questionnaire";
import { BASELINE, type PolicySource } from "#scan/policy";
import { type EffectiveParts, policyOf } from "./effective-policy";
import { type ProfileHooks, USUAL_HOOKS } from "./local-rules";
import type { Limits, ProfileBody } from "./profile";

/** Something a layer says; `layer` is what denials and records call it: `profile v3`, `restriction <id>`, `floor`. */
export type Said<T> = { readonly layer: string; readonly value: T };

/** Names that are allowed, denied, or both; absent for no opinion. */
export type NameRules = { readonly allow?: readonly string[]; readonly deny?: readonly string[] };

/** What of tool servers is allowed beside tools. */
export type Offers = { readonly prompts: readonly string[]; readonly resources: readonly string[] };

/** The most of each; null for no limit. */
export type Bounds = {
  readonly [K in Exclude<keyof Limits, `usd_per_${BudgetPeriod}`> | "tool_calls_per_conversation"]: Said<number> | null;
};

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
  /** Prompts and resources of tool servers: public names, and patterns of public URIs. Empty where nobody says anything. */
  readonly offers: readonly Said<Offers>[];
  /** Tools that run at the provider. Empty where nobody says anything of them: they may all be turned on. */
  readonly server_tools: readonly Said<ServerToolRules>[];
  /** What its hooks may let pass on its machine. Empty where nobody says anything. */
  readonly commands: readonly Said<CommandRules>[];
  readonly files: readonly Said<FileRules>[];
  readonly hooks: Said<ProfileHooks>;
  /** What its calls may have providers keep. */
  readonly provider_state: Said<NonNullable<ProfileBody["provider_state"]>>;
  readonly effects: Readonly<Record<string, ToolEffect>>;
  /** Tools each call of which a person approves. */
  readonly require_human: readonly Said<readonly string[]>[];
  readonly tainted_arguments: Said<ProfileBody["tools"]["tainted_arguments"]>;
  /** Null where all that is found counts, at tools that act. */
  readonly tainted_values: Said<NonNullable<ProfileBody["tools"]["tainted_values"]>> | null;
  readonly limits: Bounds;
  /** Limits of a profile that only watches: what is over them is on record. */
  readonly watched_limits: Bounds | null;
  /** What the agent may spend. A profile that only watches limits nothing. */
  readonly budgets: readonly Said<ProfileBudget>[];
  readonly content: Pick<ProfileBody["data"], "store_content" | "retention_days">;
};

/** Of everything that is said the strictest, with who says it. */
export const effectiveOf = (parts: EffectiveParts): Effective => {
  const { baseline, profile, restrictions } = parts;
  const name = profile ? `profile v${profile.version}` : BASELINE;
  const { fail_mode, block_response, provider_state = "own", tools, models, data } = profile?.body ?? UNGOVERNED;
  const mode = profile && baseline.mode === "enforce" ? profile.body.mode : baseline.mode;
  const own = profile ? ownBounds(profile.body, name) : UNBOUND;
  const said = <T>(value: T): Said<T> => ({ layer: name, value });
  return {
    profile_version: profile?.version ?? null,
    mode,
    policy: policyOf(parts, name),
    fail_mode: said(fail_mode),
    block_response: said(block_response),
    models: [...(profile ? [said(namesOf(profile.body))] : []), ...restrictedModels(restrictions)],
    max_output_tokens: models.max_output_tokens === null ? null : said(models.max_output_tokens),
    tools: [...(profile ? [said(toolsOf(profile.body))] : []), ...restrictedTools(restrictions)],
    offers: profile ? [said({ prompts: profile.body.prompts ?? [], resources: profile.body.resources ?? [] })] : [],
    server_tools: profile ? [said(profile.body.server_tools ?? NO_SERVER_TOOLS)] : [],
    ...localOf(profile?.body ?? {}, restrictions, said),
    provider_state: said(provider_state),
    effects: tools.effects,
    require_human: [
      ...(tools.require_human.length > 0 ? [said(tools.require_human)] : []),
      ...restrictedToPeople(restrictions),
    ],
    tainted_arguments: said(tools.tainted_arguments),
    tainted_values: profile?.body.tools.tainted_values ? said(profile.body.tools.tainted_values) : null,
    limits: lowestOf(mode === "monitor" ? UNBOUND : own, restrictions),
    watched_limits: profile && mode === "monitor" ? own : null,
    budgets: budgetsOf(profile?.body, mode).map(said),
    content: { store_content: data.store_content, retention_days: data.retention_days },
  };
};

const localOf = (
  { commands, files, hooks = USUAL_HOOKS }: Pick<ProfileBody, "commands" | "files" | "hooks">,
  restrictions: readonly Restriction[],
  said: <T>(value: T) => Said<T>,
): Pick<Effective, "commands" | "files" | "hooks"> => ({
  commands: [...(commands ? [said(commands)] : []), ...restrictedCommands(restrictions)],
  files: [...(files ? [said(files)] : []), ...restrictedFiles(restrictions)],
  hooks: said(hooks),
});

const NO_SERVER_TOOLS: ServerToolRules = { allow: [], mcp_hosts: [] };

/** What holds for an agent without a profile beside the baseline's rules. */
const UNGOVERNED: {
  readonly [K in "fail_mode" | "block_response"]: ProfileBody[K];
} & {
  readonly provider_state?: ProfileBody["provider_state"];
  readonly tools: Pick<ProfileBody["tools"], "effects" | "require_human" | "tainted_arguments">;
  readonly models: Pick<ProfileBody["models"], "max_output_tokens">;
  readonly data: Pick<ProfileBody["data"], "store_content" | "retention_days">;
} = {
  fail_mode: "closed",
  block_response: "error",
  tools: { effects: {}, require_human: [], tainted_arguments: "flag" },
  models: { max_output_tokens: null },
  data: { store_content: "none", retention_days: 1 },
};

const namesOf = ({ models: { allow, deny } }: ProfileBody): NameRules => ({ allow, deny });

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

const denied = (deny: readonly string[]) => ({ default: "allow", allow: [], ask: [], deny }) as const;

const restrictedCommands = (restrictions: readonly Restriction[]): Effective["commands"][number][] =>
  restrictions.flatMap((one) => {
    const patterns = one.kind === "tool_restricted" ? (one.params.commands_deny ?? []) : [];
    if (patterns.length === 0) return [];
    return [{ layer: layerOf(one), value: { ...denied(patterns), hosts: null, other_hosts: "deny" } }];
  });

/** What may not be touched is neither read nor written. */
const restrictedFiles = (restrictions: readonly Restriction[]): Effective["files"][number][] =>
  restrictions.flatMap((one) => {
    const patterns = one.kind === "tool_restricted" ? (one.params.files_deny ?? []) : [];
    if (patterns.length === 0) return [];
    return [{ layer: layerOf(one), value: { read: denied(patterns), write: denied(patterns) } }];
  });

const restrictedToPeople = (restrictions: readonly Restriction[]): Said<readonly string[]>[] =>
  restrictions.flatMap((one) =>
    one.kind === "human_approval" ? [{ layer: layerOf(one), value: one.params.tools }] : [],
  );

type Bound = Said<number> | null;

const boundOf = (layer: string, value: number | null | undefined): Bound => (value == null ? null : { layer, value });

const UNBOUND: Bounds = {
  requests_per_minute: null,
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
  concurrent: null,
  calls_per_conversation: null,
  tool_calls_per_conversation: null,
};

const ownBounds = ({ limits, tools }: ProfileBody, name: string): Bounds => ({
  requests_per_minute: boundOf(name, limits.requests_per_minute),
  requests_per_day: boundOf(name, limits.requests_per_day),
  tokens_per_minute: boundOf(name, limits.tokens_per_minute),
  tokens_per_day: boundOf(name, limits.tokens_per_day),
  concurrent: boundOf(name, limits.concurrent),
  calls_per_conversation: boundOf(name, limits.calls_per_conversation),
  tool_calls_per_conversation: boundOf(name, tools.max_calls_per_conversation),
});

const budgetsOf = (body: ProfileBody | undefined, mode: Effective["mode"]): ProfileBudget[] =>
  BUDGET_PERIODS.flatMap((period) => {
    const usd = mode === "monitor" ? null : body?.limits[`usd_per_${period}`];
    return usd == null ? [] : [{ period, limit_usd: usd }];
  });

/** What a restriction can limit. */
const RESTRICTED_LIMITS = ["requests_per_minute", "tokens_per_minute", "concurrent"] as const;

const lowestOf = (own: Bounds, restrictions: readonly Restriction[]): Bounds => {
  const lowest = (key: (typeof RESTRICTED_LIMITS)[number]): Bound =>
    restrictions.reduce((least: Bound, one) => {
      const value = one.kind === "rate_limited" ? one.params[key] : undefined;
      if (value === undefined || (least && least.value <= value)) return least;
      return { layer: layerOf(one), value };
    }, own[key]);
  return {
    ...own,
    requests_per_minute: lowest("requests_per_minute"),
    tokens_per_minute: lowest("tokens_per_minute"),
    concurrent: lowest("concurrent"),
  };
};
