import { integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/*
 * The column kit: the few words tables are written in, so that a kit of the same names makes the same tables
 * for another database. A kit for PostgreSQL is cast to `ColumnKit` once; queries then run unchanged.
 */

/** What tables are made of in SQLite. Column names are given because drizzle would take the key as it is. */
export const sqliteKit = {
  table: sqliteTable,
  text: <T extends string = string>(name: string) => text(name).$type<T>(),
  /** Whole numbers up to 2^53, Unix milliseconds among them. */
  integer: (name: string) => integer(name),
  real: (name: string) => real(name),
  boolean: (name: string) => integer(name, { mode: "boolean" }),
  /** JSON kept as text; what is read back is checked by who reads it. */
  json: (name: string) => text(name, { mode: "json" }).$type<unknown>(),
  primaryKey,
  unique: uniqueIndex,
};

export type ColumnKit = typeof sqliteKit;
