import { GuardError } from "#core/errors";

/** One entry of a list: what it is sorted by, and its JSON. */
export type ListedEntry = { readonly key: string; readonly json: string };

/** Entries of one page. */
export const PAGE_SIZE = 500;
const MAX_CURSOR = 16_384;

/**
 * The page after the one that ended with the cursor's key. A cursor is that key and nothing else: it outlives restarts, and
 * a list that changes in between neither repeats nor leaves out what stays. `entries` are in order of their keys.
 */
export const pageOfEntries = (
  entries: readonly ListedEntry[],
  cursor: unknown,
): { readonly items: readonly string[]; readonly next: string | null } => {
  const after = cursor === undefined || cursor === null ? null : keyIn(cursor);
  const from = after === null ? 0 : firstAfter(entries, after);
  const page = entries.slice(from, from + PAGE_SIZE);
  const last = page.at(-1);
  const isMore = last !== undefined && from + PAGE_SIZE < entries.length;
  return { items: page.map(({ json }) => json), next: isMore ? Buffer.from(last.key).toString("base64url") : null };
};

const keyIn = (cursor: unknown): string => {
  if (typeof cursor === "string" && cursor.length <= MAX_CURSOR && /^[A-Za-z0-9_-]+$/.test(cursor)) {
    return Buffer.from(cursor, "base64url").toString("utf8");
  }
  throw new GuardError("invalid_value", "params.cursor must be a nextCursor of this list.", { param: "params.cursor" });
};

const firstAfter = (entries: readonly ListedEntry[], key: string): number => {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.key ?? "") <= key) low = middle + 1;
    else high = middle;
  }
  return low;
};
