import { and, count, desc, eq, gt, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { PageWindow } from "#core/page";
import { one, type Steps, type Words } from "#store/db";
import type { Tables } from "#store/tables";

/*
 * Pages of lists, newest first. Each begins where an index says (keyset): a page costs what it shows, however long the
 * list is and however far in it the page is.
 */

/** Of a list in the order of ids, which are ordered by time. */
export const afterId = (id: AnySQLiteColumn, { after }: PageWindow): SQL | undefined =>
  after === null ? undefined : lt(id, after);

/** What a list is ordered by: the moment, then the id, or what else tells two of one moment apart. */
export type Ordered = {
  readonly table: SQLiteTable;
  readonly at: AnySQLiteColumn;
  readonly id: AnySQLiteColumn;
  readonly tie?: SQL | undefined;
};

type OrderOf = (tables: Tables, words: Words) => Ordered;

export const newestFirst = ({ at, id, tie }: Ordered): SQL[] => [desc(at), desc(tie ?? id)];

/** Where a page begins. */
export type Start = { readonly after: string; readonly row: { readonly at: unknown; readonly second: unknown } | null };

/** Looks up where a page of a list in the order of moments begins; null for its beginning. */
export function* startOf(orderedOf: OrderOf, { after }: PageWindow): Steps<Start | null> {
  if (after === null) return null;
  const row = yield* one((q, t, words) => {
    const { table, at, id, tie } = orderedOf(t, words);
    return q
      .select({ at, second: tie ?? sql`${id}` })
      .from(table)
      .where(eq(id, after));
  });
  return { after, row };
}

/**
 * Of a list in the order of moments. The row of the cursor says where the page begins, for a clock that was set back has
 * made ids in another order than times; where the row is gone, its id says it.
 */
export const afterMoment = ({ at, id, tie }: Ordered, start: Start | null): SQL | undefined => {
  if (start === null) return undefined;
  const { after, row } = start;
  return row === null ? lt(id, after) : sql`(${at}, ${tie ?? id}) < (${row.at}, ${row.second})`;
};

/** What is about an agent of theirs, or about nobody's agent and themselves. */
export const seenBy = (
  { agent }: Tables,
  userId: string,
  of: { readonly agent: AnySQLiteColumn; readonly user: AnySQLiteColumn },
) =>
  or(
    sql`${of.agent} IN (SELECT ${agent.id} FROM ${agent} WHERE ${agent.owner_id} = ${userId})`,
    and(isNull(of.agent), eq(of.user, userId)),
  );

export const notOver = (expiresAt: AnySQLiteColumn, now: number): SQL | undefined =>
  or(isNull(expiresAt), gt(expiresAt, now));

export const isOver = (expiresAt: AnySQLiteColumn, now: number): SQL => lte(expiresAt, now);

/** How many rows there are. For limits, in the change that adds one: nobody else makes one meanwhile. */
export function* counted(of: (tables: Tables) => readonly [SQLiteTable, (SQL | undefined)?]): Steps<number> {
  const row = yield* one((q, t) => {
    const [table, where] = of(t);
    return q.select({ rows: count() }).from(table).where(where);
  });
  return row?.rows ?? 0;
}

type Moment = { readonly id: string; readonly created_at: number };

/** The first items of several lists that are each newest first, as one such list. */
export const mergedNewest = <T extends Moment>(lists: readonly (readonly T[])[], limit: number): readonly T[] =>
  lists.length === 1 && lists[0] !== undefined ? lists[0] : merged(lists, limit);

const merged = <T extends Moment>(lists: readonly (readonly T[])[], limit: number): T[] =>
  lists
    .flat()
    .toSorted((one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1))
    .slice(0, limit);
