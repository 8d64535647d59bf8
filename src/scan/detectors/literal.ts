import { type CharSet, charSet } from "#scan/char-set";
import type { View } from "#scan/view";

/** What is between two quotes, and where it ends. */
export type Literal = { readonly text: string; readonly end: number };

/** What joins two literals, with the blanks and the line's end about it: `+`, `.`, `&`, and a backslash at the line's end. */
const JOINT = charSet(" \t\r\n+.&\\");
const OPERATOR = /[+.&\\]/;
const MAX_JOINT = 32;

/** The literal whose text begins at `start`, with those joined to it (`"a3f…" + "9c1…"`), `most` units at most. */
export function literalAt(view: View, start: number, set: CharSet, most: number): Literal {
  const quote = view.code(start - 1);
  let end = start + view.run(start, set, most);
  let text = view.before(end, end - start);
  while (view.code(end) === quote) {
    const joint = view.run(end + 1, JOINT, MAX_JOINT);
    const next = end + joint + 2;
    if (next >= start + most || view.code(next - 1) !== quote) break;
    if (!OPERATOR.test(view.before(next - 1, joint))) break;
    const width = view.run(next, set, start + most - next);
    if (width === 0 || view.code(next + width) !== quote) break;
    text += view.before(next + width, width);
    end = next + width;
  }
  return { text, end };
}
