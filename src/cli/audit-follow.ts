import { recordIn } from "#audit/audit-rows";
import { atOf } from "#store/audit-merge";
import type { CallFilter } from "#store/call-index-port";
import type { AuditLog } from "#store/port";
import type { AuditRow } from "#store/record";
import { isWanted } from "#store/sqlite/call-finding";

/** How often it looks. Milliseconds. */
const POLL_MS = 500;
/**
 * How far back it looks each time: another process may write, and another hub deliver, what happened before what was shown
 * last. What a hub delivers later than that is in the log and not followed. Milliseconds.
 */
const LATE_MS = 10_000;
/** Rows that are shown at once. */
const BATCH = 500;

type Following = {
  /** Null for every record. */
  readonly filter: CallFilter | null;
  /** What is shown first, newest first. */
  readonly newest: () => Promise<readonly AuditRow[]>;
  readonly show: (rows: readonly AuditRow[]) => Promise<void>;
  readonly stopped: Promise<unknown>;
};

/** A search finds calls that have ended, and changes. */
const isFollowed = ({ body }: AuditRow, filter: CallFilter | null): boolean => {
  if (filter === null) return true;
  const record = recordIn(body);
  return record !== null && record.phase === "final" && isWanted(record, filter, null);
};

/** The records of all logs that were not read before. */
class NewRecords {
  readonly #seen = new Map<string, number>();
  #latest = Date.now();

  constructor(private readonly log: Pick<AuditLog, "read">) {}

  /** Whether it is the first time. */
  take(row: AuditRow): boolean {
    if (this.#seen.has(row.hash)) return false;
    const at = atOf(row);
    this.#seen.set(row.hash, at);
    this.#latest = Math.max(this.#latest, at);
    return true;
  }

  async *read(): AsyncIterable<AuditRow> {
    const since = this.#latest - LATE_MS;
    for (const [hash, at] of this.#seen) if (at < since) this.#seen.delete(hash);
    for await (const row of this.log.read({ since })) if (this.take(row)) yield row;
  }
}

/** Every record once, in the order of time as far as it is known, until it is stopped. */
export const follow = async (log: Pick<AuditLog, "read">, following: Following): Promise<void> => {
  const { filter, newest, show, stopped } = following;
  const isOver = async (): Promise<boolean> =>
    Promise.race([stopped.then(() => true), Bun.sleep(POLL_MS).then(() => false)]);
  const records = new NewRecords(log);
  // Those that are there already: the newest are shown, none of them is new.
  await Array.fromAsync(records.read(), ({ hash }) => hash);
  const first = await newest();
  for (const row of first) records.take(row);
  await show(first.toReversed());
  while (!(await isOver())) {
    let rows: AuditRow[] = [];
    for await (const row of records.read()) {
      if (isFollowed(row, filter)) rows.push(row);
      if (rows.length < BATCH) continue;
      await show(rows);
      rows = [];
    }
    if (rows.length > 0) await show(rows);
  }
};
