import type { AuditRecord, Coverage, Outcome } from "#core/audit";
import type { Asker } from "#core/caller";
import type { Usage } from "#core/chat";
import { GuardError } from "#core/errors";
import { isRecord } from "#core/json";
import type { Action } from "#core/scan/detector";
import type { Judged } from "#core/scan/scan";

/* What a guarded call writes down of itself: coverage, and how its errors read. */

export type Stage = "input" | "output";

const MOST_GAPS = 50;

/** Who it was, as the record says it: ids only. */
export const actorOf = (asker: Asker): AuditRecord["actor"] => {
  const { user, agent, client, token } = asker;
  const who = { user_id: user.id, agent_id: agent?.id ?? null };
  if (token === null) return { via: "session", ...who, token_id: null, session_id: asker.session_id };
  return { via: "token", ...who, token_id: token.id, ...(client && { client_id: client.id }) };
};

/** Who takes turns with others where something is scarce: each token, and each person at the dashboard. */
export const turnOf = ({ token, user }: Asker): string => (token === null ? `user ${user.id}` : `token ${token.id}`);

type Looked = { texts: number; chars: number; cached: number; unscanned: { param: string; reason: string }[] };

/** What was looked at of a call, and what was not. */
export class CoverageTally {
  readonly input: Looked = { texts: 0, chars: 0, cached: 0, unscanned: [] };
  readonly output: Looked = { texts: 0, chars: 0, cached: 0, unscanned: [] };

  look(stage: Stage, chars: number, cached = false): void {
    const looked = this[stage];
    looked.texts += 1;
    looked.chars += chars;
    if (cached) looked.cached += 1;
  }

  /** Each once: a stream has the same one in many chunks. */
  gap(stage: Stage, param: string, reason: string): void {
    const { unscanned } = this[stage];
    if (unscanned.length >= MOST_GAPS || unscanned.some((one) => one.param === param && one.reason === reason)) return;
    unscanned.push({ param, reason });
  }

  get facts(): Readonly<Record<Stage, Coverage>> {
    return { input: this.input, output: this.output };
  }
}

/** What is recorded of a conversation id, in UTF-16 units. */
const LONGEST_CONVERSATION = 200;

/** Cut after it was judged: half of a secret would pass for nothing. */
export const recordedConversation = (judged: string): string => judged.slice(0, LONGEST_CONVERSATION);

/** Whether a place in an answer is what a tool is given. */
export const isToolInput = (param: string): boolean => /\.(?:arguments|input)(?:[.[]|$)/.test(param);

/** Providers write what they like here; only protocol words are recorded. */
export const knownReason = (reason: string): string => (/^[a-z_]{1,24}$/.test(reason) ? reason : "other");

/**
 * What is said of an error that a provider reports inside a stream: its word for it (`overloaded_error`), where it has one.
 * Its sentences stay out: like the bodies of its 5xx they may name addresses and keys of the operator's.
 */
export const reportedFault = (error: unknown): string => {
  const { type, code } = isRecord(error) ? error : {};
  const word = [code, type].find((one) => typeof one === "string" && knownReason(one) === one);
  return `The provider reported an error in the middle of its answer${word === undefined ? "" : ` (${word})`}.`;
};

/** Microseconds are enough for anybody; more digits only fill the log. */
export const round = (ms: number): number => Math.round(ms * 1000) / 1000;

/** What is recorded of a call's time; `out` is what of the guard's went into the answer. */
export const msOf = (
  total: number,
  { guard, upstream, out }: Readonly<Record<"guard" | "upstream" | "out", number>>,
) => ({
  ...{ total: round(total), guard: round(guard), upstream: round(upstream) },
  ...(out > 0 && { guard_out: round(out) }),
});

/** One entry a type, with its best score, of what led to the block. */
const bestFlags = (findings: readonly Judged[]): { type: string; score: number }[] => {
  const best = new Map<string, number>();
  for (const { type, score, action } of findings) {
    if (action === "block") best.set(type, Math.max(score, best.get(type) ?? 0));
  }
  return [...best].map(([type, score]) => ({ type, score }));
};

export const outcomeOf = (error: GuardError): Outcome => {
  const guard = error.extra?.["guard"];
  if (error.code === "content_filter") {
    return typeof guard === "object" && guard !== null && "stage" in guard && guard.stage === "output"
      ? "blocked_output"
      : "blocked_input";
  }
  if (error.code === "client_closed") return "client_closed";
  if (error.code === "shutting_down") return "interrupted";
  if (error.code.startsWith("upstream_")) return "upstream_error";
  return error.status >= 500 ? "failed" : "refused";
};

/** Of a call whose token, grant, client or user was taken away while it was under way. */
export const accessEnded = (): GuardError =>
  new GuardError("invalid_api_key", "What this call was made with was revoked or disabled while it was under way.");

/** About as many characters make a token of English; other languages make more tokens of fewer. */
const CHARS_A_TOKEN = 4;

/** Where a provider reports no usage, nearly what it was: an answer is not free because nobody counted it. */
export const tokensUsed = (usage: Usage | null, { input, output }: Pick<CoverageTally, Stage>): number =>
  usage?.total_tokens ?? Math.ceil((input.chars + output.chars) / CHARS_A_TOKEN);

/** What a block says of itself beside its words. */
export type Block = {
  readonly stage: Stage;
  readonly param: string;
  readonly findings: readonly Judged[];
  readonly eventId: string;
  /** Whose answer it is. */
  readonly answerer: "tool" | "model";
  /** Whether the answer is, or would have been, a stream. */
  readonly isStreamed: boolean;
  readonly policyRevision: number;
  readonly profileVersion: number | null;
  /** Null while nobody knows. */
  readonly reportsLeft: number | null;
};

/**
 * Whether the error says so in OpenAI's word, which LiteLLM's `content_policy_fallbacks` go by. Not where a stream was
 * asked for: interactive clients on LiteLLM (aider) stream, and send again, many times, what they know by that word.
 */
const isPolicyViolation = ({ answerer, isStreamed }: Block): boolean => answerer === "model" && !isStreamed;

/** The error a block answers with. The matched text is never in it. */
export const blockError = (block: Block): GuardError => {
  const { stage, param, findings, eventId, answerer } = block;
  const flags = bestFlags(findings);
  const types = flags.map((flag) => flag.type).join(", ");
  const by = findings.find(({ action }) => action === "block");
  const advice =
    stage === "input"
      ? `Remove it from ${param} and send the call again; the same text will be blocked again.`
      : `The ${answerer}'s answer was withheld; ask for it without that content.`;
  return new GuardError(
    "content_filter",
    `Blocked by the guard: ${types} in the ${stage}. ${advice} If the block is wrong, POST /v1/guard/disputes with event_id ${eventId}.${isPolicyViolation(block) ? " (content_policy_violation)" : ""}`,
    {
      param,
      extra: {
        event_id: eventId,
        guard: {
          stage,
          action: "block",
          flags,
          ...(by?.layer !== undefined && { layer: by.layer, rule: by.rule }),
          policy_revision: block.policyRevision,
          ...(block.profileVersion !== null && { profile_version: block.profileVersion }),
          dispute_url: "/v1/guard/disputes",
          reports_remaining: block.reportsLeft,
        },
      },
      headers: { "x-guard-action": "block", "x-guard-event-id": eventId },
    },
  );
};

/** The layer and the rule an error names as its reason; null for one that is no decision. */
export const deniedBy = ({ extra }: GuardError): { layer: string; rule: string } | null => {
  const guard = extra?.["guard"];
  if (typeof guard !== "object" || guard === null || !("layer" in guard) || !("rule" in guard)) return null;
  const { layer, rule } = guard;
  return typeof layer === "string" && typeof rule === "string" ? { layer, rule } : null;
};

/** A text that could not be judged is not passed on. */
export const notScanned = (cause: unknown): GuardError =>
  new GuardError("guard_unavailable", "The guard could not scan this call, so it was not served.", { cause });

export const unexpectedError = (cause: unknown, callId: string): GuardError =>
  new GuardError(
    "internal_error",
    `Something went wrong inside the hub. Operators find it in the log under call ${callId}.`,
    { cause },
  );

/** A redaction can be disputed however its call ended, so the error that ends it names the event. */
export const withEvent = (error: GuardError, event: string | null, action: Action): GuardError => {
  if (event === null || error.headers?.["x-guard-event-id"]) return error;
  const headers = { ...error.headers, "x-guard-action": action, "x-guard-event-id": event };
  return new GuardError(error.code, error.message, { ...error, headers });
};
