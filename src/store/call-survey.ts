import type { AuditRecord } from "#model/audit";
import { type CallMeasures, entryOf, measuresOf, prefixesOf } from "#model/call-entry";
import type { CallField, CallOrder, CallSum, CallValue, Looked, ValueOrder, ValueSum } from "./call-index-port";
import type { AuditRow } from "./record";

/* Adding calls up, and putting them in order, wherever their numbers come from. */

/** How far an answer of several goes: as far as the one that stopped first. */
export const lookedOf = (parts: readonly Looked[]): Looked => {
  const scanned = parts.flatMap(({ scannedUntil }) => scannedUntil ?? []);
  return {
    scannedUntil: scanned.length === 0 ? null : Math.max(...scanned),
    behind: parts.reduce((sum, { behind }) => sum + behind, 0),
  };
};

/** What calls come to, added one after the other. */
export class RunningSum implements CallSum {
  calls = 0;
  tokens = 0;
  prompt = 0;
  completion = 0;
  cached = 0;
  cost = 0;
  estimated = 0;
  unpriced = 0;

  addRecord(record: AuditRecord): void {
    this.addCall(measuresOf(record), record.call?.cost_basis);
  }

  addCall({ tokens, prompt, completion, cached, cost }: Omit<CallMeasures, "status" | "ms">, basis?: string): void {
    this.calls += 1;
    this.tokens += tokens ?? 0;
    this.prompt += prompt ?? 0;
    this.completion += completion ?? 0;
    this.cached += cached ?? 0;
    this.cost += cost ?? 0;
    this.addBasis(basis);
  }

  addBasis(basis: string | undefined): void {
    if (basis === "estimate") this.estimated += 1;
    if (basis === "unpriced") this.unpriced += 1;
  }

  addSum(other: ValueSum & Partial<CallSum>): void {
    for (const name of SUMMED) this[name] += other[name] ?? 0;
  }
}

export const SUMMED = ["calls", "tokens", "prompt", "completion", "cached", "cost", "estimated", "unpriced"] as const;

/** Values of a field of a record; of its flags several. */
export const fieldsOf = (record: AuditRecord, by: CallField): readonly string[] => {
  const entry = entryOf(record);
  if (by === "flag") return [...new Set(entry.flags.flatMap(prefixesOf))];
  const value = by === "status" ? measuresOf(record).status : entry[by];
  return value === null ? [] : [String(value)];
};

/** Values told apart in one answer: a conversation's name may be in eight calls and no others. */
export const MAX_VALUES = 50_000;

/** What the calls of each value come to. */
export class SumsByValue {
  readonly #sums = new Map<string, RunningSum>();

  get isFull(): boolean {
    return this.#sums.size >= MAX_VALUES;
  }

  add(value: string, sum: ValueSum): void {
    this.#of(value).addSum(sum);
  }

  addRecord(record: AuditRecord, by: CallField): void {
    for (const value of fieldsOf(record, by)) this.#of(value).addRecord(record);
  }

  most(count: number, order: ValueOrder): CallValue[] {
    return [...this.#sums]
      .map(([value, sum]) => ({ value, sum }))
      .sort((one, other) => other.sum[order] - one.sum[order] || (one.value < other.value ? -1 : 1))
      .slice(0, count);
  }

  #of(value: string): RunningSum {
    const sum = this.#sums.get(value) ?? new RunningSum();
    this.#sums.set(value, sum);
    return sum;
  }
}

/** Where a call stands in an order by a number: by rank, the higher first, then newest first, then by log. */
export type RankPlace = {
  readonly rank: number;
  readonly at: number;
  readonly node: string | null;
  readonly seq: number;
};

/** Where an earlier search in that order stopped, its time in it alone: nothing before comes after it. */
export const timeOf = (after: RankPlace | null, { by, isAscending }: CallOrder): number | undefined =>
  after !== null && by === "at" && isAscending ? -after.rank : undefined;

/** The rank of a number that is never negative; what has none is last. */
export const rankOf = (number: number | null, { isAscending }: CallOrder): number => {
  if (number === null || Number.isNaN(number)) return isAscending ? Number.NEGATIVE_INFINITY : -1;
  return isAscending ? -number : number;
};

export const rankOfRecord = (at: number, measures: CallMeasures, order: CallOrder): number =>
  rankOf(order.by === "at" ? at : measures[order.by], order);

/** Negative where `one` comes first. */
const compared = (one: RankPlace, other: RankPlace): number => {
  if (one.rank !== other.rank) return one.rank > other.rank ? -1 : 1;
  if (one.at !== other.at) return other.at - one.at;
  const [node, another] = [one.node ?? "", other.node ?? ""];
  if (node !== another) return node < another ? -1 : 1;
  return other.seq - one.seq;
};

export const isAfter = (one: RankPlace, other: RankPlace): boolean => compared(one, other) > 0;

/** Before every call of a rank. */
export const beforeRank = (rank: number): RankPlace => ({
  ...{ rank, at: Number.MAX_SAFE_INTEGER, node: null, seq: Number.MAX_SAFE_INTEGER },
});

type Ranked = { readonly place: RankPlace };
export type RankedRow = Ranked & { readonly row: AuditRow };

/** The first few behind a place, in order. */
export class Ranking<Item extends Ranked> {
  readonly #items: Item[] = [];

  constructor(
    private readonly limit: number,
    private readonly after: RankPlace | null,
  ) {}

  get items(): readonly Item[] {
    return this.#items;
  }

  get isFull(): boolean {
    return this.#items.length >= this.limit;
  }

  /** Whether something of such a rank, and as new as that, may come among them. */
  mayTake(rank: number, at: number): boolean {
    const last = this.#items.at(-1);
    if (!this.isFull || last === undefined) return true;
    return rank > last.place.rank || (rank === last.place.rank && at >= last.place.at);
  }

  offer(item: Item): void {
    const { place } = item;
    if (this.after !== null && !isAfter(place, this.after)) return;
    const last = this.#items.at(-1);
    if (this.isFull && last !== undefined && isAfter(place, last.place)) return;
    this.#items.splice(this.#indexOf(place), 0, item);
    if (this.#items.length > this.limit) this.#items.pop();
  }

  #indexOf(place: RankPlace): number {
    let [from, to] = [0, this.#items.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const item = this.#items[middle];
      if (item !== undefined && isAfter(place, item.place)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** What was ranked of one log. */
export type RankedPart<Item extends Ranked> = {
  readonly items: readonly Item[];
  /** Whether there may be more behind the last. */
  readonly isFull: boolean;
  /** What is not before this was not looked at; null where that is not known to come later. */
  readonly horizon: RankPlace | null;
};

/** Several logs' as one, and where it goes on; null for nowhere. */
export const mergedRanks = <Item extends Ranked>(
  parts: readonly RankedPart<Item>[],
  limit: number,
): RankedPart<Item> & { readonly next: RankPlace | null } => {
  const horizon = parts.reduce<RankPlace | null>(
    (first, one) => (one.horizon !== null && (first === null || isAfter(first, one.horizon)) ? one.horizon : first),
    null,
  );
  const all = parts
    .flatMap(({ items }) => items)
    .filter(({ place }) => horizon === null || isAfter(horizon, place))
    .sort((one, other) => compared(one.place, other.place));
  const items = all.slice(0, limit);
  const isFull = items.length > 0 && (all.length > limit || parts.some((one) => one.isFull));
  const next = isFull ? (items.at(-1)?.place ?? null) : horizon;
  return { items, isFull, horizon, next };
};

/** `r1834.25_1795000000000_w1_412`. */
export const rankCursor = ({ rank, at, node, seq }: RankPlace): string => `r${rank}_${at}_${node ?? ""}_${seq}`;

export const RANK_CURSOR =
  /^r(-?(?:Infinity|[0-9]{1,22}(?:\.[0-9]{1,25})?(?:e[+-][0-9]{1,3})?))_([0-9]{1,16})_([a-z0-9-]{0,63})_([0-9]{1,16})$/;

/** Null for what is none. */
export const rankPlaceIn = (cursor: string): RankPlace | null => {
  const [, rank, at, node, seq] = RANK_CURSOR.exec(cursor) ?? [];
  if (rank === undefined) return null;
  return {
    rank: Number(rank),
    at: Number(at),
    node: node === "" || node === undefined ? null : node,
    seq: Number(seq),
  };
};
