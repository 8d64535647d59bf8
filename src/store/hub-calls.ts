import { cursorOf, newestOf, placeIn, positionsIn, type ShippedPlace, withPlace } from "./audit-merge";
import type {
  CallFilter,
  CallIndex,
  CallScope,
  CallSearch,
  FoundCalls,
  TrafficBucket,
  TrafficSpan,
} from "./call-index-port";
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
  byCall(callId: string): Promise<AuditRow | null>;
  byRecord(id: string): Promise<AuditRow | null>;
  byEvent(eventId: string): Promise<AuditRow | null>;
  traffic(span: TrafficSpan, since: number, until: number, scope: CallScope): Promise<TrafficBucket[]>;
};

/** Calls of this hub, in its own logs, and of the others, as far as they have shipped them. */
export class HubCallIndex implements CallIndex {
  constructor(
    private readonly own: CallIndex & { top(): string },
    private readonly shipped: ShippedCalls,
  ) {}

  async search(wanted: CallSearch): Promise<FoundCalls> {
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

  async traffic(span: TrafficSpan, since: number, until: number, scope: CallScope) {
    const [own, others] = await Promise.all([
      this.own.traffic(span, since, until, scope),
      this.shipped.traffic(span, since, until, scope),
    ]);
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
