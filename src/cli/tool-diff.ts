import type { JsonRecord } from "#core/json/json";

/** What one tool may take of the screen. */
const MAX_LINES = 40;
const MAX_LINE_LENGTH = 160;

/**
 * What changed in a tool's definition, line by line. Only the stretch between what both begin and end with is shown:
 * enough to see what a change is about.
 */
export const definitionDiff = (before: JsonRecord | null, after: JsonRecord | null): string[] => {
  const old = linesOf(before);
  const now = linesOf(after);
  const head = shared(old, now);
  const tail = shared(old.slice(head).reverse(), now.slice(head).reverse());
  const lines = [
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
  ];
  const shown = lines.slice(0, MAX_LINES).map(cut);
  return lines.length > MAX_LINES ? [...shown, `… ${lines.length - MAX_LINES} lines more`] : shown;
};

const linesOf = (definition: JsonRecord | null): string[] =>
  definition === null ? [] : JSON.stringify(definition, null, 2).split("\n");

/** How many lines both begin with. */
const shared = (a: readonly string[], b: readonly string[]): number => {
  const differing = a.findIndex((line, index) => line !== b[index]);
  return differing < 0 ? a.length : differing;
};

const cut = (line: string): string => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line);
