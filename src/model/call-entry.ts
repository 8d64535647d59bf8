import type { AuditRecord, CallFacts, Outcome } from "#model/audit";
import { isModelCall } from "#model/model-api";
import { nanoOf } from "#model/money";
import { isVerdict } from "#model/verdict";

/* What a final record can be found by, and what it adds to the hub's traffic. Read off the record and nothing else. */

/** What became of a call; `change` for a record that is none. */
export type CallDecision = "allow" | "flag" | "redact" | "block" | "refused" | "error" | "change";
export const CALL_DECISIONS: readonly CallDecision[] = [
  "allow",
  "flag",
  "redact",
  "block",
  "refused",
  "error",
  "change",
];

/** Null where there is none. */
export type CallEntry = {
  readonly kind: string;
  readonly decision: CallDecision;
  readonly outcome: Outcome;
  readonly user_id: string | null;
  readonly agent_id: string | null;
  readonly token_id: string | null;
  readonly model: string | null;
  readonly tool: string | null;
  readonly conversation_id: string | null;
  /** What its cost was computed by. */
  readonly cost_basis: string | null;
  /** Flag types, each once. */
  readonly flags: readonly string[];
};

/** Calls of models and tools, reads of resources and prompts; what else goes through the guard, as lists of tools, scans and reports; and administration. */
export const CALL_CATEGORIES = ["call", "other", "administration"] as const;
export type CallCategory = (typeof CALL_CATEGORIES)[number];

export const TOOL_CALL = "tool.call";
/** What else reaches a tool server's content. */
const OFFER_CALLS: ReadonlySet<string> = new Set(["resource.read", "prompt.get"]);

/** Whether it uses a tool, resource or prompt; lists do not. */
export const isToolGatewayCall = (kind: string): boolean => kind === TOOL_CALL || OFFER_CALLS.has(kind);

export const categoryOf = ({ kind, call }: Pick<AuditRecord, "kind" | "call">): CallCategory => {
  if (!call) return "administration";
  return isToolGatewayCall(kind) || isModelCall(kind) || isVerdict(kind) ? "call" : "other";
};

/** Numbers of a call: `ms` is how long it took, `cost` is in nano-dollars, `tokens` all of them. */
export const CALL_MEASURES = ["status", "ms", "tokens", "prompt", "completion", "cached", "cost"] as const;
export type CallMeasure = (typeof CALL_MEASURES)[number];
/** Null where there is none. */
export type CallMeasures = { readonly [measure in CallMeasure]: number | null };

/** Nothing but calls of models and tools has tokens and cost. */
export const measuresOf = (record: Pick<AuditRecord, "kind" | "call">): CallMeasures => {
  const { call } = record;
  const spent = categoryOf(record) === "call" ? call : undefined;
  return {
    status: call?.status ?? null,
    ms: call?.ms.total ?? null,
    tokens: spent?.usage?.total_tokens ?? null,
    prompt: spent?.usage?.prompt_tokens ?? null,
    completion: spent?.usage?.completion_tokens ?? null,
    cached: spent?.usage?.cached_tokens ?? null,
    cost: spent?.cost_usd == null ? null : nanoOf(spent.cost_usd),
  };
};

/** What calls are added up by, in words, and the field of each. */
export const CALL_GROUPS = {
  agent: "agent_id",
  model: "model",
  tool: "tool",
  user: "user_id",
  token: "token_id",
  finding: "flag",
  decision: "decision",
  status: "status",
  kind: "kind",
  outcome: "outcome",
  conversation: "conversation_id",
} as const;
export type CallGroup = keyof typeof CALL_GROUPS;
export const isCallGroup = (name: string): name is CallGroup => Object.hasOwn(CALL_GROUPS, name);

/** By what lists of calls are put in order: the largest first where it begins with a minus. */
export const CALL_SORTS = ["-time", "time", "-latency", "latency", "-tokens", "tokens", "-cost", "cost"] as const;
export type CallSort = (typeof CALL_SORTS)[number];

const BROKEN: readonly Outcome[] = ["failed", "interrupted", "upstream_error"];

export const decisionOf = ({ outcome, call }: Pick<AuditRecord, "outcome" | "call">): CallDecision => {
  if (!call) return "change";
  if (BROKEN.includes(outcome)) return "error";
  return outcome === "refused" ? "refused" : call.action;
};

export const entryOf = (record: AuditRecord): CallEntry => {
  const { kind, outcome, actor, call } = record;
  return {
    kind,
    decision: decisionOf(record),
    outcome,
    user_id: actor.user_id,
    agent_id: actor.agent_id,
    token_id: actor.token_id,
    model: call?.model ?? null,
    tool: call?.tool?.name ?? null,
    conversation_id: call?.conversation_id ?? null,
    cost_basis: call?.cost_basis ?? null,
    flags: flagTypesOf(record),
  };
};

/** Each once; most calls have none. */
const flagTypesOf = ({ call }: AuditRecord): readonly string[] =>
  call == null || call.flags.length === 0 ? NONE : [...new Set(call.flags.map(({ type }) => type))];

const NONE: readonly string[] = [];

/** `pii.email` and `pii`: a prefix stands for all below it. */
export const prefixesOf = (type: string): string[] => {
  const parts = type.split(".");
  return parts.map((_, index) => parts.slice(0, index + 1).join("."));
};

/** Counters by name; what is added is added to what is there. */
export type Traffic = Map<string, number>;

const SUMS: ReadonlySet<string> = new Set([
  ...["calls", "held", "cost", "estimated", "unpriced", "tokens.prompt", "tokens.completion"],
  ...CALL_DECISIONS.map((decision) => `decision.${decision}`),
]);

/** Whether a counter is one of the few that every bucket has; the others are of a name or a bin each. */
export const isSum = (counter: string): boolean => SUMS.has(counter);

/** Each bin is so much wider than the one before: a value is known within 8 %. */
const BIN_RATIO = 1.15;
export const binOf = (value: number): number =>
  Math.max(0, Math.round(Math.log(Math.max(1, value)) / Math.log(BIN_RATIO)));
export const ofBin = (bin: number): number => BIN_RATIO ** bin;

const add = (to: Traffic, counter: string, by = 1): void => {
  to.set(counter, (to.get(counter) ?? 0) + by);
};

/** Only calls of models and of tools count. Names from outside that are too long to keep count as `other`. */
const MAX_NAME_LENGTH = 100;
const named = (of: string, name: string): string => `${of}.${name.length > MAX_NAME_LENGTH ? "other" : name}`;

/** Whether a record is of a finished call of a model or a tool. */
export const isTraffic = ({ call, phase, kind }: AuditRecord): boolean =>
  call != null && phase === "final" && categoryOf({ kind, call }) === "call";

/** Why a person has to approve a call, as its record names the rule. */
const HOLDING_RULES: readonly string[] = ["human_approval", "tool.tainted_argument"];

/** Whether a call was blocked because a person has to approve it first. */
export const wasHeld = ({ outcome, call }: Pick<AuditRecord, "outcome" | "call">): boolean =>
  outcome.startsWith("blocked") && HOLDING_RULES.includes(call?.denied_by?.rule ?? "");

/** In nano-dollars. What has no price is counted, so that nobody takes it for free. */
const countCost = ({ actor }: AuditRecord, { cost_usd, cost_basis, model }: CallFacts, to: Traffic): void => {
  if (cost_basis === "unpriced") add(to, "unpriced");
  if (cost_basis === "estimate") add(to, "estimated");
  if (cost_usd == null || cost_usd === 0) return;
  const nano = nanoOf(cost_usd);
  add(to, "cost", nano);
  if (model !== null) add(to, named("model_cost", model), nano);
  if (actor.agent_id !== null) add(to, `agent_cost.${actor.agent_id}`, nano);
  else if (actor.user_id !== null) add(to, `user_cost.${actor.user_id}`, nano);
};

/** Adds one finished call to counters. */
export const countTraffic = (record: AuditRecord, to: Traffic): void => {
  const { call, actor } = record;
  if (!call) return;
  add(to, "calls");
  add(to, `decision.${decisionOf(record)}`);
  if (wasHeld(record)) add(to, "held");
  add(to, `scan.${binOf(call.ms.guard * 1_000)}`);
  if (call.attempts > 0) add(to, `upstream.${binOf(call.ms.upstream * 1_000)}`);
  if (call.usage) {
    add(to, "tokens.prompt", call.usage.prompt_tokens);
    add(to, "tokens.completion", call.usage.completion_tokens);
  }
  if (call.model !== null) add(to, named("model", call.model));
  if (actor.agent_id !== null) add(to, `agent.${actor.agent_id}`);
  countCost(record, call, to);
  for (const type of flagTypesOf(record)) add(to, named("flag", type));
};
