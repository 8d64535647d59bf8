import { cursorOf, newestOf, placeIn, positionsIn, type ShippedPlace, withPlace } from "./audit-merge";
import type {
  CallFilter,
  CallIndex,
  CallOrder,
  CallQuestion,
  CallScope,
  CallSearch,
  CallSum,
  CallValue,
  FoundCalls,
  Looked,
  TrafficBucket,
  TrafficQuestion,
  ValueQuestion,
} from "./call-index-port";
import {
  lookedOf,
  mergedRanks,
  type RankedPart,
  type RankedRow,
  type RankPlace,
  RunningSum,
  rankCursor,
  rankPlaceIn,
  SumsByValue,
} from "./call-survey";
import type { AuditRow } from "./record";

/** What other hubs have shipped, as it is searched. */
export type ShippedCalls = {
  search(
    wanted: { readonly filter: CallFilter; readonly scope: CallScope },
    before: ShippedPlace | null,
    most: { readonly limit: number; readonly patienceMs: number },
  ): Promise<{
    readonly rows: readonly AuditRow[];
    readonly places: readonly ShippedPlace[];
    readonly next: ShippedPlace | null;
  }>;
  ranked(
    question: CallQuestion,
    most: { readonly order: CallOrder; readonly after: RankPlace | null; readonly limit: number },
  ): Promise<RankedPart<RankedRow> & Scanned>;
  sums(question: CallQuestion): Promise<Scanned & { readonly sum: CallSum }>;
  values(question: ValueQuestion): Promise<Scanned & { readonly values: readonly CallValue[] }>;
  byCall(callId: string): Promise<AuditRow | null>;
  byRecord(id: string): Promise<AuditRow | null>;
  byEvent(eventId: string): Promise<AuditRow | null>;
  traffic(question: TrafficQuestion): Promise<TrafficBucket[]>;
};
type Scanned = Pick<Looked, "scannedUntil">;

/** The calls of this hub's own logs. */
type OwnCalls = CallIndex & {
  top(): string;
  ranked(wanted: Omit<CallSearch, "order">, order: CallOrder): Promise<readonly (RankedPart<RankedRow> & Looked)[]>;
};

/** Calls of this hub, in its own logs, and of the others, as far as they have shipped them. */
export class HubCallIndex implements CallIndex {
  constructor(
    private readonly own: OwnCalls,
    private readonly shipped: ShippedCalls,
  ) {}

  async search({ order, ...wanted }: CallSearch): Promise<FoundCalls> {
    return order === undefined ? this.#newest(wanted) : this.#inOrder(wanted, order);
  }

  async #inOrder(wanted: Omit<CallSearch, "order">, order: CallOrder): Promise<FoundCalls> {
    const { limit, before } = wanted;
    const after = before === null ? null : rankPlaceIn(before);
    const [own, others] = await Promise.all([
      this.own.ranked(wanted, order),
      this.shipped.ranked(wanted, { order, after, limit }),
    ]);
    const parts = [...own, { ...others, behind: 0 }];
    const { items, next } = mergedRanks(parts, limit);
    return { ...lookedOf(parts), rows: items.map(({ row }) => row), next: next && rankCursor(next) };
  }

  async sums(question: CallQuestion): Promise<Looked & { readonly sum: CallSum }> {
    const [own, others] = await Promise.all([this.own.sums(question), this.shipped.sums(question)]);
    const sum = new RunningSum();
    for (const one of [own, others]) sum.addSum(one.sum);
    return { ...lookedOf([own, { ...others, behind: 0 }]), sum };
  }

  async values(question: ValueQuestion): Promise<Looked & { readonly values: readonly CallValue[] }> {
    const [own, others] = await Promise.all([this.own.values(question), this.shipped.values(question)]);
    const sums = new SumsByValue();
    for (const { value, sum } of [...own.values, ...others.values]) sums.add(value, sum);
    return { ...lookedOf([own, { ...others, behind: 0 }]), values: sums.most(question.most, question.order) };
  }

  async #newest(wanted: Omit<CallSearch, "order">): Promise<FoundCalls> {
    const { filter, scope, limit, patienceMs } = wanted;
    const before = wanted.before ?? this.own.top();
    const place = wanted.before === null ? null : placeIn(wanted.before);
    const isOver = wanted.before !== null && place === null;
    const [own, others] = await Promise.all([
      this.own.search({ ...wanted, before }),
      isOver
        ? { rows: [], places: [], next: null }
        : this.shipped.search({ filter, scope }, place, { limit, patienceMs }),
    ]);
    const { rows, taken } = newestOf(
      [
        { node: null, rows: own.rows, isOver: own.next === null, reached: own.scannedUntil },
        { node: null, rows: others.rows, isOver: others.next === null, reached: others.next?.at ?? null },
      ],
      limit,
    );
    const [ownTaken = 0, othersTaken = 0] = taken;
    const ownNext = ownTaken === own.rows.length ? own.next : below(before, own.rows.slice(0, ownTaken));
    const all = others.places.length === othersTaken;
    // Nothing was taken of what begins anew: the next page begins there anew, behind every record there is.
    const othersNext = all ? others.next : (others.places[othersTaken - 1] ?? place ?? behind(others.places[0]));
    const scanned = [own.scannedUntil, all ? (others.next?.at ?? null) : null].flatMap((at) => at ?? []);
    return {
      rows,
      next: ownNext === null && othersNext === null ? null : withPlace(ownNext ?? "0", othersNext),
      scannedUntil: scanned.length === 0 ? null : Math.max(...scanned),
      behind: own.behind,
    };
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
    const [own, others] = await Promise.all([this.own.traffic(question), this.shipped.traffic(question)]);
    const buckets = [...own.buckets, ...others].toSorted((one, other) => one.at - other.at);
    return { buckets, behind: own.behind };
  }

  bytes(): Promise<number> {
    return this.own.bytes();
  }

  retain(now: number): Promise<void> {
    return this.own.retain(now);
  }

  async #first(find: (index: ShippedCalls | CallIndex) => Promise<AuditRow | null>): Promise<AuditRow | null> {
    return (await find(this.own)) ?? find(this.shipped);
  }
}

/** Below what was taken, in the logs it was taken from; elsewhere as before. */
const below = (before: string, taken: readonly AuditRow[]): string => {
  const positions = new Map(positionsIn(before));
  for (const { node, seq } of taken) positions.set(node ?? null, seq);
  return cursorOf(positions);
};

const behind = (place: ShippedPlace | undefined): ShippedPlace | null =>
  place === undefined ? null : { ...place, seq: place.seq + 1 };
