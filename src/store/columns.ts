import { integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/*
 * The column kit: the few words tables are written in, so that a kit of the same names makes the same tables
 * for another database. PostgreSQL's (`postgres/columns.ts`) is cast to `ColumnKit` once.
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
  /* The same for columns whose name is not their key's. */
  named: (name: string) => text(name),
  number: (name: string) => integer(name),
  flag: (name: string) => integer(name, { mode: "boolean" }),
  moment: (name: string) => integer(name, { mode: "timestamp_ms" }),
  primaryKey,
  unique: uniqueIndex,
};

export type ColumnKit = typeof sqliteKit;
