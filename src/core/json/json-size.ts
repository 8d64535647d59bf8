/** What a short document may have, in UTF-16 units of its texts: written or walked in about a millisecond. */
const MAX_SHORT = 65_536;
/** What each value and name costs beside its length, as so many units more. */
const UNITS_A_VALUE = 8;

/** Whether a document is too long to be written or walked in one piece on a thread that serves others. */
export const isLongJson = (value: unknown): boolean => isLongerThan(value, MAX_SHORT, UNITS_A_VALUE);

/**
 * Whether a JSON value has more than `units` UTF-16 units in its texts and names, with `each` more for every one of its
 * values. With 1, its JSON text is certainly that long. Looks no further than it takes, and without recursion.
 */
export const isLongerThan = (value: unknown, units: number, each = 1): boolean => unitsOf(value, units, each) > units;

/** Those units; some number beyond `most` where there are more. */
export const unitsOf = (value: unknown, most: number, each = 1): number => {
  let left = most;
  const open: unknown[] = [value];
  while (open.length > 0 && left >= 0) {
    const next = open.pop();
    left -= typeof next === "string" ? next.length + 2 : each;
    if (typeof next === "object" && next !== null) left -= opened(next, left, open, each);
  }
  return most - left;
};

/** Puts the parts of an object or list on the stack, unless they are more than may be left. Units of its names. */
const opened = (holder: object, left: number, open: unknown[], each: number): number => {
  if (Array.isArray(holder)) {
    if (holder.length * each > left) return left + 1;
    for (const part of holder) open.push(part);
    return 0;
  }
  let units = 0;
  for (const name in holder) {
    units += name.length + each;
    if (units > left) return units;
    open.push(Reflect.get(holder, name));
  }
  return units;
};
