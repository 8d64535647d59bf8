import { and, desc, eq, gt, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { PageWindow } from "#core/page";
import type { Connection } from "./connection";
import { tables } from "./schema";

/*
 * Pages of lists, newest first. Each begins where an index says (keyset): a page costs what it shows, however long the
 * list is and however far in it the page is.
 */

/** Of a list in the order of ids, which are ordered by time. */
export const afterId = (id: AnySQLiteColumn, { after }: PageWindow): SQL | undefined =>
  after === null ? undefined : lt(id, after);

/** What a list is ordered by: the moment, then the id, or what else tells two of one moment apart. */
type Ordered = {
  readonly table: SQLiteTable;
  readonly at: AnySQLiteColumn;
  readonly id: AnySQLiteColumn;
  readonly tie?: SQL<unknown>;
};

export const newestFirst = ({ at, id, tie }: Ordered): SQL[] => [desc(at), desc(tie ?? id)];

/**
 * Of a list in the order of moments. The row of the cursor says where the page begins, for a clock that was set back has
 * made ids in another order than times; where the row is gone, its id says it.
 */
export const afterMoment = (
  { queries }: Connection,
  { table, at, id, tie }: Ordered,
  { after }: PageWindow,
): SQL | undefined => {
  if (after === null) return undefined;
  const second = tie ?? sql`${id}`;
  const last = queries.select({ at, second }).from(table).where(eq(id, after)).get();
  return last === undefined ? lt(id, after) : sql`(${at}, ${second}) < (${last.at}, ${last.second})`;
};

/** One parameter however many ids there are, so that SQLite prepares one statement for all. */
export const among = (column: AnySQLiteColumn, ids: Iterable<string>): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify([...new Set(ids)])}))`;

/** What is about an agent of theirs, or about nobody's agent and themselves. */
export const seenBy = (userId: string, of: { readonly agent: AnySQLiteColumn; readonly user: AnySQLiteColumn }) =>
  or(
    sql`${of.agent} IN (SELECT ${tables.agent.id} FROM ${tables.agent} WHERE ${tables.agent.owner_id} = ${userId})`,
    and(isNull(of.agent), eq(of.user, userId)),
  );

export const notOver = (expiresAt: AnySQLiteColumn, now: number): SQL | undefined =>
  or(isNull(expiresAt), gt(expiresAt, now));

export const isOver = (expiresAt: AnySQLiteColumn, now: number): SQL => lte(expiresAt, now);

type Moment = { readonly id: string; readonly created_at: number };

/** The first items of several lists that are each newest first, as one such list. */
export const mergedNewest = <T extends Moment>(lists: readonly (readonly T[])[], limit: number): readonly T[] =>
  lists.length === 1 && lists[0] !== undefined ? lists[0] : merged(lists, limit);

const merged = <T extends Moment>(lists: readonly (readonly T[])[], limit: number): T[] =>
  lists
    .flat()
    .toSorted((one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1))
    .slice(0, limit);
