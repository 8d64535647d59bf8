import { decodeTags, HiddenText } from "#scan/fold/hidden-text";
import { fold } from "#scan/fold/normalize";
import { CONTEXT, type RewriteWindow } from "./rewrite";
import type { TextRun } from "./survey";
import { reversed } from "./words";

/** Right-to-left override, and what ends it: pop directional formatting, or the line. UAX #9. */
const OVERRIDE = "\u202e";
const OVERRIDDEN = /\u202e([^\u202c\u202e\n]{4,512})\u202c?/y;
/** What a window costs beside its text, in units of it. */
const COST = 128;
const BYTES = new TextDecoder();

/** What invisible characters say, and what a right-to-left override shows, each with the text about it; `most` units. */
export function hiddenWindows(original: string, most: number): RewriteWindow[] {
  const found: RewriteWindow[] = [];
  let left = most;
  const take = (run: TextRun, meant: string): void => {
    if (meant.length === 0 || left <= 0) return;
    const window = inPlace(original, run, meant.slice(0, left));
    // What stands about a run counts too: else many short ones would cost the text many times over.
    left -= window.text.length + COST;
    found.push(window);
  };
  for (const run of hiddenRuns(original)) take(run, decoded(original.slice(run.start, run.end)));
  for (let at = original.indexOf(OVERRIDE); at >= 0; at = original.indexOf(OVERRIDE, at + 1)) {
    OVERRIDDEN.lastIndex = at;
    const match = OVERRIDDEN.exec(original);
    if (match) take({ start: at, end: at + match[0].length }, reversed(match[1] ?? ""));
  }
  return found;
}

function hiddenRuns(original: string): TextRun[] {
  const runs: TextRun[] = [];
  const hidden = new HiddenText((run) => runs.push(run));
  hidden.push(original);
  hidden.end();
  return runs;
}

/** Tag characters are ASCII moved up; a variation selector is a byte: 0 to 15, and 16 to 255. */
function decoded(run: string): string {
  const tags = decodeTags(run);
  if (tags !== "") return tags;
  const bytes = Array.from(run, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code < 0x10000 ? code - 0xfe00 : code - 0xe0100 + 16;
  });
  return BYTES.decode(Uint8Array.from(bytes));
}

/** The emoji that selectors hang on is no part of what they say. */
const CARRIER = /\p{Extended_Pictographic}$/u;

/** Whatever is found belongs to the whole run. */
function inPlace(original: string, { start, end }: TextRun, meant: string): RewriteWindow {
  const before = fold(original.slice(Math.max(0, start - CONTEXT), start)).text.replace(CARRIER, "");
  const shown = fold(meant).text;
  return {
    text: before + shown + fold(original.slice(end, end + CONTEXT)).text,
    places: { start: () => start, end: () => end },
    core: { start: before.length, end: before.length + shown.length },
    touches: (from, to) => from < before.length + shown.length && to > before.length,
  };
}
