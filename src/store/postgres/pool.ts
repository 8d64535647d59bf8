import { type BunSQLDatabase, drizzle } from "drizzle-orm/bun-sql";
import type { Queries } from "#store/db";
import { DatabaseUnreachable, isConnectionFault, told } from "./errors";

const STATEMENT_MS = 10_000;
const DEADLINE_MS = 15_000;
const CONNECT_SECONDS = 5;

export type PoolOptions = {
  readonly url: string;
  /** Connections at most. */
  readonly most?: number;
  /** How long anything may take, in milliseconds: for networks that drop what is said. */
  readonly deadlineMs?: number;
  /** After how long the server itself ends a statement, or a transaction of which it hears nothing. Sooner. Milliseconds. */
  readonly statementMs?: number;
};

/** A connection on which a transaction is open. */
export type Open = { readonly sql: Bun.TransactionSQL; readonly queries: Queries };

/** Connections to one PostgreSQL. They are replaced when they break; nobody waits for ever for one that is silent. */
export class Pool {
  #sql: Bun.SQL;
  #queries: Queries;
  #isClosed = false;

  constructor(private readonly options: PoolOptions) {
    this.#sql = this.#connect();
    this.#queries = queriesOf(this.#sql);
  }

  /** For statements that stand alone. */
  get queries(): Queries {
    return this.#queries;
  }

  /** Listens on a connection of its own; `onListen` is called whenever it begins anew. */
  async listen(channel: string, onHeard: () => void, onListen: () => void): Promise<() => Promise<void>> {
    const sql = this.#connect(1);
    await this.#withDeadline(sql, sql.listen(channel, onHeard, onListen));
    return () => sql.close({ timeout: 0 });
  }

  /** One statement alone, or several of which each may be carried out without the others. */
  async plain<T>(work: (sql: Bun.SQL) => Promise<T>): Promise<T> {
    try {
      return await this.#withDeadline(this.#sql, work(this.#sql));
    } catch (error) {
      throw told(error);
    }
  }

  /**
   * `work` in a transaction: it is committed when the promise resolves, and taken back when it rejects. A connection that
   * broke before anything was asked of it is replaced by another.
   */
  async transaction<T>(mode: string, work: (open: Open) => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      let hasBegun = false;
      const begun = (sql: Bun.TransactionSQL): Promise<{ value: T }> => {
        hasBegun = true;
        return work({ sql, queries: queriesOf(sql) }).then((value) => ({ value }));
      };
      try {
        const { value } = await this.#withDeadline(this.#sql, this.#sql.begin(mode, begun));
        return value;
      } catch (error) {
        if (hasBegun || !isConnectionFault(error) || tries >= this.#most || this.#isClosed) throw told(error);
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sql.close({ timeout: 1 });
  }

  get #most(): number {
    return this.options.most ?? 10;
  }

  #connect(max = this.#most): Bun.SQL {
    const { url, statementMs = STATEMENT_MS } = this.options;
    const connection = {
      application_name: "guardhouse",
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: statementMs,
    };
    return new Bun.SQL({ url, max, connection, connectionTimeout: CONNECT_SECONDS });
  }

  /** All of a pool that was silent for so long is given up: closing it fails all waiting statements. */
  async #withDeadline<T>(sql: Bun.SQL, work: Promise<T>): Promise<T> {
    const { promise: silence, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new DatabaseUnreachable());
      if (this.#sql === sql && !this.#isClosed) {
        this.#sql = this.#connect();
        this.#queries = queriesOf(this.#sql);
      }
      sql.close({ timeout: 0 }).catch(() => {
        // What it waited for has failed already.
      });
    }, this.options.deadlineMs ?? DEADLINE_MS);
    try {
      return await Promise.race([work, silence]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The builder is typed as SQLite's: what both have in common is all that repositories use. */
const queriesOf = (client: Bun.SQL): Queries => typed(drizzle({ client }));
const typed = (it: BunSQLDatabase | Queries): Queries => it as Queries;
