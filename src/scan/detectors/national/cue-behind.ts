import { charSet } from "#scan/char-set";
import type { View } from "#scan/view";
import { cues } from "./cues";

const BLANK = 0x20;
const LETTER = charSet("A-Za-z");
const PHRASE = charSet("A-Za-z ._'-");
/** The longest phrase that is looked up: some four words. */
const MAX_LENGTH = 36;
const VERBS = ["is", "was"];
const VERB_BEGINS = charSet("IWiw");
const OWNERS = ["my", "his", "her", "their", "our", "your", "the", "a", "this", "valid"];

/** The cue that stands behind a value that ends at `end`: `… is my passport number`, `… (SSN)`. */
export function cueBehind(view: View, end: number): string | undefined {
  const spaced = view.code(end) === BLANK ? end + 1 : end;
  if (view.code(spaced) === 0x28) return phraseAt(view, spaced + 1);
  // Behind most numbers stands another word: nothing is cut out for those.
  if (spaced === end || !view.is(spaced, VERB_BEGINS)) return undefined;
  const verb = wordAt(view, spaced);
  if (!VERBS.includes(verb)) return undefined;
  let i = spaced + verb.length + 1;
  for (let skipped = 0; skipped < 2; skipped++) {
    const word = wordAt(view, i);
    if (!OWNERS.includes(word) || view.code(i + word.length) !== BLANK) break;
    i += word.length + 1;
  }
  return phraseAt(view, i);
}

const wordAt = (view: View, i: number): string => {
  const width = view.run(i, LETTER, 8);
  return width === 8 ? "" : view.slice(i, i + width).toLowerCase();
};

/** The longest cue of whole words that begins at `i`; one word before it may tell whose it is: `US passport`. */
function phraseAt(view: View, i: number): string | undefined {
  const text = view.slice(i, i + view.run(i, PHRASE, MAX_LENGTH)).toLowerCase();
  const words = text.split(" ");
  for (const from of [0, 1]) {
    for (let count = Math.min(4, words.length - from); count > 0; count--) {
      const phrase = words
        .slice(from, from + count)
        .join(" ")
        .replace(/[.,]$/, "");
      if (cues().has(phrase)) return phrase;
    }
  }
  return undefined;
}
