import type { Rewrite } from "./rewrite";
import { TRIGGER_WORDS } from "./words";

const MARKUP = /\*{2,3}|~~|`|<!--[^<>]{0,80}-->|<\/?[a-z][^<>]{0,80}>|\\[nrt]/iy;
const LETTER = /[A-Za-z]/;
const WORD_BEFORE = /[A-Za-z]{3,14}$/;
const WORD_BEHIND = /^[A-Za-z]{3,14}/;

/** Marks of Markdown and HTML taken out. They tell where they part a word's letters, or touch a trigger word. */
export function unmarked(text: string): Rewrite[] {
  const found: Rewrite[] = [];
  for (const mark of ["**", "~~", "`", "<", "\\"]) {
    for (let at = text.indexOf(mark); at >= 0; ) {
      MARKUP.lastIndex = at;
      const end = at + (MARKUP.exec(text)?.[0].length ?? 0);
      if (end > at) found.push({ start: at, end, ...reading(text, at, end) });
      at = text.indexOf(mark, Math.max(end, at + 1));
    }
  }
  return found.some(({ telling }) => telling) ? found : [];
}

function reading(text: string, start: number, end: number): { text: string; telling: boolean } {
  if (text[start] === "\\") return { text: " ", telling: touchesTrigger(text, start, end) };
  const within = LETTER.test(text.charAt(start - 1)) && LETTER.test(text.charAt(end));
  return { text: "", telling: within || (text[start] === "*" && touchesTrigger(text, start, end)) };
}

function touchesTrigger(text: string, start: number, end: number): boolean {
  const before = WORD_BEFORE.exec(text.slice(Math.max(0, start - 14), start))?.[0].toLowerCase();
  if (before !== undefined && TRIGGER_WORDS.has(before)) return true;
  const behind = WORD_BEHIND.exec(text.slice(end, end + 14))?.[0].toLowerCase();
  return behind !== undefined && TRIGGER_WORDS.has(behind);
}
