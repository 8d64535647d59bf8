import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/shapes";

/*
 * What `/api/calls` answers. Times are
 * RFC 3339, UTC, with milliseconds.
 */

/** What became of a call; `change` for a record that is none. */
export const Decision = oneOf(["allow", "flag", "redact", "block", "refused", "error", "change"]);
export type Decision = Static<typeof Decision>;

/** One type of flag of a call, with how often it was raised and the strictest thing done about it. */
export const CallFlagSummary = Type.Object(
  {
    type: Type.String(),
    action: Type.String(),
    count: Type.Number(),
  },
  { $id: "CallFlagSummary" },
);
export type CallFlagSummary = Static<typeof CallFlagSummary>;

/** One row of `GET /api/calls`: a finished call, or a change of governance. */
export const CallRow = Type.Object(
  {
    id: Type.String({ description: "Of the audit record." }),
    call_id: Type.String({ description: "The call's `x-request-id`; what `GET /api/calls/{id}` takes." }),
    event_id: orNull(
      Type.String({ description: "The handle for a dispute, where something was redacted or blocked." }),
    ),
    kind: Type.String({ description: "`chat.completion`, `tool.call`, `token.create` …" }),
    at: Moment,
    via: Type.String(),
    user_id: orNull(Type.String()),
    user: orNull(Type.String({ description: "Their e-mail address, as far as it is known." })),
    agent_id: orNull(Type.String()),
    agent: orNull(Type.String()),
    token_id: orNull(Type.String()),
    outcome: Type.String(),
    decision: Decision,
    status: orNull(Type.Number()),
    code: orNull(Type.String()),
    model: orNull(Type.String()),
    provider: orNull(Type.String()),
    tool: orNull(Type.String({ description: "Public name of the tool." })),
    conversation_id: orNull(Type.String()),
    stream: Type.Boolean(),
    flags: listOf(CallFlagSummary),
    total_tokens: orNull(Type.Number()),
    total_ms: orNull(Type.Number()),
    scan_us: orNull(Type.Number()),
    policy_revision: orNull(Type.Number()),
    profile_version: orNull(Type.Number()),
    change: orNull(
      Type.Object(
        {
          subject: Type.String(),
          subject_id: Type.String(),
        },
        { description: "What was changed; null for a call." },
      ),
    ),
  },
  { $id: "CallRow" },
);
export type CallRow = Static<typeof CallRow>;

/** A page of calls, newest first. */
export const CallPage = Type.Object(
  {
    object: Type.Literal("list"),
    data: listOf(CallRow),
    has_more: Type.Boolean({
      description:
        "There may be more: `next_cursor` goes on where this page stopped looking, also where it found nothing so far.",
    }),
    next_cursor: orNull(Type.String()),
    scanned_until: orNull(
      Type.String({ description: "Everything later than this was looked at; null when everything there is was." }),
    ),
    behind: Type.Number({
      description: "Newest records that cannot be found yet, because they are still being indexed; 0 as a rule.",
    }),
  },
  { $id: "CallPage" },
);
export type CallPage = Static<typeof CallPage>;

/** One finding of a call. Its text is masked: only where it stood is kept. */
export const CallFinding = Type.Object(
  {
    type: Type.String(),
    score: Type.Number(),
    detector: Type.String(),
    action: Type.String(),
    would: orNull(Type.String({ description: "What a rule in monitor mode would have done." })),
    origin: Type.String(),
    param: Type.String({ description: "Where in the body, and from where to where in UTF-16 units." }),
    start: Type.Number(),
    end: Type.Number(),
    masked: Type.String({ description: "As many bullets as the text was long, up to 64." }),
    source: orNull(Type.String()),
    layer: orNull(Type.String()),
    rule: orNull(Type.String()),
    tuned: orNull(Type.String({ description: "The tuning rule that made it so." })),
  },
  { $id: "CallFinding" },
);
export type CallFinding = Static<typeof CallFinding>;

export const CallCoverage = Type.Object(
  {
    texts: Type.Number(),
    chars: Type.Number(),
    cached: Type.Number(),
    unscanned: listOf(
      Type.Object({
        param: Type.String(),
        reason: Type.String(),
      }),
    ),
  },
  { $id: "CallCoverage" },
);
export type CallCoverage = Static<typeof CallCoverage>;

/** One bar of the waterfall. */
export const CallTiming = Type.Object(
  {
    part: oneOf(["scan_in", "upstream", "scan_out", "other"]),
    offset_ms: Type.Number(),
    ms: Type.Number(),
  },
  { $id: "CallTiming" },
);
export type CallTiming = Static<typeof CallTiming>;

/** One value a call was held to, and the layer that says it. */
export const CallRule = Type.Object(
  {
    field: Type.String(),
    value: Type.Unknown(),
    from: Type.String(),
  },
  { $id: "CallRule" },
);
export type CallRule = Static<typeof CallRule>;

/** What each layer said. */
export const CallPolicy = Type.Object(
  {
    is_that_of_the_call: Type.Boolean({
      description:
        "False where a policy, profile or restriction is another now: then `explain` is not what the call was held to.",
    }),
    baseline: Type.Object({
      revision: Type.Number(),
      current_revision: Type.Number(),
    }),
    profile: orNull(
      Type.Object({
        version: Type.Number(),
        current_version: orNull(Type.Number()),
        content_hash: orNull(Type.String()),
        effective_from: orNull(Type.String()),
      }),
    ),
    tuning: Type.Object({
      revision: orNull(Type.Number()),
      /** The rules that had a say in it. */
      rules: listOf(
        Type.Object({
          id: Type.String(),
          kind: orNull(Type.String()),
          effect: orNull(Type.String()),
          mode: orNull(Type.String()),
          status: orNull(Type.String()),
        }),
      ),
    }),
    explain: listOf(CallRule),
  },
  { $id: "CallPolicy" },
);
export type CallPolicy = Static<typeof CallPolicy>;

export const CallRestriction = Type.Object(
  {
    id: Type.String(),
    kind: Type.String(),
    source: Type.String(),
    reason: Type.String(),
    starts_at: Moment,
    expires_at: orNull(Moment),
  },
  { $id: "CallRestriction" },
);
export type CallRestriction = Static<typeof CallRestriction>;

/** `GET /api/calls/{id}`. */
export const CallDetail = Type.Composite(
  [
    CallRow,
    Type.Object({
      object: Type.Literal("call"),
      seq: Type.Number(),
      hash: Type.String(),
      mode: orNull(Type.String()),
      finish_reasons: listOf(Type.String()),
      attempts: orNull(Type.Number()),
      client_retry: orNull(Type.Number()),
      findings: listOf(CallFinding),
      coverage: orNull(
        Type.Object({
          input: CallCoverage,
          output: CallCoverage,
        }),
      ),
      timings: orNull(
        Type.Object({
          total_ms: Type.Number(),
          guard_ms: Type.Number(),
          upstream_ms: Type.Number(),
          /** In order. Offsets are reckoned from the lengths: only lengths are recorded. */
          parts: listOf(CallTiming),
        }),
      ),
      tokens: orNull(
        Type.Object({
          prompt: Type.Number(),
          completion: Type.Number(),
          total: Type.Number(),
        }),
      ),
      denied_by: orNull(
        Type.Object({
          layer: Type.String(),
          rule: Type.String(),
        }),
      ),
      /** The tool gateway's part of it. */
      tool_call: orNull(Type.Record(Type.String(), Type.Unknown())),
      /** In force for the agent when the call ended. */
      restrictions: listOf(CallRestriction),
      policy: orNull(CallPolicy),
      reports: listOf(
        Type.Object({
          id: Type.String(),
          direction: Type.String(),
          status: Type.String(),
        }),
      ),
      suggestions: listOf(
        Type.Object({
          id: Type.String(),
          status: Type.String(),
        }),
      ),
      content: Type.Object(
        {
          kept: Type.Boolean(),
          readable: Type.Boolean(),
          expires_at: orNull(Moment),
        },
        { description: "Whether the texts are kept, and readable at `/api/calls/{call_id}/content` by whoever may." },
      ),
      is_own: Type.Boolean({
        description: "One's own call, or that of an agent of one's own: such a call can be reported.",
      }),
      /** The change's details; null for a call. */
      detail: orNull(Type.Record(Type.String(), Type.Unknown())),
      /** The audit record as it was written. */
      record: Type.Record(Type.String(), Type.Unknown()),
    }),
  ],
  { $id: "CallDetail" },
);
export type CallDetail = Static<typeof CallDetail>;
