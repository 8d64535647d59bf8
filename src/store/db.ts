import type { SQL } from "drizzle-orm";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { SerialisedRecord } from "./record";
import type { ChangeSubject, Tables } from "./tables";

/*
 * The handle by which repositories speak to a database, whichever it is. A statement is a function of the dialect's query
 * builder and tables: it names no connection, so it cannot leave the transaction that it belongs to.
 *
 * What belongs together is a generator that asks for one statement after the other. PostgreSQL carries them out as their
 * answers come. SQLite, which waits for nothing, carries all of them out on one tick: nobody else's statement can get
 * between the beginning and the end of a transaction, although all share one connection. Why: docs/decisions/0026.
 */

/** The builder of a dialect. It is typed as SQLite's; PostgreSQL's has the same methods. */
export type Queries = Pick<BunSQLiteDatabase, "select" | "selectDistinct" | "insert" | "update" | "delete">;

/** What each dialect says in a way of its own. */
export type Words = {
  /** One parameter however many ids there are, so that one statement is prepared for all. */
  among(column: AnySQLiteColumn, ids: Iterable<string>): SQL;
  /** Equal but for the case of ASCII letters. */
  sameLetters(column: AnySQLiteColumn, text: string): SQL;
  /** Contains the text, but for the case of ASCII letters. */
  holds(column: AnySQLiteColumn, text: string): SQL;
  /** Which of two holds was stored first. */
  stored(table: SQLiteTable): SQL;
};

export type Build<T> = (queries: Queries, tables: Tables, words: Words) => T;

/** Values of a statement's placeholders. */
export type Values = Record<string, unknown>;

type Rows<T> = { all(values?: Values): T[] };
type Deed = { run(values?: Values): unknown };
export type Query<T> = Rows<T> & { prepare(): Rows<T> };
export type Command = Deed & { prepare(): Deed };

/** A statement with placeholders that is often asked for: where the dialect keeps prepared ones, it is prepared once. */
export class Kept<P, S extends { prepare(): P }> {
  readonly #prepared = new WeakMap<Queries, P>();

  constructor(readonly build: Build<S>) {}

  prepared(queries: Queries, tables: Tables, words: Words): P {
    const known = this.#prepared.get(queries);
    if (known !== undefined) return known;
    const made = this.build(queries, tables, words).prepare();
    this.#prepared.set(queries, made);
    return made;
  }
}

export type KeptQuery<T> = Kept<Rows<T>, Query<T>>;
export type KeptCommand = Kept<Deed, Command>;

export const keptQuery = <T>(build: Build<Query<T>>): KeptQuery<T> => new Kept(build);
export const keptCommand = (build: Build<Command>): KeptCommand => new Kept(build);

/** A statement that was asked for; who carries it out leaves its rows here. */
export class Asked<T> {
  rows: T[] = [];

  constructor(
    readonly what: Build<Query<T>> | KeptQuery<T>,
    readonly values: Values,
  ) {}

  /** For a dialect that answers at once. */
  carryOut(queries: Queries, tables: Tables, words: Words): void {
    const { what, values } = this;
    const ready = what instanceof Kept ? what.prepared(queries, tables, words) : what(queries, tables, words);
    this.rows = ready.all(values);
  }
}

export class Told {
  constructor(
    readonly what: Build<Command> | KeptCommand,
    readonly values: Values,
  ) {}

  carryOut(queries: Queries, tables: Tables, words: Words): void {
    const { what, values } = this;
    const ready = what instanceof Kept ? what.prepared(queries, tables, words) : what(queries, tables, words);
    ready.run(values);
  }
}

/** The time was asked for, in Unix milliseconds: by the database's clock where several hosts share it. */
export class Timed {
  at = 0;
}

/** Statements of which none needs what another answers: over a network they are asked for at once. */
export class Together {
  constructor(readonly steps: readonly Single[]) {}
}

export type Single = Asked<unknown> | Told | Timed;
export type Step = Single | Together;

/** Statements, asked for one after the other with `yield*`. An error of one is thrown where it was asked for. */
export type Steps<T> = Generator<Step, T, void>;

export function* all<T>(what: Build<Query<T>> | KeptQuery<T>, values: Values = {}): Steps<T[]> {
  const asked = new Asked(what, values);
  yield asked;
  return asked.rows;
}

/** The first row; for statements that give one at most. */
export function* one<T>(what: Build<Query<T>> | KeptQuery<T>, values: Values = {}): Steps<T | null> {
  const asked = new Asked(what, values);
  yield asked;
  return asked.rows[0] ?? null;
}

/** Whether there is any row, of a statement that says which rows it changed above all. */
export function* anyRow(what: Build<Query<unknown>> | KeptQuery<unknown>, values: Values = {}): Steps<boolean> {
  const asked = new Asked(what, values);
  yield asked;
  return asked.rows.length > 0;
}

export function* run(what: Build<Command> | KeptCommand, values: Values = {}): Steps<void> {
  yield new Told(what, values);
}

/** What each of them gives, by its name. Their statements are asked for at once, as far as none waits for one of its own. */
export function* together<T extends Record<string, unknown>>(
  parts: {
    readonly [K in keyof T]: Steps<T[K]>;
  },
): Steps<T> {
  const results: Partial<T> = {};
  const names: (keyof T)[] = Object.keys(parts);
  for (let open = names; open.length > 0; ) {
    const turns = open.map((name) => ({ name, turn: parts[name].next() }));
    for (const { name, turn } of turns) if (turn.done === true) results[name] = turn.value;
    const going = turns.flatMap(({ name, turn }) => (turn.done === true ? [] : [{ name, step: turn.value }]));
    const steps = going.flatMap(({ step }) => (step instanceof Together ? step.steps : [step]));
    if (steps.length > 0) yield new Together(steps);
    open = going.map(({ name }) => name);
  }
  return results as T;
}

/** What leases, windows and waits are measured by: the clocks of hosts differ. */
export function* moment(): Steps<number> {
  const timed = new Timed();
  yield timed;
  return timed.at;
}

export type Db = {
  /** Set when the process is about to end: upkeep that takes long stops after the piece it is at. */
  readonly isStopping: boolean;
  /** Whether a statement holds up the thread that asks for it: then what is much is done in small slices. */
  readonly blocks: boolean;
  one<T>(what: Build<Query<T>> | KeptQuery<T>, values?: Values): Promise<T | null>;
  all<T>(what: Build<Query<T>> | KeptQuery<T>, values?: Values): Promise<T[]>;
  run(what: Build<Command> | KeptCommand, values?: Values): Promise<void>;
  /** One statement, for where calls are served: nobody waits for a lock here. False when it was not carried out. */
  attempt(work: () => Steps<void>): Promise<boolean>;
  /** Statements that see one state, and change nothing. */
  read<T>(work: () => Steps<T>): Promise<T>;
  /**
   * All of it or nothing, of what is no change of governance: no record, no new revision, no wait for the disk. For what
   * is written while calls are served. `alone` names work of which only one may be done at a time, over all processes;
   * on SQLite that is so of all.
   */
  tx<T>(work: () => Steps<T>, alone?: string): Promise<T>;
  /**
   * A change and its record, or neither. `work` gets the revision the change makes and says whether it changed
   * anything; when it did not, nothing is written. Changes are made one at a time, over all processes: what one has read,
   * no other has changed when it is made.
   */
  change(
    subject: ChangeSubject,
    record: SerialisedRecord,
    work: (revision: number) => Steps<boolean>,
  ): Promise<boolean>;
  /** A change whose record says what only the change itself brings out. Null for none: then nothing may be written. */
  changeAs(subject: ChangeSubject, work: (revision: number) => Steps<SerialisedRecord | null>): Promise<boolean>;
  /**
   * A change that does not wait for the disk by itself: the next commit that does takes it along. For what is taken in
   * where calls are served: no call is answered without a later commit.
   */
  changeSoon(
    subject: ChangeSubject,
    record: SerialisedRecord,
    work: (revision: number) => Steps<boolean>,
  ): Promise<boolean>;
};
