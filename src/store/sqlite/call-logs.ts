import { cursorOf, newestOf, type Positions, positionsIn, rowOf } from "#store/audit-merge";
import type {
  CallIndex,
  CallOrder,
  CallQuestion,
  CallSearch,
  CallSum,
  CallValue,
  FoundCalls,
  Looked,
  TrafficQuestion,
  ValueQuestion,
} from "#store/call-index-port";
import { lookedOf, mergedRanks, RunningSum, rankCursor, rankPlaceIn, SumsByValue } from "#store/call-survey";
import type { AuditRow } from "#store/record";
import type { AuditAppender } from "./audit-inline";
import type { Upkept } from "./batches";
import { type FoundInLog, LogCallIndex, type RankedInLog } from "./call-index";
import { type Connection, writeSoon } from "./connection";
import type { Synchronous } from "./database";
import type { Log, NodeLogs } from "./node-logs";

type LookedIn = FoundInLog & { readonly node: string | null; readonly before: number };

/** The indexes of all logs, as one. */
export class SqliteCallIndex implements CallIndex {
  readonly #known = new Map<string | null, LogCallIndex>();

  constructor(
    private readonly logs: NodeLogs,
    private readonly connection: Connection,
    private readonly writer: Pick<AuditAppender, "index">,
  ) {}

  async search({ order, ...wanted }: CallSearch): Promise<FoundCalls> {
    return order === undefined ? this.#newest(wanted) : this.#inOrder(wanted, order);
  }

  async #inOrder(wanted: Omit<CallSearch, "order">, order: CallOrder): Promise<FoundCalls> {
    const parts = await this.ranked(wanted, order);
    const { items, next } = mergedRanks(parts, wanted.limit);
    return { ...lookedOf(parts), rows: items.map(({ row }) => row), next: next && rankCursor(next) };
  }

  /** The first of each log in an order by a number, from where an earlier search stopped. */
  ranked({ before, ...wanted }: Omit<CallSearch, "order">, order: CallOrder): Promise<RankedInLog[]> {
    const after = before === null ? null : rankPlaceIn(before);
    return Promise.all(
      this.#indexes().map(async ({ node, index }) => {
        const found = await index.ranked({ ...wanted, order, after, node });
        return { ...found, items: found.items.map(({ place, row }) => ({ place, row: rowOf(node, row) })) };
      }),
    );
  }

  async sums(question: CallQuestion): Promise<Looked & { readonly sum: CallSum }> {
    const parts = await Promise.all(this.#indexes().map(({ index }) => index.sums(question)));
    const sum = new RunningSum();
    for (const one of parts) sum.addSum(one.sum);
    return { ...lookedOf(parts), sum };
  }

  async values(question: ValueQuestion): Promise<Looked & { readonly values: readonly CallValue[] }> {
    const parts = await Promise.all(this.#indexes().map(({ index }) => index.values(question)));
    const sums = new SumsByValue();
    for (const { values } of parts) for (const { value, sum } of values) sums.add(value, sum);
    return { ...lookedOf(parts), values: sums.most(question.most, question.order) };
  }

  async #newest({ before, ...wanted }: Omit<CallSearch, "order">): Promise<FoundCalls> {
    const positions = before === null ? null : positionsIn(before);
    const looked = await Promise.all(this.#indexes().map((one) => lookIn(one, positions, wanted)));
    const [only] = looked;
    if (only !== undefined && looked.length === 1) {
      const { rows, next, scannedUntil, behind } = only;
      return { rows, next: next === null ? null : String(next), scannedUntil, behind };
    }
    return mergedFound(looked, wanted.limit);
  }

  /** A list from here on begins with the newest of every log there is now. */
  top(): string {
    return cursorOf(new Map(this.logs.all().map(({ node }) => [node, Number.MAX_SAFE_INTEGER])));
  }

  byCall(callId: string): Promise<AuditRow | null> {
    return this.#first((index) => index.byCall(callId));
  }

  byRecord(id: string): Promise<AuditRow | null> {
    return this.#first((index) => index.byRecord(id));
  }

  byEvent(eventId: string): Promise<AuditRow | null> {
    return this.#first((index) => index.byEvent(eventId));
  }

  async traffic(question: TrafficQuestion) {
    const all = await Promise.all(this.#indexes().map(({ index }) => index.traffic(question)));
    const buckets = all.flatMap((one) => one.buckets);
    return {
      buckets: all.length === 1 ? buckets : buckets.toSorted((one, other) => one.at - other.at),
      behind: all.reduce((sum, one) => sum + one.behind, 0),
    };
  }

  async bytes(): Promise<number> {
    let total = 0;
    for (const { index } of this.#indexes()) total += await index.bytes();
    return total;
  }

  async retain(now: number): Promise<void> {
    for (const { index } of this.#indexes()) await index.retain(now);
  }

  async #first(find: (index: LogCallIndex) => Promise<AuditRow | null>): Promise<AuditRow | null> {
    for (const { node, index } of this.#indexes()) {
      const row = await find(index);
      if (row !== null) return rowOf(node, row);
    }
    return null;
  }

  #indexes(): { readonly node: string | null; readonly index: LogCallIndex }[] {
    return this.logs.all().map((log) => {
      const index = this.#known.get(log.node) ?? new LogCallIndex(this.#upkept(log), this.writer);
      this.#known.set(log.node, index);
      return { node: log.node, index };
    });
  }

  #upkept({ node, db }: Log): Upkept & Pick<Connection, "db"> {
    const { connection } = this;
    if (node === null) return connection;
    return {
      db,
      get isStopping() {
        return connection.isStopping;
      },
      writeSoon: <T>(work: () => Synchronous<T>) => writeSoon<T>(db, work),
    };
  }
}

const lookIn = async (
  { node, index }: { readonly node: string | null; readonly index: LogCallIndex },
  positions: Positions | null,
  wanted: Omit<CallSearch, "before" | "order">,
): Promise<LookedIn> => {
  const before = positions === null ? null : (positions.get(node) ?? 0);
  if (before === 0) return { node, before, rows: [], next: null, scannedUntil: null, behind: 0 };
  return { node, before: before ?? 0, ...(await index.search({ ...wanted, before })) };
};

/** A log that was not looked through as far as the others hides what may come next: the list ends there. */
const mergedFound = (looked: readonly LookedIn[], limit: number): FoundCalls => {
  const parts = looked.map(({ node, rows, next, scannedUntil }) => ({
    ...{ node, rows },
    ...{ isOver: next === null, reached: scannedUntil },
  }));
  const { rows, taken } = newestOf(parts, limit);
  const positions = new Map(looked.map((one, index) => [one.node, nextIn(one, taken[index] ?? 0)]));
  const isOver = [...positions.values()].every((before) => before === 0);
  const scanned = looked.flatMap(({ next, scannedUntil }) => (next === null ? [] : (scannedUntil ?? [])));
  return {
    rows,
    next: isOver ? null : cursorOf(positions),
    scannedUntil: isOver || scanned.length === 0 ? null : Math.max(...scanned),
    behind: looked.reduce((sum, one) => sum + one.behind, 0),
  };
};

/** Below which record it goes on in that log; 0 for nowhere. */
const nextIn = ({ rows, next }: LookedIn, taken: number): number => {
  const waiting = rows[taken];
  return waiting === undefined ? (next ?? 0) : waiting.seq + 1;
};
