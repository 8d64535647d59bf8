import type { Polled, Seen } from "#store/polled";
import { isConnectionFault } from "./errors";
import type { Pool } from "./pool";

/** What was asked for earlier than that says nothing of now: twice the time between two polls, and some more. Milliseconds. */
const RECENT_MS = 500;
/** How often it is asked again when a connection breaks. */
const TRIES = 5;

/** A lease that ends within a second counts as free: who asks looks at it itself. */
const POLL = `WITH clock AS MATERIALIZED (
    SELECT coalesce($1::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS at)
  SELECT
    (SELECT value FROM revision WHERE subject = 'all') AS revision,
    (SELECT max(seq) FROM outbox) AS newest,
    EXISTS (SELECT FROM outbox WHERE NOT EXISTS (SELECT FROM outbox_told WHERE outbox_told.seq = outbox.seq)) AS untold,
    EXISTS (SELECT FROM job WHERE run_at <= at AND (leased_until IS NULL OR leased_until <= at)) AS due,
    EXISTS (SELECT FROM node WHERE state = 'live' AND until <= at) AS silent,
    (SELECT json_agg(json_build_array(name, node, epoch)) FROM lease WHERE until > at + 1000)::text AS leases
  FROM clock`;

type Row = {
  readonly revision: unknown;
  readonly newest: unknown;
  readonly untold: boolean;
  readonly due: boolean;
  readonly silent: boolean;
  readonly leases: string | null;
};

/** One statement, which the server has prepared, several times a second and process. */
export class PostgresPoll implements Polled {
  #last: { readonly askedAt: number; readonly seen: Seen } | null = null;
  #changes = 0;

  /** `clock` instead of the database's, for tests that move the time. */
  constructor(
    private readonly pool: Pool,
    private readonly clock: (() => number) | null = null,
  ) {}

  async ask(): Promise<Seen> {
    const [askedAt, changes] = [performance.now(), this.#changes];
    const seen = await this.#ask();
    if (changes === this.#changes) this.#last = { askedAt, seen };
    return seen;
  }

  get recent(): Seen | null {
    if (this.#last === null || performance.now() - this.#last.askedAt > RECENT_MS) return null;
    return this.#last.seen;
  }

  forget(): void {
    this.#changes += 1;
    this.#last = null;
  }

  async #ask(): Promise<Seen> {
    for (let tries = 0; ; tries++) {
      try {
        // A statement without parameters would be read and planned by the server each time.
        const [row] = await this.pool.plain((sql) => sql.unsafe<Row[]>(POLL, [this.clock?.() ?? null]));
        if (row === undefined) throw new Error("The database says nothing of its state");
        return seenIn(row);
      } catch (error) {
        if (!isConnectionFault(error) || tries >= TRIES) throw error;
      }
    }
  }
}

const seenIn = ({ revision, newest, untold, due, silent, leases }: Row): Seen => {
  const held: [string, string, number][] = JSON.parse(leases ?? "[]");
  return {
    revision: Number(revision ?? 0),
    newestEvent: Number(newest ?? 0),
    hasUntold: untold,
    hasDueJobs: due,
    hasSilent: silent,
    holders: new Map(held.map(([name, id, epoch]) => [name, { id, epoch }])),
  };
};
