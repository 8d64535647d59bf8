import type { AuditRecord } from "#model/audit";
import { isTraffic } from "#model/call-entry";
import type { User } from "#model/person";
import { type Clock, timestamp } from "#platform/clock";
import { slices } from "#platform/slices";
import type { CallFilter, CallIndex } from "#store/call-index-port";
import { type CallNames, recordOf } from "./schema";
import { startOf, TraceSums, traceOf } from "./trace";
import type { CallLinks, Conversation, TraceCall, TraceTotals } from "./trace-schema";

type TraceServiceNeeds = {
  readonly calls: Pick<CallIndex, "search">;
  /** One call, if this person may see it. */
  readonly callService: {
    namesFor(tokenIds: readonly string[]): Promise<CallNames>;
    visible(user: User, id: string): Promise<{ readonly record: AuditRecord }>;
  };
  readonly now: Clock;
};

export type WantedTrace = { readonly before: string | null; readonly limit: number };

/** Milliseconds a search looks, and searches for one page: what is rare is far apart. */
const PATIENCE_MS = 120;
const MAX_SEARCHES = 10;
/** Calls before a page in which those are looked for that asked for its tool calls. */
const LOOK_BACK = 20;
/** Around one call. */
const BESIDE = 100;
/** How far back the calls before a call are looked for. */
const NEAR_MS = 3_600_000;
const FAR_MS = 31 * 86_400_000;
/** Tools that one answer calls are called one after the other; later ones are found in the conversation. */
const ASKED_WITHIN_MS = 600_000;
/** Calls that are added up, and read at a time. */
const MAX_SUMMED = 5_000;
const SUMMED_AT_ONCE = 100;
/** How far the next conversation of a caller is looked for, in windows that widen. */
const FIRST_WINDOW_MS = 1_000;
const WIDER = 4;
const MAX_WINDOWS = 12;

type Found = { readonly records: readonly AuditRecord[]; readonly next: string | null };
type Ref = NonNullable<Conversation["previous"]>;

/** Conversations as they went, for those who may see their calls: a conversation is one caller's. */
export class TraceService {
  constructor(private readonly deps: TraceServiceNeeds) {}

  /** The conversation of a call. Throws `not_found`. */
  async conversation(user: User, id: string, { before, limit }: WantedTrace): Promise<Conversation> {
    const { callService } = this.deps;
    const { record } = await callService.visible(user, id);
    const names = await callService.namesFor([]);
    const { actor } = record;
    const conversation_id = record.call?.conversation_id ?? null;
    const whose = {
      object: "conversation",
      conversation_id,
      user: actor.user_id && names.user(actor.user_id),
      agent_id: actor.agent_id,
      agent: actor.agent_id && names.agent(actor.agent_id),
    } as const;
    if (conversation_id === null) return { ...whose, ...this.alone(record, names) };
    const newest = await this.find(record, { conversation_id }, before, limit);
    const isFirst = before === null;
    // Of a long conversation the first page ends with the call that was asked about.
    const isLater = isFirst && newest.next !== null && !newest.records.some(({ id }) => id === record.id);
    const page = isLater
      ? await this.find(record, { conversation_id, until: Date.parse(record.at) + 1 }, null, limit)
      : newest;
    const earlier = await this.earlier(record, conversation_id, page.next);
    const totals = isFirst ? await this.totals(record, conversation_id, newest) : null;
    return {
      ...whose,
      totals,
      calls: traceOf(page.records, earlier, names),
      has_later: isLater,
      has_more: page.next !== null,
      next_cursor: page.next,
      latest_call_id: isFirst ? (newest.records[0]?.call_id ?? null) : null,
      previous: totals && (await this.previous(record, totals)),
      next: isFirst ? await this.next(record, newest.records[0] ?? record) : null,
    };
  }

  /** What stands beside a call in its conversation. Throws `not_found`. */
  async links(user: User, id: string): Promise<CallLinks> {
    const { record } = await this.deps.callService.visible(user, id);
    const conversation_id = record.call?.conversation_id ?? null;
    if (conversation_id === null) {
      return { object: "call_links", conversation_id, asked_by: null, asked: [], previous: null, next: null };
    }
    const at = Date.parse(record.at);
    const before = await this.before(record, conversation_id, at);
    const after = await this.after(record, conversation_id, at);
    const names = await this.deps.callService.namesFor([]);
    const calls = traceOf(unique([...before, ...after]), [], names);
    const place = calls.findIndex(({ call_id }) => call_id === record.call_id);
    const asker = calls[place]?.asked_by ?? null;
    const askedBy = asker && calls.find(({ call_id }) => call_id === asker.call_id);
    const linked = (call: TraceCall | undefined) => (call ? linkOf(call) : null);
    return {
      object: "call_links",
      conversation_id,
      asked_by: asker && askedBy ? { ...linkOf(askedBy), basis: asker.basis } : null,
      asked: calls.filter(({ asked_by }) => asked_by?.call_id === record.call_id).map(linkOf),
      previous: place === -1 ? null : linked(calls[place - 1]),
      next: place === -1 ? null : linked(calls[place + 1]),
    };
  }

  private alone(record: AuditRecord, names: CallNames) {
    const sums = new TraceSums();
    sums.add(record);
    const calls = isTraffic(record) ? traceOf([record], [], names) : [];
    const ends = { has_later: false, has_more: false, next_cursor: null, previous: null, next: null };
    return { totals: sums.shown(true), calls, latest_call_id: record.call_id, ...ends };
  }

  private async earlier(record: AuditRecord, conversation_id: string, before: string | null) {
    if (before === null) return [];
    return (await this.find(record, { conversation_id }, before, LOOK_BACK)).records;
  }

  private async totals(record: AuditRecord, conversation_id: string, newest: Found): Promise<Conversation["totals"]> {
    const sums = new TraceSums();
    for (const one of newest.records) sums.add(one);
    let { next } = newest;
    for (let added = newest.records.length; next !== null && added < MAX_SUMMED; ) {
      const found: Found = await this.find(record, { conversation_id }, next, SUMMED_AT_ONCE);
      for (const one of found.records) sums.add(one);
      added += Math.max(found.records.length, 1);
      next = found.next;
      await slices.turn();
    }
    return sums.shown(next === null);
  }

  /** The conversation of the last call before this one began. */
  private async previous(record: AuditRecord, { first_at, is_complete }: TraceTotals): Promise<Ref | null> {
    if (first_at === null || !is_complete) return null;
    const { records } = await this.find(record, { until: Date.parse(first_at) }, null, BESIDE);
    return refOf(records.find((one) => isOfAnother(one, record)));
  }

  /** The conversation of the first call after the last one of this. */
  private async next(record: AuditRecord, last: AuditRecord): Promise<Ref | null> {
    const since = Date.parse(last.at) + 1;
    for (let [window, round] = [FIRST_WINDOW_MS, 0]; round < MAX_WINDOWS; round += 1, window *= WIDER) {
      const { records } = await this.find(record, { since, until: since + window }, null, BESIDE);
      const found = records.findLast((one) => isOfAnother(one, record));
      if (found) return refOf(found);
      if (since + window > this.deps.now()) return null;
    }
    return null;
  }

  /** A call and those of its conversation before it: as far back as the last of them. The whole log is long. */
  private async before(record: AuditRecord, conversation_id: string, at: number): Promise<readonly AuditRecord[]> {
    const filter = { conversation_id, until: at + 1 };
    const near = await this.find(record, { ...filter, since: at - NEAR_MS }, null, BESIDE);
    if (near.records.some(({ id }) => id !== record.id)) return near.records;
    return (await this.find(record, { ...filter, since: at - FAR_MS }, null, BESIDE)).records;
  }

  /** Calls of a conversation that ended after a time: the first, and those of the next minutes. */
  private async after(record: AuditRecord, conversation_id: string, since: number): Promise<readonly AuditRecord[]> {
    for (let [window, round] = [FIRST_WINDOW_MS, 0]; round < MAX_WINDOWS; round += 1, window *= WIDER) {
      const first = await this.find(record, { conversation_id, since, until: since + window }, null, BESIDE);
      if (first.records.some(({ id }) => id !== record.id)) {
        const more = await this.find(record, { conversation_id, since, until: since + ASKED_WITHIN_MS }, null, BESIDE);
        return [...first.records, ...more.records];
      }
      if (since + window > this.deps.now()) return [];
    }
    return [];
  }

  /** Calls of the same caller as a record's, newest first: of an agent, or a user's own. */
  private async find(
    { actor }: AuditRecord,
    filter: Pick<CallFilter, "conversation_id" | "since" | "until">,
    before: string | null,
    limit: number,
  ): Promise<Found> {
    const { agent_id, user_id } = actor;
    const caller = agent_id === null ? { user_id: user_id ?? "" } : { agent_id };
    const records: AuditRecord[] = [];
    let next = before;
    for (let searches = 0; searches < MAX_SEARCHES && records.length < limit; searches += 1) {
      const found = await this.deps.calls.search({
        filter: { category: "call", ...filter, ...caller },
        scope: null,
        before: next,
        limit: limit - records.length,
        patienceMs: PATIENCE_MS,
      });
      const read = found.rows.flatMap((row) => recordOf(row) ?? []);
      records.push(...read.filter((one) => isTraffic(one) && one.actor.agent_id === agent_id));
      next = found.next;
      if (next === null) break;
    }
    return { records, next };
  }
}

const unique = (records: readonly AuditRecord[]): AuditRecord[] => [
  ...new Map(records.map((record) => [record.id, record])).values(),
];

const isOfAnother = ({ call }: AuditRecord, { call: asked }: AuditRecord): boolean =>
  call?.conversation_id != null && call.conversation_id !== asked?.conversation_id;

const refOf = (record: AuditRecord | undefined): Ref | null =>
  record?.call?.conversation_id == null
    ? null
    : {
        conversation_id: record.call.conversation_id,
        call_id: record.call_id,
        at: timestamp(startOf(record)),
      };

const linkOf = ({ call_id, kind, started_at, decision, model, tool, total_ms }: TraceCall) => ({
  ...{ call_id, kind, started_at, decision, model, tool, total_ms },
});
