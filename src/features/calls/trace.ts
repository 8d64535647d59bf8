import type { AuditRecord } from "#model/audit";
import { type CallDecision, decisionOf, isTraffic } from "#model/call-entry";
import { type AskedBy, askersIn, byStart, endsTurn, type TracedCall } from "#model/conversation-trace";
import { nanoOf, usdOf } from "#model/money";
import { timestamp } from "#platform/clock";
import { type CallNames, type CallRow, shownRow } from "./schema";
import type { TraceCall, TraceTotals } from "./trace-schema";

/* From the records of a conversation to its trace. */

const endOf = ({ at }: Pick<AuditRecord, "at">): number => Date.parse(at);

/** A record is written as its call ends. */
export const startOf = (record: AuditRecord): number => endOf(record) - (record.call?.ms.total ?? 0);

export const tracedOf = (record: AuditRecord): TracedCall => ({
  call_id: record.call_id,
  kind: record.kind,
  start: startOf(record),
  end: endOf(record),
  decision: decisionOf(record),
  tool: record.call?.tool?.name ?? null,
  finish_reasons: record.call?.finish_reasons ?? [],
  asked: record.call?.asked_tools ?? null,
  sub_agent: record.call?.sub_agent?.id ?? null,
});

/** Without what is the same for the whole conversation, and what only the call's own page shows. */
const placeless = ({
  conversation_id: _conversation,
  change: _change,
  policy_revision: _policy,
  profile_version: _profile,
  token_id: _tokenId,
  token: _token,
  scan_us: _scan,
  ...row
}: CallRow) => row;

const traceCallOf = (
  record: AuditRecord,
  traced: TracedCall,
  { names, askers }: { readonly names: CallNames; readonly askers: ReadonlyMap<string, AskedBy> },
): TraceCall => {
  const row = shownRow(record, names);
  return {
    ...placeless(row),
    started_at: timestamp(traced.start),
    finish_reasons: traced.finish_reasons,
    guard_ms: record.call?.ms.guard ?? 0,
    upstream_ms: record.call?.ms.upstream ?? 0,
    sub_agent: traced.sub_agent,
    asked_tools: traced.asked,
    asked_by: askers.get(record.call_id) ?? null,
    ends_turn: endsTurn(traced),
  };
};

/** A page by start. `earlier`: records before it, in which the askers of its first tool calls are looked for. */
export const traceOf = (
  page: readonly AuditRecord[],
  earlier: readonly AuditRecord[],
  names: CallNames,
): TraceCall[] => {
  const traced = page.map((record) => ({ record, traced: tracedOf(record) }));
  const askers = askersIn([...traced.map((one) => one.traced), ...earlier.map(tracedOf)]);
  return traced
    .toSorted((one, other) => byStart(one.traced, other.traced))
    .map((one) => traceCallOf(one.record, one.traced, { names, askers }));
};

/** What a conversation comes to. Money is added in nano-dollars. */
export class TraceSums {
  private readonly counts = {
    calls: 0,
    model_calls: 0,
    tool_calls: 0,
    blocked: 0,
    redacted: 0,
    failed: 0,
    estimated_calls: 0,
    unpriced_calls: 0,
  };
  private readonly tokens = { prompt: 0, completion: 0 };
  private readonly ms = { model_ms: 0, tool_ms: 0 };
  private nano = 0;
  private first = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;

  add(record: AuditRecord): void {
    const { call } = record;
    if (!call || !isTraffic(record)) return;
    const { counts } = this;
    const isTool = record.kind === "tool.call";
    counts.calls += 1;
    counts[isTool ? "tool_calls" : "model_calls"] += 1;
    this.ms[isTool ? "tool_ms" : "model_ms"] += call.ms.total;
    const counter = COUNTERS[decisionOf(record)];
    if (counter) counts[counter] += 1;
    if (call.cost_basis === "estimate") counts.estimated_calls += 1;
    if (call.cost_basis === "unpriced") counts.unpriced_calls += 1;
    this.nano += nanoOf(call.cost_usd ?? 0);
    this.tokens.prompt += call.usage?.prompt_tokens ?? 0;
    this.tokens.completion += call.usage?.completion_tokens ?? 0;
    this.first = Math.min(this.first, startOf(record));
    this.last = Math.max(this.last, endOf(record));
  }

  shown(isComplete: boolean): TraceTotals {
    const isEmpty = this.counts.calls === 0;
    return {
      ...this.counts,
      ...this.ms,
      tokens: { ...this.tokens },
      cost_usd: usdOf(this.nano),
      first_at: isEmpty ? null : timestamp(this.first),
      last_at: isEmpty ? null : timestamp(this.last),
      elapsed_ms: isEmpty ? 0 : this.last - this.first,
      is_complete: isComplete,
    };
  }
}

const COUNTERS: Partial<Record<CallDecision, "blocked" | "redacted" | "failed">> = {
  block: "blocked",
  redact: "redacted",
  refused: "failed",
  error: "failed",
};
