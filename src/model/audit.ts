import type { Action, Finding, Origin } from "#scan/detector";
import type { ContentHmac } from "./kept-content";
import type { Usage } from "./model-api";
import type { ToolLayer } from "./tools/tool-scope";

/** What a record says of a call through the tool gateway. */
export type ToolFacts = {
  readonly dialect: string;
  /** The registry's revision the caller's tools were read off. */
  readonly allowlist_revision: number;
  /** Slug and id of the server; null for a list, and for a name that means nothing. */
  readonly server: string | null;
  readonly server_id: string | null;
  /** The server's own name of the tool and its public name. A name nobody gave a tool is content: not recorded. */
  readonly tool: string | null;
  readonly name: string | null;
  /** Why it was not the caller's to call; `unknown` where there is no such tool. */
  readonly denied_by: ToolLayer | "unknown" | null;
  /** Whether the tool itself said that it failed. */
  readonly is_error: boolean | null;
  /** How many tools a list showed. */
  readonly listed: number | null;
  /** Present where the server asked its user something: never what was asked or answered. */
  readonly questions?: readonly QuestionFacts[];
  /** Present where the server sent log messages that the caller wanted: never what they say. */
  readonly logged?: LogFacts;
};

/** How many log messages of a call its caller was told, how many were too many or too long, and how many were blocked. */
export type LogFacts = { readonly told: number; readonly left_out: number; readonly blocked: number };

export const QUESTION_OUTCOMES = ["asked", "accept", "decline", "cancel", "timeout", "error", "refused"] as const;
/** Why a question was not asked. */
export const QUESTION_REFUSALS = ["credential", "guard", "invalid", "too_many", "unsupported", "url"] as const;
export type QuestionRefusal = (typeof QUESTION_REFUSALS)[number];

/** One question of a tool server to the user (elicitation). */
export type QuestionFacts = {
  readonly mode: "form" | "url";
  /** Where a question in URL mode sends the user. */
  readonly host?: string;
  /** `asked`: the client has it, and calls again with the answer. */
  readonly outcome: (typeof QUESTION_OUTCOMES)[number];
  readonly reason?: QuestionRefusal;
  /** How long the user took. */
  readonly ms: number;
};

/**
 * The audit record: one line of JSON without newlines, built field by field, never with content.
 * A call has a `request` record (written when it is let through) and a `final` one (how it ended);
 * what is decided at once, and every change of governance, is one `final` record.
 */
export type AuditRecord = {
  readonly v: 1;
  /** UUIDv7 of this record. */
  readonly id: string;
  /** Ties the records of one call together; equals the `x-request-id` its caller saw. */
  readonly call_id: string;
  readonly phase: "request" | "final";
  /** What was done: `chat.completion`, `guard.scan`, `token.create`, `auth.refused`, `system.start` … */
  readonly kind: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** Who: ids only. `via` says how they were known. */
  readonly actor: {
    readonly via: "token" | "session" | "source" | "cli" | "apply" | "system";
    readonly user_id: string | null;
    readonly agent_id: string | null;
    /** Of a hook source its own id. */
    readonly token_id: string | null;
    /** Of a person signed in to `/api`. */
    readonly session_id?: string;
    /** Of the program that a person let in and that asks in their name. */
    readonly client_id?: string;
    /** Who made a call that a hook source tells of, as the source names them, where the hub does not know them. */
    readonly external?: string;
  };
  readonly outcome: Outcome;
  /** Present when the record is about a call through the guard. */
  readonly call?: CallFacts;
  /** Present on changes of governance: the thing changed and the fields that say how. */
  readonly change?: {
    readonly subject: string;
    readonly subject_id: string;
    readonly detail: Readonly<Record<string, unknown>>;
  };
};

/** `open`: let through, not ended yet. `refused`: never let through (malformed, not allowed). */
export type Outcome =
  | "open"
  | "answered"
  | "blocked_input"
  | "blocked_output"
  | "client_closed"
  | "upstream_error"
  | "refused"
  | "failed"
  | "interrupted"
  | "done";

export type AuditFlag = Pick<Finding, "type" | "score" | "start" | "end" | "detector"> & {
  readonly action: Action;
  /** What a rule in monitor mode would have done. */
  readonly would?: Action;
  /** The tuning rule that made it so, or, in monitor mode, would have. */
  readonly tuned?: string;
  readonly origin: Origin;
  /** Where in the body: `messages[3].content`, `choices[0].message.content`. */
  readonly param: string;
  /** The message a tainted argument's value came from: `messages[3]`. */
  readonly source?: string;
  /** Who says so, where something is redacted or blocked: `profile v3`, `floor`; and by which rule. */
  readonly layer?: string | undefined;
  readonly rule?: string | undefined;
};

/**
 * What a cost was computed by: the tokens its provider counted, or those it must have been where the answer was cut off or
 * nobody counted. `unpriced`: the model has no price, so nobody knows.
 */
export const COST_BASES = ["usage", "estimate", "unpriced"] as const;
export type CostBasis = (typeof COST_BASES)[number];

/** The side of a call that a text belongs to: what is asked, or what is answered. */
export type Stage = "input" | "output";

/** What was looked at. `unscanned` names every text that was not, and why: never counted as passed. */
export type Coverage = {
  readonly texts: number;
  readonly chars: number;
  /** Texts whose verdict came from the cache. */
  readonly cached: number;
  readonly unscanned: readonly { readonly param: string; readonly reason: string }[];
};

/** A sub-agent of the client's, as the client names it, and the one that began it. */
export type SubAgent = { readonly id: string; readonly parent_id: string | null };

/** Tool calls in a model's answer: how many, and which of the gateway's tools they name, each once. Other names are content. */
export type AskedTools = { readonly count: number; readonly names: readonly string[] };

/** A tool at the provider; `host` of a remote MCP server, where it is known. */
export type ServerToolFacts = { readonly type: string; readonly host?: string };

export type CallFacts = {
  readonly status: number;
  /** The error code the caller saw, if any. */
  readonly code: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly stream: boolean;
  readonly policy_revision: number;
  /** The agent's profile that judged it; null for an ungoverned caller. */
  readonly profile_version: number | null;
  /** The tuning that judged it; null where there is none. */
  readonly tuning_revision: number | null;
  readonly mode: "enforce" | "monitor" | "off";
  readonly action: Action;
  /** Set when something was redacted or blocked: the handle for a dispute. */
  readonly event_id: string | null;
  readonly flags: readonly AuditFlag[];
  readonly coverage: Readonly<Record<Stage, Coverage>>;
  readonly usage: Readonly<Usage> | null;
  /** What the call cost, in dollars, and by what; null for a model without a price. Absent where no provider did anything. */
  readonly cost_usd?: number | null;
  readonly cost_basis?: CostBasis;
  /**
   * Of a record that a call is let through: what it has cost by then, in dollars, estimated; null for a model without a
   * price. It becomes the cost of a call that never ends because its process was killed.
   */
  readonly cost_begun_usd?: number | null;
  readonly finish_reasons: readonly string[];
  readonly ms: {
    readonly total: number;
    readonly guard: number;
    readonly upstream: number;
    /** What of `guard` went into the answer; absent where nothing did. */
    readonly guard_out?: number;
  };
  readonly attempts: number;
  /** What the SDK says of its own retries (`x-stainless-retry-count`). */
  readonly client_retry: number;
  readonly conversation_id: string | null;
  /** The provider's own name of the model; present where an alias named it otherwise. */
  readonly upstream_model?: string;
  /** Blocks of reasoning that were left out, because the provider no longer took them; present where there were any. */
  readonly reasoning_dropped?: number;
  /** Present where the client says which of its sub-agents calls. */
  readonly sub_agent?: SubAgent;
  /** Present where the request turned on tools that run at the provider. */
  readonly server_tools?: readonly ServerToolFacts[];
  /** Present where the answer has tool calls for the caller to make. Absent in records of earlier versions. */
  readonly asked_tools?: AskedTools;
  /** Present on calls through the tool gateway. */
  readonly tool?: ToolFacts;
  /** Present on what a coding agent's hook decided while the hub could not be reached: when. It was not scanned. */
  readonly decided_offline?: string;
  /** Present on calls that were refused by what governs them: the layer and its rule. */
  readonly denied_by?: { readonly layer: string; readonly rule: string };
  /** Present when a text was redacted or blocked: what a dispute is bound to. */
  readonly content_hmac?: ContentHmac;
};
