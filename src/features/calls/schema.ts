import { parseJson } from "#core/json/json";
import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";
import {
  type AuditFlag,
  type AuditRecord,
  type CallFacts,
  COST_BASES,
  type Coverage,
  QUESTION_OUTCOMES,
  QUESTION_REFUSALS,
} from "#model/audit";
import { decisionOf } from "#model/call-entry";
import { ACTIONS, type Action } from "#scan/detector";
import type { AuditRow } from "#store/record";

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
      Type.String({ description: "Id to name in a dispute; set when something was redacted or blocked." }),
    ),
    kind: Type.String({ description: "`chat.completion`, `tool.call`, `token.create` …" }),
    at: Moment,
    via: Type.String(),
    user_id: orNull(Type.String()),
    user: orNull(Type.String({ description: "E-mail address, if known." })),
    agent_id: orNull(Type.String()),
    agent: orNull(Type.String()),
    token_id: orNull(Type.String()),
    token: orNull(Type.String({ description: "Name of the token, or its shown part, if known." })),
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
    cost_usd: orNull(
      Type.Number({ description: "In US dollars; null where it cost nothing, and for a model without a price." }),
    ),
    cost_basis: orNull(
      oneOf(
        COST_BASES,
        "`usage`: the tokens its provider counted; `estimate`: the answer was cut off, or nobody counted; `unpriced`: the model has no price. Null where no provider did anything.",
      ),
    ),
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
        { description: "The change; null for a call." },
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
      description: "There may be more: `next_cursor` continues where this page stopped, even if it is empty.",
    }),
    next_cursor: orNull(Type.String()),
    scanned_until: orNull(Type.String({ description: "Records after this time were searched; null when all were." })),
    behind: Type.Number({
      description: "Newest records not indexed yet; usually 0.",
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
    would: orNull(Type.String({ description: "Action a rule in monitor mode would have taken." })),
    origin: Type.String(),
    param: Type.String({ description: "JSON path in the body; start and end in UTF-16 units." }),
    start: Type.Number(),
    end: Type.Number(),
    masked: Type.String({ description: "One bullet per character, at most 64." }),
    source: orNull(Type.String()),
    layer: orNull(Type.String()),
    rule: orNull(Type.String()),
    tuned: orNull(Type.String({ description: "The tuning rule that was applied." })),
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
        "False where a policy, profile or restriction has changed since: then `explain` is not the policy of the call.",
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
      external: orNull(
        Type.String({ description: "Who made it, as a hook source names them, if the hub does not know them." }),
      ),
      mode: orNull(Type.String()),
      finish_reasons: listOf(Type.String()),
      attempts: orNull(Type.Number()),
      client_retry: orNull(Type.Number()),
      upstream_model: orNull(
        Type.String({ description: "The provider's name of the model, if an alias has another." }),
      ),
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
          cached: Type.Number({ description: "Of the prompt, read from a cache." }),
          cache_write: Type.Number({ description: "Of the prompt, written into a cache." }),
          reasoning: Type.Number(),
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
      questions: Type.Array(
        Type.Object({
          mode: oneOf(["form", "url"]),
          host: orNull(Type.String({ description: "Where a page was to be opened.", examples: ["login.example.com"] })),
          outcome: oneOf(QUESTION_OUTCOMES),
          reason: orNull(oneOf(QUESTION_REFUSALS, "Why it was not asked.")),
          ms: Type.Number({ description: "How long the user took." }),
        }),
        { description: "What the tool server asked the user (elicitation), without its content." },
      ),
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
        { description: "Whether content is stored, readable at `/api/calls/{call_id}/content` with permission." },
      ),
      is_own: Type.Boolean({
        description: "Own call, or call of an own agent; such calls can be reported.",
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

/** How far an answer about all calls that match goes. */
const LOOKED = {
  is_complete: Type.Boolean({
    description: "False when only the newest calls were looked at, because there are too many.",
  }),
  scanned_until: orNull(Type.String({ description: "Calls after this time were looked at; null when all were." })),
  behind: Type.Number({ description: "Newest records not indexed yet; usually 0." }),
} as const;

const COST_USD = Type.Number({ description: "In US dollars, of calls whose model has a price." });

export const CallTotals = Type.Object(
  {
    object: Type.Literal("call_totals"),
    calls: Type.Number({
      description: "Finished calls of models and tools, or records of the category that was asked for.",
    }),
    tokens: Type.Object({
      total: Type.Number(),
      prompt: Type.Number(),
      completion: Type.Number(),
      cached: Type.Number(),
    }),
    cost_usd: COST_USD,
    estimated_calls: Type.Number(),
    unpriced_calls: Type.Number({ description: "What they cost is not in the sum." }),
    ...LOOKED,
  },
  { $id: "CallTotals" },
);
export type CallTotals = Static<typeof CallTotals>;

/** The values of a field, those of the most calls first. */
export const CallValues = Type.Object(
  {
    object: Type.Literal("list"),
    data: listOf(
      Type.Object({
        value: Type.String({ description: "As the filter of the field takes it." }),
        label: Type.String({ description: "What people know it as: a name, an e-mail address." }),
        calls: Type.Number(),
        tokens: Type.Number(),
        cost_usd: COST_USD,
      }),
    ),
    ...LOOKED,
  },
  { $id: "CallValues" },
);
export type CallValues = Static<typeof CallValues>;

/** What people know ids as. */
export type CallNames = {
  readonly user: (id: string) => string | null;
  readonly agent: (id: string) => string | null;
  readonly token: (id: string) => string | null;
};

/** A record as it was read back; null for a body that somebody changed beyond reading. */
export const recordOf = ({ body }: Pick<AuditRow, "body">): AuditRecord | null => {
  const read = parseJson(body);
  return isAuditRecord(read) ? read : null;
};

const isAuditRecord = (read: unknown): read is AuditRecord =>
  typeof read === "object" && read !== null && "call_id" in read && "actor" in read && "kind" in read;

export const shownRow = (record: AuditRecord, names: CallNames): CallRow => {
  const { actor, call, change } = record;
  return {
    id: record.id,
    call_id: record.call_id,
    kind: record.kind,
    at: record.at,
    via: actor.via,
    user_id: actor.user_id,
    user: actor.user_id && names.user(actor.user_id),
    agent_id: actor.agent_id,
    agent: actor.agent_id && names.agent(actor.agent_id),
    token_id: actor.token_id,
    token: actor.token_id && names.token(actor.token_id),
    outcome: record.outcome,
    decision: decisionOf(record),
    ...factsOf(call),
    change: change ? { subject: change.subject, subject_id: change.subject_id } : null,
  };
};

const factsOf = (call: CallFacts | undefined) => ({
  event_id: call?.event_id ?? null,
  status: call?.status ?? null,
  code: call?.code ?? null,
  model: call?.model ?? null,
  provider: call?.provider ?? null,
  tool: call?.tool?.name ?? null,
  conversation_id: call?.conversation_id ?? null,
  stream: call?.stream ?? false,
  flags: summaryOf(call?.flags ?? []),
  total_tokens: call?.usage?.total_tokens ?? null,
  cost_usd: call?.cost_usd ?? null,
  cost_basis: call?.cost_basis ?? null,
  total_ms: call?.ms.total ?? null,
  scan_us: call ? Math.round(call.ms.guard * 1_000) : null,
  policy_revision: call?.policy_revision ?? null,
  profile_version: call?.profile_version ?? null,
});

const summaryOf = (flags: readonly AuditFlag[]): CallFlagSummary[] => {
  const types = new Map<string, { action: Action; count: number }>();
  for (const { type, action } of flags) {
    const known = types.get(type);
    const isStricter = !known || ACTIONS.indexOf(action) > ACTIONS.indexOf(known.action);
    types.set(type, { action: isStricter ? action : known.action, count: (known?.count ?? 0) + 1 });
  }
  return [...types].map(([type, it]) => ({ type, ...it }));
};

const MAX_BULLETS = 64;

const findingOf = (flag: AuditFlag): CallFinding => ({
  type: flag.type,
  score: flag.score,
  detector: flag.detector,
  action: flag.action,
  would: flag.would ?? null,
  origin: flag.origin,
  param: flag.param,
  start: flag.start,
  end: flag.end,
  masked: "•".repeat(Math.min(MAX_BULLETS, Math.max(0, flag.end - flag.start))),
  source: flag.source ?? null,
  layer: flag.layer ?? null,
  rule: flag.rule ?? null,
  tuned: flag.tuned ?? null,
});

const coverageOf = ({ texts, chars, cached, unscanned }: Coverage): CallCoverage => ({
  texts,
  chars,
  cached,
  unscanned: unscanned.map(({ param, reason }) => ({ param, reason })),
});

/** Only lengths are recorded, so one thing is shown after the other; what is left over stands at the end. */
export const timingsOf = ({ ms }: Pick<CallFacts, "ms">): NonNullable<CallDetail["timings"]> => {
  const out = Math.min(ms.guard_out ?? 0, ms.guard);
  const lengths: readonly (readonly [CallTiming["part"], number])[] = [
    ["scan_in", ms.guard - out],
    ["upstream", ms.upstream],
    ["scan_out", out],
    ["other", Math.max(0, ms.total - ms.guard - ms.upstream)],
  ];
  let offset = 0;
  const parts: CallTiming[] = [];
  for (const [part, length] of lengths) {
    if (length <= 0) continue;
    parts.push({ part, offset_ms: micro(offset), ms: micro(length) });
    offset += length;
  }
  return { total_ms: ms.total, guard_ms: ms.guard, upstream_ms: ms.upstream, parts };
};

const micro = (ms: number): number => Math.round(ms * 1_000) / 1_000;

/** What the record alone says of a call. */
export const shownFacts = (record: AuditRecord) => {
  const { call, actor } = record;
  return {
    external: actor.external ?? null,
    mode: call?.mode ?? null,
    finish_reasons: call?.finish_reasons ?? [],
    attempts: call?.attempts ?? null,
    client_retry: call?.client_retry ?? null,
    upstream_model: call?.upstream_model ?? null,
    findings: (call?.flags ?? []).map(findingOf),
    coverage: call ? { input: coverageOf(call.coverage.input), output: coverageOf(call.coverage.output) } : null,
    timings: call && record.phase === "final" ? timingsOf(call) : null,
    tokens: call?.usage
      ? {
          prompt: call.usage.prompt_tokens,
          completion: call.usage.completion_tokens,
          total: call.usage.total_tokens,
          cached: call.usage.cached_tokens ?? 0,
          cache_write: call.usage.cache_write_tokens ?? 0,
          reasoning: call.usage.reasoning_tokens ?? 0,
        }
      : null,
    denied_by: call?.denied_by ?? null,
    tool_call: call?.tool ? { ...call.tool } : null,
    questions: (call?.tool?.questions ?? []).map(({ host = null, reason = null, ...rest }) => ({
      host,
      reason,
      ...rest,
    })),
    detail: record.change?.detail ?? null,
    record: withoutHashes(record),
  };
};

/** Keyed hashes of what was withheld are for disputes, and nobody's to read. */
const withoutHashes = (record: AuditRecord): Readonly<Record<string, unknown>> => {
  if (!record.call) return { ...record };
  const { content_hmac: _, ...call } = record.call;
  return { ...record, call };
};
