import type { AuditRecord, CallFacts, Coverage } from "#model/audit";
import { isModelCall } from "#model/model-api";
import { nanoOf } from "#model/money";
import { isVerdict } from "#model/verdict";

/*
 * What one finished call adds to the counters of its hour. Everything is read off its audit record, so that counting
 * the audit log again gives the same numbers.
 */

export const HOUR_MS = 3_600_000;

/** When the hour begins that this moment is in, Unix milliseconds. */
export const hourOf = (at: number): number => at - (at % HOUR_MS);

/** What is counted of a call's final record. */
export type FinishedCall = Pick<AuditRecord, "kind" | "outcome"> & { readonly facts: CallFacts };

/** Whose counters a record adds to: the agent's, or the user's where no agent calls; null for what is no finished call. */
export const finishedCall = (record: AuditRecord): (FinishedCall & { readonly subject: string }) | null => {
  const { phase, kind, outcome, actor, call: facts } = record;
  const subject = actor.agent_id ?? actor.user_id;
  return phase === "final" && facts && subject !== null ? { subject, kind, outcome, facts } : null;
};

/** About as many characters make a token of English; other languages make more tokens of fewer. */
const CHARS_A_TOKEN = 4;

/** Tokens a call is charged with: nearly what it was, where a provider that was asked reports none. */
export const tokensOf = ({ usage, attempts, coverage }: CallFacts): number => {
  if (usage !== null) return usage.total_tokens;
  return attempts === 0 ? 0 : Math.ceil((coverage.input.chars + coverage.output.chars) / CHARS_A_TOKEN);
};

/** The reason a text is recorded under that passed although the scanner failed (`fail_mode` open). */
export const FAILED_OPEN = "scan_failed";

/** Counters of names that come from outside: `model.gpt-5`, `tool.files__read`. */
export const NAMED = ["model", "tool", "flag", "finish"] as const;
export type NamedCounter = (typeof NAMED)[number];

export type Count = {
  add(counter: string, by: number): void;
  name(of: NamedCounter, name: string): void;
};

/** Turned away before it came to anything: counted, but no call of the agent's that could dilute a rate. */
const TURNED_AWAY = new Set(["killed", "agent_suspended", "rate_limit_exceeded", "insufficient_quota"]);
/** What a profile does not allow. */
const OFF_PROFILE = new Set(["model_not_allowed", "tool_not_allowed", "parameter_not_allowed"]);
/** A server that is off, or a definition that changed, is not the agent's doing. */
const OFF_PROFILE_LAYERS = new Set(["agent", "profile", "unknown"]);

/** Adds one call up. Only calls of models and tools count: health requests and lists say nothing about an agent. */
export const countCall = ({ kind, outcome, facts }: FinishedCall, count: Count): void => {
  const isTool = kind === "tool.call";
  if (!isTool && !isModelCall(kind) && !isVerdict(kind)) return;
  if (facts.code !== null && TURNED_AWAY.has(facts.code)) {
    count.add("turned_away", 1);
    return;
  }
  count.add(isTool ? "tool_calls" : "calls", 1);
  countOutcome(outcome, facts, count);
  countFlags(facts, count);
  const isOff = isOffProfile(facts);
  if (isOff) count.add("off_profile", 1);
  // What was not allowed was not used.
  if (facts.model !== null && !isOff) count.name("model", facts.model);
  if (facts.tool?.name && facts.tool.denied_by === null && !isOff) count.name("tool", facts.tool.name);
  for (const reason of facts.finish_reasons) count.name("finish", reason);
  count.add("tokens", tokensOf(facts));
  countTokens(facts.usage, count);
  countCost(facts, count);
};

/** In nano-dollars. */
const countCost = ({ cost_usd, cost_basis }: CallFacts, count: Count): void => {
  if (cost_basis === "unpriced") count.add("unpriced", 1);
  if (cost_basis === "estimate") count.add("estimated", 1);
  if (cost_usd != null && cost_usd > 0) count.add("cost", nanoOf(cost_usd));
};

const countOutcome = (outcome: FinishedCall["outcome"], facts: CallFacts, count: Count): void => {
  if (outcome === "blocked_input" || outcome === "blocked_output") count.add("blocks", 1);
  if (facts.action === "redact") count.add("redactions", 1);
  if (outcome === "failed" || outcome === "interrupted") count.add("errors_hub", 1);
  if (outcome === "upstream_error" && facts.code !== "upstream_rate_limited") count.add("errors_upstream", 1);
  const open = failedOpen(facts.coverage.input) + failedOpen(facts.coverage.output);
  if (open > 0) count.add("fail_open", open);
};

const failedOpen = ({ unscanned }: Coverage): number =>
  unscanned.length === 0 ? 0 : unscanned.filter(({ reason }) => reason === FAILED_OPEN).length;

/** Each type once a call, and calls without any as a kind of their own: that makes a mix which can be compared. */
const countFlags = ({ flags }: CallFacts, count: Count): void => {
  if (flags.length > 0) count.add("flags", 1);
  else count.name("flag", "none");
  for (const type of new Set(flags.map((flag) => flag.type))) count.name("flag", type);
};

const isOffProfile = ({ code, tool, denied_by, flags }: CallFacts): boolean => {
  if (tool?.denied_by) return OFF_PROFILE_LAYERS.has(tool.denied_by);
  // What a profile in monitor mode only watches.
  if (flags.some(({ detector }) => detector === "profile")) return true;
  if (code === null || !OFF_PROFILE.has(code)) return false;
  return denied_by === undefined || denied_by.layer.startsWith("profile");
};

const countTokens = (usage: CallFacts["usage"], count: Count): void => {
  if (usage === null) return;
  const { prompt_tokens, completion_tokens } = usage;
  count.add("prompt_tokens", prompt_tokens);
  count.add("completion_tokens", completion_tokens);
  count.add(`prompt_bin.${binOf(prompt_tokens)}`, 1);
  count.add(`output_bin.${binOf(completion_tokens)}`, 1);
};

/** Whole log₂: 0 for one token or none, 10 for 1024 to 2047. */
const binOf = (tokens: number): number => 31 - Math.clz32(Math.max(1, tokens));
