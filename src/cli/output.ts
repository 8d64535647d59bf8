import type { PageWindow } from "#core/page";

/** Writes text; resolves when the reader accepts more. */
export type Write = (text: string) => Promise<void>;

/**
 * Where a command answers. With `--json` stdout holds exactly one JSON value; messages always go to stderr.
 */
export class CliOutput {
  constructor(
    readonly json: boolean,
    private readonly stdout: Write,
    private readonly stderr: Write,
    /** Whether a person reads stdout in a terminal that shows colours. */
    readonly colour: () => boolean,
  ) {}

  /** The one result: `value` for scripts, `human` for people. */
  async result(value: unknown, human: string): Promise<void> {
    await this.stdout(this.json ? `${JSON.stringify(value)}\n` : withNewline(human));
  }

  /** For verbs whose output is a document or a stream of its own. */
  async write(text: string): Promise<void> {
    await this.stdout(text);
  }

  async note(text: string): Promise<void> {
    await this.stderr(withNewline(text));
  }
}

const withNewline = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** Text from elsewhere, made safe for a terminal (stops escape sequences in names from doing anything). */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "�");

/** Columns as wide as their widest cell, two spaces apart. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [headings, ...rows.map((row) => row.map(plain))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))));
  const pad = (cell: string, column: number): string =>
    cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(cell)));
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
};

/** Names and values of one thing, a line each. */
export const card = (fields: Readonly<Record<string, string | null>>): string => {
  const shown = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}`).join("\n");
};

/** Of a page at most, as over HTTP. */
const PAGE = 200;

/** All of a list, for a command that prints it: page after page, as everybody reads it. */
export const allPages = async <T extends { readonly id: string }>(
  read: (window: PageWindow) => Promise<readonly T[]>,
): Promise<T[]> => {
  const all: T[] = [];
  for (;;) {
    const page = await read({ after: all.at(-1)?.id ?? null, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
};

/** Colours for a terminal; for everything else the text as it is. */
export type Paint = {
  readonly strong: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly accent: (text: string) => string;
};

const wrap = (code: number, end: number) => (text: string) => `\u001b[${code}m${text}\u001b[${end}m`;
const asIs = (text: string): string => text;

export const paintFor = (colour: boolean): Paint =>
  colour
    ? { strong: wrap(1, 22), dim: wrap(2, 22), good: wrap(32, 39), bad: wrap(31, 39), accent: wrap(36, 39) }
    : { strong: asIs, dim: asIs, good: asIs, bad: asIs, accent: asIs };
