import type { Paint } from "./paint";

/** Where a table is read: how wide it may be (null for what is no terminal, where nothing is cut), and its colours. */
export type Surface = { readonly columns: number | null; readonly paint: Paint };

/** Text from elsewhere, made safe for a terminal (stops escape sequences in names from doing anything). */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "�");

const GAP = 2;
/** What a column is not cut below as long as others can give. */
const READABLE = 8;
/** Two letters and the ellipsis. */
const LEAST = 3;

/** The beginning of a text with an ellipsis, at most so many columns wide. */
export const cutTo = (text: string, width: number): string => {
  if (Bun.stringWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (Bun.stringWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
};

/** What somebody copies into the next command: cut last. */
const isName = (heading: string): boolean => heading === "ID";

/** Takes from the widest of these columns first, one by one, until all fit or none has more than its least. */
const shrunk = (widths: readonly number[], room: number, least: readonly number[]): readonly number[] => {
  const next = [...widths];
  for (let over = next.reduce((sum, width) => sum + width, 0) - room; over > 0; over--) {
    const spare = next.map((width, column) => (width > (least[column] ?? 0) ? width : 0));
    const widest = Math.max(...spare);
    if (widest === 0) break;
    next[spare.indexOf(widest)] = widest - 1;
  }
  return next;
};

/** The widths of columns that together take at most `columns`, as far as that goes. */
const fitted = (headings: readonly string[], natural: readonly number[], columns: number): readonly number[] => {
  const room = columns - GAP * (headings.length - 1);
  const readable = natural.map((width, column) => {
    const heading = headings[column] ?? "";
    return isName(heading) ? width : Math.min(width, Math.max(READABLE, Bun.stringWidth(heading)));
  });
  const least = natural.map((width) => Math.min(width, LEAST));
  return shrunk(shrunk(natural, room, readable), room, least);
};

const GOOD = new Set(["active", "allow", "answered", "approved", "done", "live", "ok"]);
const BAD = new Set([
  ...["block", "blocked_input", "blocked_output", "error", "failed", "failing", "refused", "upstream_error"],
  ...["disabled", "revoked", "suspended", "switched off", "unauthorized", "unreachable"],
]);

const coloured = (cell: string, text: string, paint: Paint): string => {
  if (GOOD.has(cell)) return paint.good(text);
  return BAD.has(cell) ? paint.bad(text) : text;
};

/** Columns as wide as their widest cell so far, two spaces apart; on a terminal cut to its width. */
export class Table {
  #natural: readonly number[];

  constructor(
    private readonly headings: readonly string[],
    private readonly surface: Surface,
    /** What columns have at least, for rows that come bit by bit. */
    least: readonly number[] = [],
  ) {
    this.#natural = headings.map((heading, column) => Math.max(Bun.stringWidth(heading), least[column] ?? 0));
  }

  head(): string {
    return this.#line(this.headings, (_, text) => this.surface.paint.strong(text));
  }

  lines(rows: readonly (readonly string[])[]): string[] {
    const safe = rows.map((row) => row.map(plain));
    this.#natural = this.#natural.map((width, column) =>
      safe.reduce((most, row) => Math.max(most, Bun.stringWidth(row[column] ?? "")), width),
    );
    return safe.map((row) => this.#line(row, (cell, text) => coloured(cell, text, this.surface.paint)));
  }

  /** Whether an id had to be cut. */
  get cutsNames(): boolean {
    const widths = this.#widths();
    return this.headings.some(
      (heading, column) => isName(heading) && (widths[column] ?? 0) < (this.#natural[column] ?? 0),
    );
  }

  #widths(): readonly number[] {
    const { columns } = this.surface;
    return columns === null ? this.#natural : fitted(this.headings, this.#natural, columns);
  }

  #line(cells: readonly string[], colour: (cell: string, text: string) => string): string {
    const widths = this.#widths();
    const last = cells.findLastIndex((cell) => cell !== "");
    const shown = cells.slice(0, last + 1).map((cell, column) => {
      const width = widths[column] ?? 0;
      const text = cutTo(cell, width);
      return colour(cell, text) + (column === last ? "" : " ".repeat(Math.max(0, width - Bun.stringWidth(text))));
    });
    return shown.join(" ".repeat(GAP));
  }
}

/** A whole table. */
export const tableText = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  surface: Surface,
): string => {
  const table = new Table(headings, surface);
  const lines = table.lines(rows);
  const note = "Ids are cut to the width of the terminal; a pipe and --json have them whole.";
  return [
    table.head(),
    ...lines,
    ...(table.cutsNames ? [surface.paint.dim(cutTo(note, surface.columns ?? note.length))] : []),
  ].join("\n");
};
