import { GuardError } from "#core/errors";
import type { PageWindow } from "#core/page";
import { isUuid } from "#platform/ids";

const USUAL = 50;
const MAX_LIMIT = 200;

export type ListPage<T> = {
  readonly object: "list";
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
};

/** The page an address asks for: `?limit=` and `?cursor=`. */
type Wanted = { readonly limit?: string | number | undefined; readonly cursor?: string | undefined };

/**
 * One page of a list that is kept in the store: `read` is asked for one item more than the page has, and never for all
 * of them. Throws `invalid_value`.
 */
export const readPage = async <T extends { readonly id: string }>(
  wanted: Wanted,
  read: (window: PageWindow) => Promise<readonly T[]>,
): Promise<ListPage<T>> => {
  const limit = limitOf(wanted.limit);
  const after = wanted.cursor === undefined ? null : cursorOf(wanted.cursor);
  const found = await read({ after, limit: limit + 1 });
  const data = found.slice(0, limit);
  const has_more = found.length > data.length;
  return { object: "list", data, has_more, next_cursor: has_more ? (data.at(-1)?.id ?? null) : null };
};

/** One page of a short list that is in memory, newest first. The last one seen is the cursor. Throws `invalid_value`. */
export const pageOf = <T extends { readonly id: string }>(items: readonly T[], wanted: Wanted): ListPage<T> => {
  const limit = limitOf(wanted.limit);
  const rest = wanted.cursor === undefined ? items : after(items, wanted.cursor);
  const data = rest.slice(0, limit);
  const has_more = rest.length > data.length;
  return { object: "list", data, has_more, next_cursor: has_more ? (data.at(-1)?.id ?? null) : null };
};

/** A list that is told whole: there are few, and their order means something. */
export const whole = <T>(data: readonly T[]) => ({ object: "list" as const, data, has_more: false, next_cursor: null });

export const limitOf = (given: string | number | undefined): number => {
  const limit = given === undefined ? USUAL : Number(/^\d{1,3}$/.exec(`${given}`)?.[0]);
  if (!(limit >= 1 && limit <= MAX_LIMIT)) {
    throw new GuardError("invalid_value", `limit must be a whole number from 1 to ${MAX_LIMIT}.`, { param: "limit" });
  }
  return limit;
};

/**
 * Works also when the item the cursor names has gone meanwhile: ids are ordered by time. While it is there its place says
 * what comes after it, for a clock that was set back has made ids in another order than times.
 */
const after = <T extends { readonly id: string }>(items: readonly T[], cursor: string): readonly T[] => {
  const last = cursorOf(cursor);
  const at = items.findIndex(({ id }) => id === last);
  return at === -1 ? items.filter(({ id }) => id < last) : items.slice(at + 1);
};

const cursorOf = (cursor: string): string => {
  if (isUuid(cursor)) return cursor.toLowerCase();
  throw new GuardError("invalid_value", "cursor must be the next_cursor of an earlier page.", { param: "cursor" });
};
