/*
 * What `/api/calls` answers, as plain types: pages in a browser import them, so this file imports nothing. Times are
 * RFC 3339, UTC, with milliseconds.
 */

/** What became of a call; `change` for a record that is none. */
export type Decision = "allow" | "flag" | "redact" | "block" | "refused" | "error" | "change";

/** One type of flag of a call, with how often it was raised and the strictest thing done about it. */
export type CallFlagSummary = { readonly type: string; readonly action: string; readonly count: number };

/** One row of `GET /api/calls`: a finished call, or a change of governance. */
export type CallRow = {
  /** Of the audit record. */
  readonly id: string;
  /** The call's `x-request-id`; what `GET /api/calls/{id}` takes. */
  readonly call_id: string;
  /** The handle for a dispute, where something was redacted or blocked. */
  readonly event_id: string | null;
  /** `chat.completion`, `tool.call`, `token.create` … */
  readonly kind: string;
  readonly at: string;
  readonly via: string;
  readonly user_id: string | null;
  /** Their e-mail address, as far as it is known. */
  readonly user: string | null;
  readonly agent_id: string | null;
  readonly agent: string | null;
  readonly token_id: string | null;
  readonly outcome: string;
  readonly decision: Decision;
  readonly status: number | null;
  readonly code: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  /** Public name of the tool. */
  readonly tool: string | null;
  readonly conversation_id: string | null;
  readonly stream: boolean;
  readonly flags: readonly CallFlagSummary[];
  readonly total_tokens: number | null;
  readonly total_ms: number | null;
  readonly scan_us: number | null;
  readonly policy_revision: number | null;
  readonly profile_version: number | null;
  /** What was changed; null for a call. */
  readonly change: { readonly subject: string; readonly subject_id: string } | null;
};

/** A page of calls, newest first. */
export type CallPage = {
  readonly object: "list";
  readonly data: readonly CallRow[];
  /** There may be more: `next_cursor` goes on where this page stopped looking, also where it found nothing so far. */
  readonly has_more: boolean;
  readonly next_cursor: string | null;
  /** Everything later than this was looked at; null when everything there is was. */
  readonly scanned_until: string | null;
  /** Newest records that cannot be found yet, because they are still being indexed; 0 as a rule. */
  readonly behind: number;
};

/** One finding of a call. Its text is masked: only where it stood is kept. */
export type CallFinding = {
  readonly type: string;
  readonly score: number;
  readonly detector: string;
  readonly action: string;
  /** What a rule in monitor mode would have done. */
  readonly would: string | null;
  readonly origin: string;
  /** Where in the body, and from where to where in UTF-16 units. */
  readonly param: string;
  readonly start: number;
  readonly end: number;
  /** As many bullets as the text was long, up to 64. */
  readonly masked: string;
  readonly source: string | null;
  readonly layer: string | null;
  readonly rule: string | null;
  /** The tuning rule that made it so. */
  readonly tuned: string | null;
};

export type CallCoverage = {
  readonly texts: number;
  readonly chars: number;
  readonly cached: number;
  readonly unscanned: readonly { readonly param: string; readonly reason: string }[];
};

/** One bar of the waterfall. */
export type CallTiming = {
  readonly part: "scan_in" | "upstream" | "scan_out" | "other";
  readonly offset_ms: number;
  readonly ms: number;
};

/** One value a call was held to, and the layer that says it. */
export type CallRule = { readonly field: string; readonly value: unknown; readonly from: string };

/** What each layer said. */
export type CallPolicy = {
  /** False where a policy, profile or restriction is another now: then `explain` is not what the call was held to. */
  readonly is_that_of_the_call: boolean;
  readonly baseline: { readonly revision: number; readonly current_revision: number };
  readonly profile: {
    readonly version: number;
    readonly current_version: number | null;
    readonly content_hash: string | null;
    readonly effective_from: string | null;
  } | null;
  readonly tuning: {
    readonly revision: number | null;
    /** The rules that had a say in it. */
    readonly rules: readonly {
      readonly id: string;
      readonly kind: string | null;
      readonly effect: string | null;
      readonly mode: string | null;
      readonly status: string | null;
    }[];
  };
  readonly explain: readonly CallRule[];
};

export type CallRestriction = {
  readonly id: string;
  readonly kind: string;
  readonly source: string;
  readonly reason: string;
  readonly starts_at: string;
  readonly expires_at: string | null;
};

/** `GET /api/calls/{id}`. */
export type CallDetail = CallRow & {
  readonly object: "call";
  readonly seq: number;
  readonly hash: string;
  readonly mode: string | null;
  readonly finish_reasons: readonly string[];
  readonly attempts: number | null;
  readonly client_retry: number | null;
  readonly findings: readonly CallFinding[];
  readonly coverage: { readonly input: CallCoverage; readonly output: CallCoverage } | null;
  readonly timings: {
    readonly total_ms: number;
    readonly guard_ms: number;
    readonly upstream_ms: number;
    /** In order. Offsets are reckoned from the lengths: only lengths are recorded. */
    readonly parts: readonly CallTiming[];
  } | null;
  readonly tokens: { readonly prompt: number; readonly completion: number; readonly total: number } | null;
  readonly denied_by: { readonly layer: string; readonly rule: string } | null;
  /** The tool gateway's part of it. */
  readonly tool_call: Readonly<Record<string, unknown>> | null;
  /** In force for the agent when the call ended. */
  readonly restrictions: readonly CallRestriction[];
  readonly policy: CallPolicy | null;
  readonly reports: readonly { readonly id: string; readonly direction: string; readonly status: string }[];
  readonly suggestions: readonly { readonly id: string; readonly status: string }[];
  /** Whether the texts are kept, and readable at `/api/calls/{call_id}/content` by whoever may. */
  readonly content: { readonly kept: boolean; readonly readable: boolean; readonly expires_at: string | null };
  /** One's own call, or that of an agent of one's own: such a call can be reported. */
  readonly is_own: boolean;
  /** The change's details; null for a call. */
  readonly detail: Readonly<Record<string, unknown>> | null;
  /** The audit record as it was written. */
  readonly record: Readonly<Record<string, unknown>>;
};
