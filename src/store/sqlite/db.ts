import { sql } from "drizzle-orm";
import {
  all,
  type Build,
  type Command,
  type Db,
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
import type { SerialisedRecord } from "#store/record";
import type { ChangeSubject } from "#store/tables";
import type { Connection } from "./connection";
import { isBusy, transaction, withPatience } from "./database";
import { allTables } from "./schema";

export const SQLITE_WORDS: Words = {
  among: (column, ids) => sql`${column} IN (SELECT value FROM json_each(${JSON.stringify([...new Set(ids)])}))`,
  sameLetters: (column, text) => sql`${column} = ${text} COLLATE NOCASE`,
  // lower() of SQLite changes ASCII letters alone.
  holds: (column, text) => sql`instr(lower(${column}), lower(${text})) > 0`,
  stored: (table) => sql`${table}.rowid`,
};

const ATTEMPT_PATIENCE_MS = 5;

/** The main thread's connection as repositories see it: each of its methods is over when it returns its promise. */
export class SqliteDb implements Db {
  readonly blocks = true;

  constructor(
    private readonly connection: Connection,
    private readonly clock: () => number,
  ) {}

  get isStopping(): boolean {
    return this.connection.isStopping;
  }

  async one<T>(what: Build<Query<T>> | KeptQuery<T>, values?: Values): Promise<T | null> {
    return this.now(one(what, values));
  }

  async all<T>(what: Build<Query<T>> | KeptQuery<T>, values?: Values): Promise<T[]> {
    return this.now(all(what, values));
  }

  async run(what: Build<Command> | KeptCommand, values?: Values): Promise<void> {
    this.now(run(what, values));
  }

  async attempt(work: () => Steps<void>): Promise<boolean> {
    // This runs where calls are served: the usual patience with a lock would stop them all.
    try {
      withPatience<void>(this.connection.db, ATTEMPT_PATIENCE_MS, () => this.now(work()));
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  async read<T>(work: () => Steps<T>): Promise<T> {
    return transaction<{ value: T }>(this.connection.db, () => ({ value: this.now(work()) }), "DEFERRED").value;
  }

  async tx<T>(work: () => Steps<T>): Promise<T> {
    return (await this.connection.writeSoon<{ value: T }>(() => ({ value: this.now(work()) }))).value;
  }

  async change(
    subject: ChangeSubject,
    record: SerialisedRecord,
    work: (revision: number) => Steps<boolean>,
  ): Promise<boolean> {
    return this.connection.change(subject, record, (revision) => this.now(work(revision)));
  }

  async changeAs(subject: ChangeSubject, work: (revision: number) => Steps<SerialisedRecord | null>): Promise<boolean> {
    return this.connection.changeAs(subject, (revision) => this.now(work(revision)));
  }

  async changeSoon(
    subject: ChangeSubject,
    record: SerialisedRecord,
    work: (revision: number) => Steps<boolean>,
  ): Promise<boolean> {
    return this.connection.changeSoon(subject, record, (revision) => this.now(work(revision)));
  }

  /** Carries out steps on this tick, within the caller's transaction if there is one. */
  now<T>(steps: Steps<T>): T {
    return onThisTick(steps, this.connection.queries, this.clock);
  }
}

/** Carries out steps one after the other, within the caller's transaction if there is one. */
export const onThisTick = <T>(steps: Steps<T>, queries: Queries, clock: () => number): T => {
  let turn = steps.next();
  while (!turn.done) turn = carryOut(turn.value, steps, queries, clock);
  return turn.value;
};

const carryOut = <T>(step: Step, steps: Steps<T>, queries: Queries, clock: () => number): IteratorResult<Step, T> => {
  try {
    if (step instanceof Together) for (const single of step.steps) carryOutOne(single, queries, clock);
    else carryOutOne(step, queries, clock);
  } catch (error) {
    return steps.throw(error);
  }
  return steps.next();
};

const carryOutOne = (step: Single, queries: Queries, clock: () => number): void => {
  if (step instanceof Timed) step.at = clock();
  else step.carryOut(queries, allTables, SQLITE_WORDS);
};
