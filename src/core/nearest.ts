/** How many letters must be put in, taken out, changed, or swapped with the one beside. */
export const editDistance = (from: string, to: string): number => {
  let above: readonly number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const swapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swap = swapped ? (above[column - 2] ?? 0) + 1 : change;
      current.push(Math.min(change, swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
};

/** A third of the letters, at least one: `usr` is near `user`, `kind` is not near `lines`. */
const bound = (word: string): number => Math.max(1, Math.floor(word.length / 3));

/** The known word a mistyped one was probably meant to be; null when none is near. */
export const nearest = (word: string, known: readonly string[]): string | null => {
  let best: string | null = null;
  let least = bound(word) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
};

/** The end of a message about an unknown word: `; did you mean --user?`, or nothing. */
export const suggestionFor = (word: string, known: readonly string[], prefix = ""): string => {
  const guess = nearest(word, known);
  return guess === null ? "" : `; did you mean ${prefix}${guess}?`;
};
