import { fold } from "#scan/fold/normalize";

/** Words in a row by which texts are held to be the same. */
const WIDTH = 5;
/** A text that has this share of its rows in common with others is a copy. */
const COPIED = 0.5;

function rowsOf(text: string): Set<number> {
  const words = fold(text)
    .text.toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  const rows = new Set<number>();
  for (let at = 0; at === 0 || at + WIDTH <= words.length; at++) {
    rows.add(Number(Bun.hash.wyhash(words.slice(at, at + WIDTH).join(" ")) & 0xffff_ffff_ffffn));
  }
  return rows;
}

/** Sources copy each other: which texts of others stand in some texts too. */
export class Copies {
  private readonly rows = new Map<string, Set<number>>();

  private of(text: string): Set<number> {
    const known = this.rows.get(text);
    if (known) return known;
    const rows = rowsOf(text);
    this.rows.set(text, rows);
    return rows;
  }

  /** Those of `others` that are no copies of any of `texts`. */
  without<Item extends { readonly text: string }>(others: readonly Item[], texts: readonly Item[]): Item[] {
    const theirs = new Set(texts.flatMap(({ text }) => [...this.of(text)]));
    return others.filter(({ text }) => {
      const rows = this.of(text);
      let common = 0;
      for (const row of rows) common += Number(theirs.has(row));
      return common < rows.size * COPIED;
    });
  }
}
