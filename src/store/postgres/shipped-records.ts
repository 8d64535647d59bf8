import type { AuditRecord } from "#model/audit";
import { measuresOf } from "#model/call-entry";
import type { LogHeads } from "#store/audit-link";
import { AT_END, type ShippedPlace } from "#store/audit-merge";
import type {
  CallFilter,
  CallOrder,
  CallQuestion,
  CallScope,
  CallSum,
  CallValue,
  TrafficBucket,
  TrafficQuestion,
  ValueQuestion,
} from "#store/call-index-port";
import {
  beforeRank,
  type RankedPart,
  type RankedRow,
  Ranking,
  type RankPlace,
  RunningSum,
  rankOfRecord,
  SumsByValue,
  timeOf,
} from "#store/call-survey";
import type { AuditQuery } from "#store/port";
import type { AuditRow } from "#store/record";
import { isWanted } from "#store/sqlite/call-finding";
import { subjectsOf } from "#store/sqlite/call-hash";
import { countColumns, trafficIn } from "#store/sqlite/call-traffic";
import type { Pool } from "./pool";
import { type ShippedReport, type ShippedVerifyOptions, verifyShipped } from "./shipped-verify";

const CHUNK = 500;
/** Records looked through in one statement of a search. */
const LOOKED_AT = 1_000;

type Row = AuditRow & { readonly node: string };
type Stored = Readonly<Record<"node" | "body" | "prev_hash" | "hash", string>> &
  Readonly<Record<"seq" | "at", unknown>>;

const SELECT = "SELECT node, seq, at, body, prev_hash, hash FROM record";
/** Final records: of the logs, and of calls that others have ended for a hub that is gone. */
const FINAL = `SELECT node, seq, at, body, prev_hash, hash FROM (
    SELECT node, seq, at, body, prev_hash, hash, user_id, agent_id, outcome FROM record WHERE phase = 'final'
    UNION ALL
    SELECT node, seq, at, body, prev_hash, hash, user_id, agent_id, outcome FROM record_open WHERE ended_at IS NOT NULL
  ) AS final`;
/** Not of the logs that lie here: those are read where they are. */
const ELSEWHERE = "node <> ALL(ARRAY(SELECT json_array_elements_text(($1::text)::json)))";

export type ShippedLogState = {
  readonly node: string;
  readonly head: { readonly seq: number; readonly hash: string };
  /** What its first record is linked to. */
  readonly origin: string;
  readonly records: number;
};

type FoundShipped = {
  readonly rows: readonly Row[];
  readonly places: readonly ShippedPlace[];
  /** Null when everything was looked at. */
  readonly next: ShippedPlace | null;
};

/** What other hubs have shipped, for the readers of one. `own` names the logs that this hub has itself. */
export class ShippedRecords {
  constructor(
    private readonly pool: Pool,
    private readonly own: () => readonly string[],
  ) {}

  /** The newest `n`, newest first. */
  async tail(n: number): Promise<AuditRow[]> {
    const text = `${SELECT} WHERE ${ELSEWHERE} ORDER BY at DESC, node DESC, seq DESC LIMIT $2`;
    return (await this.#rows(text, [n])).map(rowOf);
  }

  /** Oldest first, in chunks. */
  async *read({ since = 0, until = Number.MAX_SAFE_INTEGER }: AuditQuery): AsyncIterable<AuditRow> {
    const text = `${SELECT} WHERE ${ELSEWHERE} AND at < $2 AND (at, node, seq) > ($3, $4, $5)
      ORDER BY at, node, seq LIMIT ${CHUNK}`;
    let place: ShippedPlace = { at: since - 1, node: AFTER_ALL, seq: Number.MAX_SAFE_INTEGER };
    for (;;) {
      const rows = await this.#rows(text, [until, place.at, place.node, place.seq]);
      for (const row of rows) yield rowOf(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < CHUNK) return;
      place = placeOf(last);
    }
  }

  /** Final records, newest first, from below a place on; until enough were found or patience ends. */
  async search(
    { filter, scope }: { readonly filter: CallFilter; readonly scope: CallScope },
    before: ShippedPlace | null,
    { limit, patienceMs }: { readonly limit: number; readonly patienceMs: number },
  ): Promise<FoundShipped> {
    const rows: Row[] = [];
    const places: ShippedPlace[] = [];
    const next = await this.#look({ filter, scope, patienceMs }, { from: before ?? AT_END }, (_, stored) => {
      rows.push(rowOf(stored));
      places.push(placeOf(stored));
      return rows.length < limit;
    });
    return { rows, places, next };
  }

  /** The first few in an order by a number, as far as patience goes. */
  async ranked(
    question: CallQuestion,
    { order, after, limit }: { readonly order: CallOrder; readonly after: RankPlace | null; readonly limit: number },
  ): Promise<RankedPart<RankedRow> & { readonly scannedUntil: number | null }> {
    const isOldestFirst = order.by === "at" && order.isAscending;
    const from: ShippedPlace = isOldestFirst
      ? { at: (timeOf(after, order) ?? Number.MIN_SAFE_INTEGER + 1) - 1, node: AFTER_ALL, seq: Number.MAX_SAFE_INTEGER }
      : AT_END;
    const ranking = new Ranking<RankedRow>(limit, after);
    const next = await this.#look(question, { from, isOldestFirst }, (record, stored) => {
      const { at, node, seq } = placeOf(stored);
      const rank = rankOfRecord(at, measuresOf(record), order);
      // In the order of time nothing that comes later is wanted.
      if (isOldestFirst && !ranking.mayTake(rank, at)) return false;
      ranking.offer({ place: { rank, at, node, seq }, row: rowOf(stored) });
      return true;
    });
    const isCut = next !== null && !(isOldestFirst && ranking.isFull);
    const horizon = isCut && isOldestFirst ? beforeRank(-next.at) : null;
    return { items: ranking.items, isFull: ranking.isFull, horizon, scannedUntil: isCut ? next.at : null };
  }

  async sums(question: CallQuestion): Promise<{ readonly sum: CallSum; readonly scannedUntil: number | null }> {
    const sum = new RunningSum();
    const next = await this.#look(question, { from: AT_END }, (record) => {
      sum.addRecord(record);
      return true;
    });
    return { sum, scannedUntil: next?.at ?? null };
  }

  async values({ by, order, most, ...question }: ValueQuestion): Promise<{
    readonly values: readonly CallValue[];
    readonly scannedUntil: number | null;
  }> {
    const sums = new SumsByValue();
    const next = await this.#look(question, { from: AT_END }, (record) => {
      sums.addRecord(record, by);
      return !sums.isFull;
    });
    return { values: sums.most(most, order), scannedUntil: next?.at ?? null };
  }

  /** Final records that match, from a place on, until nobody wants more or patience ends: how far it came; null for to the end. */
  async #look(
    { filter, scope, patienceMs }: CallQuestion,
    { from, isOldestFirst = false }: { readonly from: ShippedPlace; readonly isOldestFirst?: boolean },
    visit: (record: AuditRecord, stored: Stored) => boolean,
  ): Promise<ShippedPlace | null> {
    const begun = performance.now();
    const { conditions, values } = narrowed(filter);
    const [beyond, direction] = isOldestFirst ? [">", "ASC"] : ["<", "DESC"];
    const text = `${FINAL} WHERE ${ELSEWHERE} AND (at, node, seq) ${beyond} ($2, $3, $4)
      ${conditions(5)} ORDER BY at ${direction}, node ${direction}, seq ${direction} LIMIT ${LOOKED_AT}`;
    let place = from;
    for (;;) {
      const found = await this.#rows(text, [place.at, place.node, place.seq, ...values]);
      for (const stored of found) {
        place = placeOf(stored);
        const record: AuditRecord = JSON.parse(stored.body);
        if (isWanted(record, filter, scope) && !visit(record, stored)) return place;
      }
      if (found.length < LOOKED_AT) return null;
      if (performance.now() - begun > patienceMs) return place;
    }
  }

  /** The final record of a call, or its request record while it is open. */
  async byCall(callId: string): Promise<AuditRow | null> {
    const found = await this.#one("call_id = $2 ORDER BY phase", callId);
    if (found !== null && JSON.parse(found.body).phase === "final") return found;
    return (await this.#ended("call_id", callId)) ?? found;
  }

  async byRecord(id: string): Promise<AuditRow | null> {
    return (await this.#one("id = $2 AND phase = 'final'", id)) ?? this.#ended("id", id);
  }

  byEvent(eventId: string): Promise<AuditRow | null> {
    return this.#one("event_id = $2 AND phase = 'final'", eventId);
  }

  async traffic({ span, since, until, scope, detail, prefix, only }: TrafficQuestion): Promise<TrafficBucket[]> {
    const text = `SELECT at, ${countColumns(detail)} FROM record_traffic WHERE ${ELSEWHERE} AND span = $2 AND at >= $3 AND at < $4
      AND subject = ANY(ARRAY(SELECT json_array_elements_text(($5::text)::json)::bigint))
      ${only === undefined ? "" : "AND at = ANY(ARRAY(SELECT json_array_elements_text(($6::text)::json)::bigint))"} ORDER BY at`;
    const values = [span, since, until, JSON.stringify(subjectsOf(scope))];
    const asked = only === undefined ? values : [...values, JSON.stringify(only)];
    const rows = await this.#ask<{ at: unknown; counts: string; names?: string }>(text, asked);
    return rows.map((row) => ({ at: Number(row.at), counts: trafficIn(row, prefix) }));
  }

  /** Where each log stands. */
  async states(): Promise<ShippedLogState[]> {
    const text = `SELECT node, seq, hash, origin, seq - dropped_seq AS records FROM record_log WHERE ${ELSEWHERE} ORDER BY node`;
    type State = { node: string; seq: unknown; hash: string; origin: string; records: unknown };
    const rows = await this.#ask<State>(text, []);
    return rows.map(({ node, seq, hash, origin, records }) => ({
      node,
      origin,
      head: { seq: Number(seq), hash },
      records: Number(records),
    }));
  }

  /** The names of all logs, also of those that lie here. */
  async nodes(): Promise<string[]> {
    const text = "SELECT node FROM record_log ORDER BY node";
    const rows = await this.pool.plain((sql) => sql.unsafe<{ node: string }[]>(text));
    return rows.map(({ node }) => node);
  }

  /** Nothing more is shipped of it, unless its process begins again; where it ends. */
  async close(node: string): Promise<LogHeads> {
    const text = `UPDATE record_log SET closed_at = coalesce(closed_at, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
      WHERE node = $1 RETURNING origin, key_id, seq, hash`;
    type Closed = Readonly<Record<"origin" | "key_id" | "hash", string>> & { readonly seq: unknown };
    const [row] = await this.pool.plain((sql) => sql.unsafe<Closed[]>(text, [node]));
    if (row === undefined) return {};
    const { origin, key_id, seq, hash } = row;
    return { [node]: { seq: Number(seq), hash, origin, key_id } };
  }

  verify(node: string, options: ShippedVerifyOptions): Promise<ShippedReport> {
    return verifyShipped(this.pool, node, options);
  }

  /** The end of a call that others have said, since its hub is gone. */
  async #ended(column: "call_id" | "id", value: string): Promise<AuditRow | null> {
    const text = `SELECT node, seq, at, body, prev_hash, hash FROM record_open
      WHERE ${ELSEWHERE} AND ended_at IS NOT NULL AND ${column} = $2`;
    const [row] = await this.#rows(text, [value]);
    return row === undefined ? null : rowOf(row);
  }

  async #one(where: string, value: string): Promise<AuditRow | null> {
    const [row] = await this.#rows(`${SELECT} WHERE ${ELSEWHERE} AND ${where} LIMIT 1`, [value]);
    return row === undefined ? null : rowOf(row);
  }

  #rows(text: string, values: readonly unknown[]): Promise<Stored[]> {
    return this.#ask<Stored>(text, values);
  }

  async #ask<T>(text: string, values: readonly unknown[]): Promise<T[]> {
    const own = JSON.stringify(this.own());
    return [...(await this.pool.plain((sql) => sql.unsafe<T[]>(text, [own, ...values])))];
  }
}

/** Behind the id of every node: those have small letters, digits and hyphens. */
const AFTER_ALL = "~";

const placeOf = ({ at, node, seq }: Stored): ShippedPlace => ({ at: Number(at), node, seq: Number(seq) });

const rowOf = ({ node, seq, body, prev_hash, hash }: Stored): Row => ({
  ...{ seq: Number(seq), body, prev_hash, hash },
  node,
});

/**
 * What the columns and the text of a record say of a filter, so that few are sent that are not asked for; all of it is asked
 * of the record itself.
 */
const narrowed = ({ user_id, agent_id, outcome, kind, since, until, ...filter }: CallFilter) => {
  const { token_id, model, tool, conversation_id, cost_basis, flag } = filter;
  const inText = (name: string, value: string | undefined) =>
    [(mark: string) => `strpos(body, ${mark}) > 0`, value && `"${name}":${JSON.stringify(value)}`] as const;
  const given: readonly (readonly [condition: (mark: string) => string, value: string | number | undefined])[] = [
    [(mark) => `user_id = ${mark}`, user_id],
    [(mark) => `agent_id = ${mark}`, agent_id],
    [(mark) => `outcome = ${mark}`, outcome],
    [(mark) => `at >= ${mark}`, since],
    [(mark) => `at < ${mark}`, until],
    inText("kind", kind?.includes(".") ? kind : undefined),
    inText("token_id", token_id),
    inText("model", model),
    inText("name", tool),
    inText("conversation_id", conversation_id),
    inText("cost_basis", cost_basis),
    [(mark) => `strpos(body, ${mark}) > 0`, flag && `"type":${JSON.stringify(flag).slice(0, -1)}`],
  ];
  const asked = given.filter(([, value]) => value !== undefined);
  return {
    conditions: (from: number) => asked.map(([condition], index) => `AND ${condition(`$${from + index}`)}`).join(" "),
    values: asked.map(([, value]) => value),
  };
};
