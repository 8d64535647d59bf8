import { bigint, boolean, customType, doublePrecision, pgTable, primaryKey, uniqueIndex } from "drizzle-orm/pg-core";
import type { ColumnKit } from "#store/columns";

/**
 * PostgreSQL keeps every character but U+0000, and refuses a statement that has one. Names and texts come from callers:
 * it becomes U+FFFD, in what is stored and in what it is compared with.
 */
export const storable = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text);

const text = customType<{ data: string; driverData: string | null }>({
  dataType: () => "text",
  // The value of a placeholder may be null.
  toDriver: (value: string | null) => (value === null ? null : storable(value)),
});

/** JSON kept as text, as on SQLite: what is hashed is what was written, and no database puts it in another order. */
const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => "text",
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => JSON.parse(value),
});

/** A moment in Unix milliseconds, as on SQLite. The driver gives `bigint` as text. */
const moment = customType<{ data: Date; driverData: number | string }>({
  dataType: () => "bigint",
  toDriver: (value) => value.getTime(),
  fromDriver: (value) => new Date(Number(value)),
});

/** What tables are made of in PostgreSQL: the words of SQLite's kit. */
const kit = {
  table: pgTable,
  text: () => text(),
  integer: () => bigint({ mode: "number" }),
  real: () => doublePrecision(),
  boolean: () => boolean(),
  json: () => json(),
  named: (name: string) => text(name),
  number: (name: string) => bigint(name, { mode: "number" }),
  flag: (name: string) => boolean(name),
  moment: (name: string) => moment(name),
  primaryKey,
  unique: uniqueIndex,
} satisfies Record<keyof ColumnKit, unknown>;

/** Tables are typed as SQLite's, whichever they are: their rows are the same, and the same contract suite runs on both. */
const typed = (it: unknown): ColumnKit => it as ColumnKit;

export const postgresKit = typed(kit);
