import type { AuditFlag, AuditRecord, CallFacts, Coverage } from "#core/audit";
import { decisionOf } from "#core/call-entry";
import { parseJson } from "#core/json";
import { ACTIONS, type Action } from "#core/scan/detector";
import type { AuditRow } from "#store/record";
import type { CallCoverage, CallDetail, CallFinding, CallFlagSummary, CallRow, CallTiming } from "./shapes";

/** What people know ids as. */
export type Names = {
  readonly user: (id: string) => string | null;
  readonly agent: (id: string) => string | null;
};

/** A record as it was read back; null for a body that somebody changed beyond reading. */
export const recordOf = ({ body }: Pick<AuditRow, "body">): AuditRecord | null => {
  const read = parseJson(body);
  return isAuditRecord(read) ? read : null;
};

const isAuditRecord = (read: unknown): read is AuditRecord =>
  typeof read === "object" && read !== null && "call_id" in read && "actor" in read && "kind" in read;

export const shownRow = (record: AuditRecord, names: Names): CallRow => {
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

const MOST_BULLETS = 64;

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
  masked: "•".repeat(Math.min(MOST_BULLETS, Math.max(0, flag.end - flag.start))),
  source: flag.source ?? null,
  layer: flag.layer ?? null,
  rule: flag.rule ?? null,
  tuned: flag.tuned ?? null,
});

const coverageOf = ({ texts, chars, cached, unscanned }: Coverage): CallCoverage => ({
  ...{ texts, chars, cached },
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
  const { call } = record;
  return {
    mode: call?.mode ?? null,
    finish_reasons: call?.finish_reasons ?? [],
    attempts: call?.attempts ?? null,
    client_retry: call?.client_retry ?? null,
    findings: (call?.flags ?? []).map(findingOf),
    coverage: call ? { input: coverageOf(call.coverage.input), output: coverageOf(call.coverage.output) } : null,
    timings: call && record.phase === "final" ? timingsOf(call) : null,
    tokens: call?.usage
      ? {
          prompt: call.usage.prompt_tokens,
          completion: call.usage.completion_tokens,
          total: call.usage.total_tokens,
        }
      : null,
    denied_by: call?.denied_by ?? null,
    tool_call: call?.tool ? { ...call.tool } : null,
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
