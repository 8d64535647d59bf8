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
    readonly colour: boolean,
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
