import { DrizzleQueryError, sql as fragment } from "drizzle-orm";
import { columnsOf, linkHash } from "#store/audit-link";
import {
  Asked,
  all,
  type Build,
  type Command,
  type Db,
  Kept,
  type KeptCommand,
  type KeptQuery,
  one,
  type Queries,
  type Query,
  run,
  type Single,
  type Step,
  type Steps,
  Timed,
  Together,
  type Values,
  type Words,
} from "#store/db";
import type { Polled } from "#store/polled";
import type { SerialisedRecord } from "#store/record";
import type { ChangeSubject } from "#store/tables";
import { type ChainSigner, SIGNED_KINDS, signEnd } from "./chain";
import { storable } from "./columns";
import { isConflict, isConnectionFault, stateOf } from "./errors";
import type { Pool } from "./pool";
import { tables } from "./schema";

/** Told of each change, with its revision. */
export const CHANNEL = "guardhouse_revision";

const LOCK_NOT_AVAILABLE = "55P03";
const CONFLICTS = 5;

export const POSTGRES_WORDS: Words = {
  among: (column, ids) =>
    fragment`${column} = ANY(ARRAY(SELECT json_array_elements_text((${JSON.stringify([...new Set(ids)].map(storable))}::text)::json)))`,
  sameLetters: (column, text) => fragment`lower(${column}) = lower(${storable(text)})`,
  holds: (column, text) => fragment`position(lower(${storable(text)}) in lower(${column})) > 0`,
  stored: (table) => fragment`${table}.stored`,
};

/** Both rows are locked, and read as the last change left them: changes are made one at a time. */
const LOCK = `SELECT revision.value, chain.seq, chain.hash FROM revision, chain
  WHERE revision.subject = 'all' AND chain.name = 'governance' FOR UPDATE`;

/** What every change writes beside itself, in one statement. */
const NOTE = `WITH
  raised AS (UPDATE revision SET value = $1 WHERE subject IN ('all', $2)),
  ended AS (UPDATE chain SET seq = $3, hash = $4 WHERE name = 'governance'),
  linked AS (INSERT INTO governance_record (seq, at, body, prev_hash, hash) VALUES ($3, $5, $6, $7, $4)),
  sent AS (INSERT INTO outbox (seq, record) VALUES ($3, $6))
  SELECT pg_notify('${CHANNEL}', ($1::bigint)::text)`;

/** Thrown within a transaction that changed nothing, so that it is taken back. */
class Unchanged extends Error {}

/** Of a number that is the same wherever it is computed. The lock is given back with the transaction. */
const HELD = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0)) AS it";
const CLOCK = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at";
const UNSYNCED = "set_config('synchronous_commit', 'off', true)";

type Waiting = { execute(values: Values): PromiseLike<unknown> };

export class PostgresDb implements Db {
  readonly blocks = false;
  isStopping = false;

  /** `clock` instead of the database's, for tests that move the time. */
  constructor(
    private readonly pool: Pool,
    private readonly polled: Polled,
    private readonly clock: Clock | null = null,
    /** What signs the records that must be; null for a process that signs none. */
    private readonly signer: ChainSigner | null = null,
  ) {}

  one<T>(what: Build<Query<T>> | KeptQuery<T>, values?: Values): Promise<T | null> {
    return this.#alone(() => one(what, values));
  }

  all<T>(what: Build<Query<T>> | KeptQuery<T>, values?: Values): Promise<T[]> {
    return this.#alone(() => all(what, values));
  }

  run(what: Build<Command> | KeptCommand, values?: Values): Promise<void> {
    return this.#alone(() => run(what, values));
  }

  async attempt(work: () => Steps<void>): Promise<boolean> {
    try {
      await this.pool.transaction("", async (open) => {
        await open.sql.unsafe("SET LOCAL lock_timeout = '50ms'");
        await drive(work(), new Within(open, this.clock));
      });
      return true;
    } catch (error) {
      if (stateOf(error) === LOCK_NOT_AVAILABLE || isConnectionFault(error)) return false;
      throw error;
    }
  }

  read<T>(work: () => Steps<T>): Promise<T> {
    const mode = "ISOLATION LEVEL REPEATABLE READ READ ONLY";
    return this.pool.transaction(mode, (open) => drive(work(), new Within(open, this.clock)));
  }

  async tx<T>(work: () => Steps<T>, alone?: string): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.pool.transaction("", async (open) => {
          const within = new Within(open, this.clock);
          await within.begin(alone);
          return await drive(work(), within);
        });
      } catch (error) {
        if (!isConflict(error) || tries >= CONFLICTS) throw error;
      }
    }
  }

  change(
    subject: ChangeSubject,
    record: SerialisedRecord,
    work: (revision: number) => Steps<boolean>,
  ): Promise<boolean> {
    return this.#commit(subject, recorded(record, work), true);
  }

  changeAs(subject: ChangeSubject, work: (revision: number) => Steps<SerialisedRecord | null>): Promise<boolean> {
    return this.#commit(subject, work, true);
  }

  changeSoon(
    subject: ChangeSubject,
    record: SerialisedRecord,
    work: (revision: number) => Steps<boolean>,
  ): Promise<boolean> {
    return this.#commit(subject, recorded(record, work), false);
  }

  async #commit(
    subject: ChangeSubject,
    work: (revision: number) => Steps<SerialisedRecord | null>,
    isLasting: boolean,
  ): Promise<boolean> {
    try {
      await this.pool.transaction("", async (open) => {
        const within = new Within(open, this.clock);
        if (!isLasting) await within.begin();
        await changed(within, subject, work, this.signer);
      });
      this.polled.forget();
      return true;
    } catch (error) {
      if (error instanceof Unchanged) return false;
      throw error;
    }
  }

  /** Reads are asked again when a connection broke before it answered. What writes may have been carried out. */
  async #alone<T>(steps: () => Steps<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      const seen = { isRead: true };
      try {
        return await this.pool.plain((sql) =>
          drive(steps(), new Within({ sql, queries: this.pool.queries }, this.clock), seen),
        );
      } catch (error) {
        if (!seen.isRead || !isConnectionFault(error) || tries >= CONFLICTS) throw error;
      }
    }
  }
}

type Clock = () => number;

/** A transaction, or a statement alone. */
class Within {
  readonly sql: Pick<Bun.SQL, "unsafe">;
  readonly queries: Queries;
  /** The database's time when the last of its answers about it came, and this process's then. */
  #told: { readonly at: number; readonly heard: number } | null = null;

  constructor(
    { sql, queries }: Pick<Within, "sql" | "queries">,
    private readonly clock: Clock | null,
  ) {
    this.sql = sql;
    this.queries = queries;
  }

  /** Waits for no disk, and first for another process that does what is named so. */
  async begin(alone?: string): Promise<void> {
    if (alone === undefined) this.#hear(await this.sql.unsafe<TimeRow[]>(`SELECT ${UNSYNCED}, ${CLOCK}`));
    else
      this.#hear(
        await this.sql.unsafe<TimeRow[]>(`WITH held AS (${HELD}) SELECT ${UNSYNCED}, ${CLOCK} FROM held`, [alone]),
      );
  }

  /** In whole milliseconds; it is asked for once. */
  async time(): Promise<number> {
    if (this.clock !== null) return this.clock();
    this.#told ??= this.#hear(await this.sql.unsafe<TimeRow[]>(`SELECT ${CLOCK}`));
    return Math.floor(this.#told.at + performance.now() - this.#told.heard);
  }

  #hear([row]: readonly TimeRow[]): { readonly at: number; readonly heard: number } {
    if (row === undefined) throw new Error("The database says no time");
    this.#told = { at: Number(row.at), heard: performance.now() };
    return this.#told;
  }
}

type TimeRow = { readonly at: unknown };

const recorded = (record: SerialisedRecord, work: (revision: number) => Steps<boolean>) =>
  function* (revision: number): Steps<SerialisedRecord | null> {
    return (yield* work(revision)) ? record : null;
  };

const changed = async (
  within: Within,
  subject: ChangeSubject,
  work: (revision: number) => Steps<SerialisedRecord | null>,
  signer: ChainSigner | null,
): Promise<void> => {
  const { sql } = within;
  const [row] = await sql.unsafe<{ value: unknown; seq: unknown; hash: unknown }[]>(LOCK);
  if (row === undefined) throw new Error("The database has no revision, or no chain");
  const revision = Number(row.value) + 1;
  const record = await drive(work(revision), within);
  if (record === null) throw new Unchanged();
  const seq = Number(row.seq) + 1;
  const prev = String(row.hash);
  const hash = linkHash(prev, seq, record);
  const { at, kind } = columnsOf(record);
  await sql.unsafe(NOTE, [revision, subject, seq, hash, at, record, prev]);
  if (signer !== null && SIGNED_KINDS.includes(kind)) await signEnd(sql, signer, { seq, hash }, at);
};

/** Carries out steps one after the other, each when the one before was answered. */
const drive = async <T>(steps: Steps<T>, within: Within, seen = { isRead: true }): Promise<T> => {
  let turn = steps.next();
  while (!turn.done) turn = await after(turn.value, steps, within, seen);
  return turn.value;
};

const after = async <T>(
  step: Step,
  steps: Steps<T>,
  within: Within,
  seen: { isRead: boolean },
): Promise<IteratorResult<Step, T>> => {
  try {
    if (step instanceof Together) await Promise.all(step.steps.map((single) => carryOut(single, within, seen)));
    else await carryOut(step, within, seen);
  } catch (error) {
    // What drizzle makes of an error quotes the values of the statement: names, hashes, what is sealed.
    return steps.throw(error instanceof DrizzleQueryError ? error.cause : error);
  }
  return steps.next();
};

const carryOut = async (step: Single, within: Within, seen: { isRead: boolean }): Promise<void> => {
  if (step instanceof Timed) {
    step.at = await within.time();
    return;
  }
  const { what, values } = step;
  const build = what instanceof Kept ? what.build : what;
  const built = build(within.queries, tables, POSTGRES_WORDS);
  if (!isWaiting(built)) throw new TypeError("A statement cannot be carried out");
  // Only of statements alone is it asked, and each of them is one.
  seen.isRead = isSelect(built);
  const rows = await built.execute(values);
  if (step instanceof Asked && Array.isArray(rows)) step.rows = rows;
};

const isWaiting = (built: object): built is Waiting => "execute" in built && typeof built.execute === "function";

const isSelect = (built: object): boolean => "fields" in built || "getSelectedFields" in built;
