import { GuardError } from "#core/errors";
import type { Stage } from "#model/audit";
import type { Action } from "#scan/detector";
import type { Judged } from "#scan/scan";

/* The errors that a guarded call ends with. */

/** One entry a type, with its best score, of what led to the block. */
const bestFlags = (findings: readonly Judged[]): { type: string; score: number }[] => {
  const best = new Map<string, number>();
  for (const { type, score, action } of findings) {
    if (action === "block") best.set(type, Math.max(score, best.get(type) ?? 0));
  }
  return [...best].map(([type, score]) => ({ type, score }));
};

/** Of a call whose token, grant, client or user was taken away while it was under way. */
export const accessEnded = (): GuardError =>
  new GuardError("invalid_api_key", "The call's token was revoked or disabled during the call.");

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

/** A text that could not be judged is not passed on. */
export const notScanned = (cause: unknown): GuardError =>
  new GuardError(
    "guard_unavailable",
    "The guard could not scan this call, so it was not served. Retry; operators see the cause in the log.",
    { cause },
  );

export const unexpectedError = (cause: unknown, callId: string): GuardError =>
  new GuardError("internal_error", `Internal error of the hub. Operators find it in the log under call ${callId}.`, {
    cause,
  });

/** A redaction can be disputed however its call ended, so the error that ends it names the event. */
export const withEvent = (error: GuardError, event: string | null, action: Action): GuardError => {
  if (event === null || error.headers?.["x-guard-event-id"]) return error;
  const headers = { ...error.headers, "x-guard-action": action, "x-guard-event-id": event };
  return new GuardError(error.code, error.message, { ...error, headers });
};
