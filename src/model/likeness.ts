import { areAlike, type Fingerprint, readFingerprint } from "#model/fingerprint";
import type { Report } from "#model/report";

/** What tells which items are alike; `key` has all that must be equal. What nobody knows the text of is like nothing. */
export type Likeness = { readonly key: string; readonly fingerprint: string | null };

/** Items of one key are compared with so many kinds of text at most: then the rest stand alone. */
const MAX_KINDS = 50;

/**
 * Puts like items together, each group in the place of its first item, in the order of the list. What has no likeness
 * stands alone. Each item is compared with the first of each group of its key.
 */
export const likeGroups = <Item>(items: readonly Item[], likenessOf: (item: Item) => Likeness | null): Item[][] => {
  const groups: Item[][] = [];
  const byKey = new Map<string, { readonly fingerprint: Fingerprint; readonly group: Item[] }[]>();
  for (const item of items) {
    const { key, fingerprint: hex } = likenessOf(item) ?? ALONE;
    const fingerprint = hex === null ? null : readFingerprint(hex);
    const known = byKey.get(key) ?? [];
    byKey.set(key, known);
    const like = fingerprint && known.find((one) => areAlike(one.fingerprint, fingerprint));
    if (like) {
      like.group.push(item);
      continue;
    }
    const group = [item];
    groups.push(group);
    if (fingerprint !== null && known.length < MAX_KINDS) known.push({ fingerprint, group });
  }
  return groups;
};

const ALONE: Likeness = { key: "", fingerprint: null };

/** What people would decide alike: the same is said of the same finding types of the same agent, in like texts. */
export const reportLikeness = ({
  direction,
  flag_types,
  agent_id,
  fingerprint,
}: Pick<Report, "direction" | "flag_types" | "agent_id" | "fingerprint">): Likeness => ({
  key: [direction, agent_id ?? "", ...flag_types.toSorted()].join(" "),
  fingerprint,
});
