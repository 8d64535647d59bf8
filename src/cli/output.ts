import type { PageWindow } from "#core/page";
import { type Paint, paintFor } from "./paint";
import { Progress } from "./progress";
import { plain, type Surface, Table, tableText } from "./table";
import type { Write } from "./write";

/** Who reads what a command writes. */
export type Reader = {
  /** Of the terminal that stdout is; null where it is none. */
  readonly columns: () => number | null;
  /** Whether a person reads stdout in a terminal that shows colours. */
  readonly colour: () => boolean;
  /** Whether a person reads stderr in a terminal. */
  readonly readsErrors: () => boolean;
};

/**
 * Where a command answers. With `--json` stdout holds exactly one JSON value; messages always go to stderr.
 */
export class CliOutput {
  constructor(
    readonly json: boolean,
    private readonly stdout: Write,
    private readonly stderr: Write,
    private readonly reader: Reader,
  ) {}

  get paint(): Paint {
    return paintFor(this.reader.colour());
  }

  private get surface(): Surface {
    return { columns: this.reader.columns(), paint: this.paint };
  }

  /** Cut to the width of a terminal; for everything else whole. */
  table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
    return tableText(headings, rows, this.surface);
  }

  /** One whose rows come bit by bit. */
  tableOf(headings: readonly string[], least: readonly number[]): Table {
    return new Table(headings, this.surface, least);
  }

  /** The one result: `value` for scripts, `human` for people. */
  async result(value: unknown, human: string): Promise<void> {
    await this.stdout(this.json ? `${JSON.stringify(value)}\n` : withNewline(human));
  }

  /** For verbs whose output is a document or a stream of its own. */
  async write(text: string): Promise<void> {
    await this.stdout(text);
  }

  /** Work that may take long; on a terminal stderr says meanwhile how far it is. */
  async during<T>(what: string, work: (count: (done: number) => void) => Promise<T>, unit?: string): Promise<T> {
    return this.reader.readsErrors() ? new Progress(what, this.stderr, unit).during(work) : work(() => {});
  }

  async note(text: string): Promise<void> {
    await this.stderr(withNewline(text));
  }
}

const withNewline = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

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
