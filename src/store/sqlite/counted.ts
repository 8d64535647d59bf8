import { count, type SQL } from "drizzle-orm";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** How many rows there are. For limits, in the transaction that adds one: its lock keeps everybody else from adding. */
export const counted = (queries: BunSQLiteDatabase, table: SQLiteTable, where?: SQL): number =>
  queries.select({ rows: count() }).from(table).where(where).get()?.rows ?? 0;
