import type { Answers, DeclaredTool, TAINTED_ACTIONS, ToolEffect } from "#policy/review/questionnaire";
import type { Risk, Tier } from "#policy/review/review";
import { egressOf, isAtLeast, powerOf } from "#policy/review/risk";
import type { Origin } from "#scan/detector";
import { localRulesOf } from "./compile-local";
import { type DetectorFamily, type ProfileRules, presetRules, type Sensitivity } from "./presets";
import type { ProfileBody } from "./profile";

/**
 * The guardrail profile that answers compile into: the same answers give the same profile, always. What was not
 * declared is not allowed: no models, no tools, no links. Lists are in order and hold nothing twice, so that equal
 * profiles have equal hashes.
 */
export const compileProfile = (answers: Answers, risk: Pick<Risk, "tier">): ProfileBody => {
  const { purpose, data_privacy, models, oversight } = answers;
  const { tier } = risk;
  return {
    risk_tier: tier,
    mode: oversight.mode ?? "enforce",
    preset: oversight.sensitivity ?? "balanced",
    fail_mode: isAtLeast(tier, "high") ? "closed" : (oversight.fail_mode ?? "closed"),
    detectors: detectorsOf(answers),
    models: { allow: inOrder(models.models), deny: [], max_output_tokens: models.max_tokens ?? null },
    tools: toolsOf(answers, tier),
    ...serverToolsOf(answers.tools),
    ...offersOf(answers.tools),
    ...localRulesOf(answers.tools),
    // As with tools of the provider's: what is usual is not said.
    ...(data_privacy.provider_state === "forbid" && { provider_state: data_privacy.provider_state }),
    data: {
      classes: inOrder(data_privacy.data_classes),
      regions: inOrder(data_privacy.regions ?? []),
      store_content: data_privacy.store_content ?? "none",
      retention_days: data_privacy.retention_days ?? USUAL_RETENTION_DAYS,
    },
    limits: limitsOf(oversight),
    egress: linksOf(answers.secrets_security),
    streaming: { hold_back_chars: HOLD_BACK_CHARS },
    block_response: oversight.block_response ?? "error",
    disclosure: purpose.disclosure ?? null,
    tunable: { max_threshold_delta: TUNABLE[tier] },
  };
};

const USUAL_RETENTION_DAYS = 30;
const HOLD_BACK_CHARS = 256;
/** How far a threshold may be moved later on without a new review. */
const TUNABLE: Readonly<Record<Tier, number>> = { low: 0.2, medium: 0.15, high: 0.1, critical: 0.05 };

const limitsOf = (oversight: Answers["oversight"]): ProfileBody["limits"] => ({
  requests_per_minute: oversight.requests_per_minute ?? null,
  requests_per_day: oversight.requests_per_day ?? null,
  tokens_per_minute: oversight.tokens_per_minute ?? null,
  tokens_per_day: oversight.tokens_per_day ?? null,
  // What is usual is not said: profiles of earlier versions keep their hash.
  ...(oversight.usd_per_day != null && { usd_per_day: oversight.usd_per_day }),
  ...(oversight.usd_per_week != null && { usd_per_week: oversight.usd_per_week }),
  ...(oversight.usd_per_month != null && { usd_per_month: oversight.usd_per_month }),
  concurrent: oversight.concurrent ?? null,
  calls_per_conversation: oversight.max_iterations ?? null,
});

const inOrder = <T extends string>(items: readonly T[]): T[] => [...new Set(items)].sort();

/** Sources that strangers write to. */
const STRANGERS: readonly Answers["input_trust"]["sources"][number][] = ["web", "email", "agent"];

/** It reads what strangers write, or remembers it for later conversations. */
const isExposed = ({ sources, memory }: Answers["input_trust"]): boolean =>
  memory === true || sources.some((source) => STRANGERS.includes(source));

const detectorsOf = (answers: Answers): ProfileBody["detectors"] => {
  const { input_trust, secrets_security, data_privacy, oversight } = answers;
  const usual = oversight.sensitivity ?? "balanced";
  const family = (name: DetectorFamily, sensitivity: Sensitivity, more: ProfileRules = []) => ({
    enabled: true,
    mode: "enforce" as const,
    monitor_until: null,
    rules: [...presetRules(name, sensitivity), ...more],
  });
  return {
    pii: family("pii", usual, expectedRules(data_privacy.pii_types_expected ?? [], usual)),
    secrets: family("secrets", usual),
    prompt_injection: family("prompt_injection", isExposed(input_trust) ? "strict" : usual),
    // For an agent that runs code a dangerous argument does damage.
    tools: family("tools", secrets_security.code_execution === true ? "strict" : usual),
    custom: family("custom", usual),
  };
};

/** Where personal data it must see passes: everywhere but in what tools say of themselves. */
const EXPECTED_AT: readonly Origin[] = ["system", "user", "assistant", "tool_result", "tool_args", "output"];
const EXPECTED_FLAG = 0.3;

/** Rules that let the expected types pass with a flag, over the preset's own for these types and all below them. */
const expectedRules = (expected: readonly string[], sensitivity: Sensitivity): ProfileRules => {
  const below = presetRules("pii", sensitivity)
    .map(({ type }) => type)
    .filter((type) => expected.some((prefix) => type.startsWith(`${prefix}.`)));
  return inOrder([...expected, ...below]).map((type) => ({
    type,
    origins: [...EXPECTED_AT],
    thresholds: { flag: EXPECTED_FLAG },
  }));
};

/** The public name of a declared tool: `server__tool`, or a function's own name. */
export const declaredName = ({ server, tool }: Pick<DeclaredTool, "server" | "tool">): string =>
  (server ?? null) === null ? tool : `${server}__${tool.replace(/[^A-Za-z0-9_*-]/g, "_")}`;

const toolsOf = ({ tools, input_trust, oversight }: Answers, tier: Tier): ProfileBody["tools"] => {
  const effects = effectsOf(tools.tools);
  const names = Object.keys(effects);
  const acting = names.filter((name) => powerOf(effects[name] ?? null) > 0);
  const action = input_trust.tainted_arguments ?? taintedFor(tier, isExposed(input_trust));
  const named = (tools.approval_needed ?? []).flatMap((name) => declaredAs(name, tools.tools));
  return {
    default: "deny",
    allow: names,
    effects,
    // Only an agent that acts by itself calls what changes the world without a person.
    require_human: inOrder([...named, ...(oversight.autonomy === "act" ? [] : acting)]),
    tainted_arguments: action,
    ...((action === "hold" || action === "block") && {
      tainted_values: { from: TAINTED_FROM[tier], reading_tools: true },
    }),
    max_calls_per_conversation: tools.max_calls_per_conversation ?? null,
  };
};

/** Nothing where none are named, so that profiles from before are equal to those that name none. */
const serverToolsOf = ({ server_tools = [], mcp_hosts = [] }: Answers["tools"]): Pick<ProfileBody, "server_tools"> =>
  server_tools.length === 0
    ? {}
    : {
        server_tools: {
          allow: inOrder(server_tools),
          mcp_hosts: inOrder(mcp_hosts.map((host) => host.toLowerCase())),
        },
      };

/** As above: where none are named, nothing is said. */
const offersOf = ({ prompts = [], resources = [] }: Answers["tools"]): Pick<ProfileBody, "prompts" | "resources"> => ({
  ...(prompts.length > 0 && { prompts: inOrder(prompts) }),
  ...(resources.length > 0 && { resources: inOrder(resources) }),
});

/** By public name, in order. Of a tool that is declared twice the worse effect counts. */
const effectsOf = (tools: readonly DeclaredTool[]): Record<string, ToolEffect> => {
  const effects = new Map<string, ToolEffect>();
  for (const tool of tools) {
    const name = declaredName(tool);
    const known = effects.get(name);
    if (known === undefined || powerOf(tool.effect) > powerOf(known)) effects.set(name, tool.effect);
  }
  return Object.fromEntries([...effects].sort(([one], [other]) => (one < other ? -1 : 1)));
};

/** What a name in `approval_needed` stands for: a public name, or a tool of that name at any server. */
const declaredAs = (name: string, tools: readonly DeclaredTool[]): string[] => {
  const meant = tools.filter((tool) => declaredName(tool) === name || tool.tool === name).map(declaredName);
  return meant.length === 0 ? [name] : meant;
};

/**
 * What is done, unless the answers say, when a tool that acts gets a value only another tool's result had. Held where a
 * mistake is dear, or where strangers can plant such a value; else noted: agents pass on what tools told them all day.
 */
const taintedFor = (tier: Tier, exposed: boolean): (typeof TAINTED_ACTIONS)[number] =>
  isAtLeast(tier, "high") || (exposed && isAtLeast(tier, "medium")) ? "hold" : "flag";

/**
 * From which score on a value is held or blocked, by what a mistake costs: accounts, addresses, URLs, hosts, dangerous
 * commands and packages of all; other commands and files too where the tier is high; and where it is critical all.
 */
const TAINTED_FROM: Readonly<Record<Tier, number>> = { low: 0.75, medium: 0.75, high: 0.6, critical: 0.5 };

const linksOf = (security: Answers["secrets_security"]): ProfileBody["egress"] => {
  const egress = egressOf(security);
  if (egress === "open") return { url_allow: null, urls: "allow", images: "flag" };
  const hosts = Array.isArray(security.egress) ? security.egress : (security.egress_hosts ?? []);
  const allowed = egress === "none" ? [] : inOrder(hosts.map((host) => host.toLowerCase()));
  return { url_allow: allowed, urls: "redact", images: "redact" };
};
