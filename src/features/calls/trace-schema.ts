import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";
import { ASKED_BASES } from "#model/conversation-trace";
import { CallRow } from "./schema";

/* What is said of the conversation that a call belongs to. */

export const CallAskedBy = Type.Object(
  {
    call_id: Type.String(),
    basis: oneOf(
      ASKED_BASES,
      "`named`: the model call's record names the tool; `time`: it is the last one before that stopped to have tools called.",
    ),
  },
  { $id: "CallAskedBy", description: "The model call that asked for a tool call." },
);
export type CallAskedBy = Static<typeof CallAskedBy>;

/** A call of a conversation, where it stands in it. */
export const TraceCall = Type.Composite(
  [
    Type.Omit(CallRow, [
      "conversation_id",
      "change",
      "policy_revision",
      "profile_version",
      "token_id",
      "token",
      "scan_us",
    ]),
    Type.Object({
      started_at: Moment,
      finish_reasons: listOf(Type.String()),
      guard_ms: Type.Number(),
      upstream_ms: Type.Number(),
      sub_agent: orNull(Type.String({ description: "Which of the client's sub-agents made it, as the client says." })),
      asked_tools: orNull(
        Type.Object(
          { count: Type.Integer(), names: listOf(Type.String()) },
          { description: "Tool calls in its answer, and the names of the gateway's tools among them." },
        ),
      ),
      asked_by: orNull(CallAskedBy),
      ends_turn: Type.Boolean({ description: "The next call begins a new turn." }),
    }),
  ],
  { $id: "TraceCall" },
);
export type TraceCall = Static<typeof TraceCall>;

export const TraceTotals = Type.Object(
  {
    calls: Type.Integer({ description: "Finished calls of models and tools." }),
    model_calls: Type.Integer(),
    tool_calls: Type.Integer(),
    blocked: Type.Integer(),
    redacted: Type.Integer(),
    failed: Type.Integer({ description: "Errors and refused calls." }),
    tokens: Type.Object({ prompt: Type.Integer(), completion: Type.Integer() }),
    cost_usd: Type.Number({ description: "In US dollars, of calls whose model has a price." }),
    estimated_calls: Type.Integer(),
    unpriced_calls: Type.Integer({ description: "What they cost is not in the sum." }),
    first_at: orNull(Moment),
    last_at: orNull(Moment),
    elapsed_ms: Type.Number({ description: "From the start of the first call to the end of the last." }),
    model_ms: Type.Number({ description: "Sum of the durations of model calls." }),
    tool_ms: Type.Number({ description: "Sum of the durations of tool calls." }),
    is_complete: Type.Boolean({ description: "False when only the newest calls were added up." }),
  },
  { $id: "ConversationTotals" },
);
export type TraceTotals = Static<typeof TraceTotals>;

const ConversationRef = Type.Object({ conversation_id: Type.String(), call_id: Type.String(), at: Moment });

/** `GET /api/calls/{id}/conversation`. */
export const Conversation = Type.Object(
  {
    object: Type.Literal("conversation"),
    conversation_id: orNull(Type.String({ description: "As sent by the caller; null for a call of none." })),
    user: orNull(Type.String()),
    agent_id: orNull(Type.String()),
    agent: orNull(Type.String()),
    totals: orNull(Type.Unsafe<TraceTotals>({ ...TraceTotals, description: "On the first page only." })),
    calls: Type.Array(TraceCall, { description: "A page of the conversation, by start." }),
    has_later: Type.Boolean({ description: "There are later calls than the first page has: it ends with this call." }),
    has_more: Type.Boolean({ description: "There are earlier calls: `next_cursor` continues with them." }),
    next_cursor: orNull(Type.String()),
    latest_call_id: orNull(Type.String({ description: "The last call of the conversation." })),
    previous: orNull(
      Type.Unsafe<Static<typeof ConversationRef>>({
        ...ConversationRef,
        description: "A conversation of the same caller before this one began. On the first page only.",
      }),
    ),
    next: orNull(
      Type.Unsafe<Static<typeof ConversationRef>>({
        ...ConversationRef,
        description: "A conversation of the same caller after this one. On the first page only.",
      }),
    ),
  },
  { $id: "Conversation" },
);
export type Conversation = Omit<Static<typeof Conversation>, "calls"> & { readonly calls: readonly TraceCall[] };

const Linked = Type.Pick(TraceCall, ["call_id", "kind", "started_at", "decision", "model", "tool", "total_ms"]);

/** `GET /api/calls/{id}/links`: what stands beside a call in its conversation. */
export const CallLinks = Type.Object(
  {
    object: Type.Literal("call_links"),
    conversation_id: orNull(Type.String()),
    asked_by: orNull(Type.Composite([Linked, Type.Pick(CallAskedBy, ["basis"])])),
    asked: listOf(Linked),
    previous: orNull(Linked),
    next: orNull(Linked),
  },
  { $id: "CallLinks" },
);
export type CallLinks = Static<typeof CallLinks>;
