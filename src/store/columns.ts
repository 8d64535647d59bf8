import { integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/*
 * The column kit: the few words tables are written in, so that a kit of the same names makes the same tables
 * for another database. A kit for PostgreSQL is cast to `ColumnKit` once; queries then run unchanged.
 */

/** What tables are made of in SQLite. A column has the name of its key: rows are the records of `#model` and `#policy`. */
export const sqliteKit = {
  table: sqliteTable,
  text: <T extends string = string>() => text().$type<T>(),
  /** Whole numbers up to 2^53, Unix milliseconds among them. */
  integer: () => integer(),
  real: () => real(),
  boolean: () => integer({ mode: "boolean" }),
  /** JSON kept as text; what is read back is checked by who reads it. */
  json: () => text({ mode: "json" }).$type<unknown>(),
  primaryKey,
  unique: uniqueIndex,
};

export type ColumnKit = typeof sqliteKit;
