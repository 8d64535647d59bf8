import type { AuditRow } from "./record";

/*
 * Records of several logs as one list: by their time, then by node, the main log first. Within a log its own order
 * stands, also where a clock was set back.
 */

/** The rows of one log. `node` is null for the main one. */
export type Part<R> = { readonly node: string | null; readonly rows: R };

/** What `AuditRow.node` is of a log. */
export const rowOf = (node: string | null, row: AuditRow): AuditRow => (node === null ? row : { ...row, node });

const AT = /"at":"([^"]{1,40})"/;

/** When a record was, Unix milliseconds: as it is written, without reading the rest. A body that was changed has none. */
export const atOf = ({ body }: AuditRow): number => {
  const at = Date.parse(AT.exec(body)?.[1] ?? "");
  return Number.isNaN(at) ? 0 : at;
};

type Place = { readonly at: number; readonly node: string | null };

/** The main log goes first. */
const isBefore = (one: Place, other: Place): boolean =>
  one.at < other.at || (one.at === other.at && (one.node ?? "") < (other.node ?? ""));

/** One log as it is read: the record it is at. */
class Reading {
  row: AuditRow | null = null;
  at = 0;

  constructor(
    readonly node: string | null,
    private readonly rows: AsyncIterator<AuditRow>,
  ) {}

  async next(): Promise<void> {
    const { done, value } = await this.rows.next();
    this.row = done ? null : rowOf(this.node, value);
    if (this.row) this.at = atOf(this.row);
  }

  async end(): Promise<void> {
    await this.rows.return?.();
  }
}

/** Oldest first. */
export async function* mergedRows(parts: readonly Part<AsyncIterable<AuditRow>>[]): AsyncIterable<AuditRow> {
  const [main] = parts;
  if (main?.node === null && parts.length === 1) {
    yield* main.rows;
    return;
  }
  const readings = parts.map(({ node, rows }) => new Reading(node, rows[Symbol.asyncIterator]()));
  try {
    for (const one of readings) await one.next();
    for (let first = firstOf(readings); first?.row; first = firstOf(readings)) {
      yield first.row;
      await first.next();
    }
  } finally {
    for (const one of readings) await one.end();
  }
}

const firstOf = (readings: readonly Reading[]): Reading | null => {
  let first: Reading | null = null;
  for (const one of readings) if (one.row !== null && (first === null || isBefore(one, first))) first = one;
  return first;
};

/** What a list has of one log: the newest first, and whether the log has more below. */
export type Newest = Part<readonly AuditRow[]> & {
  readonly isOver: boolean;
  /** When what was looked at last was, Unix milliseconds, where it is not over. */
  readonly reached?: number | null;
};

/** The newest of all, newest first, and how many each log gave. Ends where a log may have more that would come next. */
export const newestOf = (
  parts: readonly Newest[],
  most: number,
): { readonly rows: AuditRow[]; readonly taken: readonly number[] } => {
  const lists = parts.map((part) => new List(part));
  const rows: AuditRow[] = [];
  while (rows.length < most) {
    const next = lists.reduce<List | null>(later, null);
    const row = next?.row;
    // What a log hides may be as new as the last that was looked at there.
    const hidden = Math.max(...lists.map((list) => list.hidden));
    if (!(next && row) || next.at < hidden) break;
    rows.push(rowOf(next.node, row));
    next.take();
  }
  return { rows, taken: lists.map(({ taken }) => taken) };
};

class List {
  taken = 0;
  at = 0;
  readonly node: string | null;

  constructor(private readonly part: Newest) {
    this.node = part.node;
    this.#look();
  }

  get row(): AuditRow | undefined {
    return this.part.rows[this.taken];
  }

  get hidden(): number {
    const { isOver, reached } = this.part;
    return isOver || this.row ? Number.NEGATIVE_INFINITY : (reached ?? Number.POSITIVE_INFINITY);
  }

  take(): void {
    this.taken += 1;
    this.#look();
  }

  #look(): void {
    if (this.row) this.at = atOf(this.row);
  }
}

const later = (one: List | null, other: List): List | null => {
  if (!other.row) return one;
  return one === null || isBefore(one, other) ? other : one;
};

/**
 * Where a list of several logs goes on: below which record in each. A log that is not named has nothing that the list
 * is still to show: it began later.
 */
export type Positions = ReadonlyMap<string | null, number>;

/** `412`, or `412,w1:93,w2:17`. */
export const cursorOf = (positions: Positions): string => {
  const nodes = [...positions].flatMap(([node, before]) => (node === null ? [] : [`${node}:${before}`]));
  return [String(positions.get(null) ?? 0), ...nodes].join(",");
};

const SEQ = "(?:0|[1-9][0-9]{0,15})";
const NODE = "[a-z0-9][a-z0-9-]{0,62}";
/** The place in each log that lies here, then the one in what others have shipped. */
export const CURSOR = new RegExp(`^${SEQ}(?:,${NODE}:${SEQ}){0,64}(?:~(?:0|${SEQ}\\.${NODE}\\.${SEQ}))?$`);

export const positionsIn = (cursor: string): Positions => {
  const [main = "0", ...nodes] = (cursor.split("~")[0] ?? "").split(",");
  const positions = new Map<string | null, number>([[null, Number(main)]]);
  for (const one of nodes) {
    const [node = "", before = "0"] = one.split(":");
    positions.set(node, Number(before));
  }
  return positions;
};

/** Where a list goes on in the records that others have shipped: they are read in the order of time, node and number. */
export type ShippedPlace = { readonly at: number; readonly node: string; readonly seq: number };

/** Behind every record. A node's id has small letters, digits and hyphens. */
export const AT_END: ShippedPlace = { at: Number.MAX_SAFE_INTEGER, node: "~", seq: Number.MAX_SAFE_INTEGER };

/** `412,w1:93~1795000000000.hub-b.17`; null for a list that is over there. */
export const withPlace = (cursor: string, place: ShippedPlace | null): string =>
  place === null ? `${cursor}~0` : `${cursor}~${place.at}.${place.node}.${place.seq}`;

/** Null where the list is over there, also for a cursor of before there were any. */
export const placeIn = (cursor: string): ShippedPlace | null => {
  const [at, node, seq] = (cursor.split("~")[1] ?? "").split(".");
  return at === undefined || node === undefined || seq === undefined
    ? null
    : { at: Number(at), node, seq: Number(seq) };
};
