import { BASE64 } from "#scan/char-set";
import type { View } from "#scan/view";

/** How far to both sides of a fragment a run of base64 is decoded. */
export const FRAGMENT_REACH = 256;

/**
 * What words look like within base64 text, at each of the three alignments, in lower case as the
 * prefilter reads it. Only characters that the word alone decides are kept.
 */
export function fragmentsOf(words: readonly string[]): string[] {
  const fragments = words.flatMap((word) =>
    [0, 1, 2].map((shift) => {
      const encoded = btoa("\0".repeat(shift) + word).replace(/=+$/, "");
      const whole = Math.floor(((shift + word.length) * 8) / 6);
      return encoded.slice(Math.ceil((shift * 8) / 6), whole).toLowerCase();
    }),
  );
  return [...new Set(fragments)];
}

export type Decoded = { readonly start: number; readonly end: number; readonly texts: readonly string[] };

/** The run of base64 around `at`, decoded at each of its four alignments, printable characters only. */
export function decodeAround(view: View, at: number): Decoded {
  const start = at - view.runBack(at, BASE64, FRAGMENT_REACH);
  const end = at + view.run(at, BASE64, FRAGMENT_REACH);
  const run = view.text.slice(start, end);
  const texts = [0, 1, 2, 3].flatMap((skip) => {
    const usable = run.slice(skip, skip + Math.floor((run.length - skip) / 4) * 4);
    const text = usable === "" ? "" : atob(usable);
    return /^[\x20-\x7e\s]{12}/.test(text.slice(1)) ? [text] : [];
  });
  return { start, end, texts };
}
