import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { begunFor } from "#test/support/begun";
import { executable, inProcess, type Program, type Result } from "#test/support/program";

export type { Result };

export type RunOptions = {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** False leaves `--data-dir` out. */
  readonly data?: boolean;
};

/** The command line in an empty directory with a clean environment. Remembers everything it ever printed. */
export class Workbench implements AsyncDisposable {
  readonly dataDir: string;
  readonly #printed: string[] = [];
  #files = 0;

  private constructor(
    readonly home: string,
    private readonly program: Program,
  ) {
    this.dataDir = join(home, "data");
  }

  /** Its commands run inside the test, unless they are to be processes of their own. */
  static async create({ ownProcess = process.env["GUARDHOUSE_BIN"] !== undefined } = {}): Promise<Workbench> {
    const home = await mkdtemp(join(tmpdir(), "guardhouse-cli-"));
    await mkdir(join(home, "empty"));
    return new Workbench(home, ownProcess ? executable : inProcess);
  }

  async run(args: readonly string[], { stdin = "", env = {}, data = true }: RunOptions = {}): Promise<Result> {
    if (data) await begunFor(args, this.dataDir);
    const result = await this.program.run([...args, ...(data ? ["--data-dir", this.dataDir] : [])], {
      cwd: join(this.home, "empty"),
      env: { PATH: process.env["PATH"] ?? "", HOME: this.home, ...env },
      stdin,
    });
    this.#printed.push(result.stdout, result.stderr);
    return result;
  }

  /** Runs with `--json`; fails unless it ended well with exactly one JSON value. */
  async json(...args: readonly string[]): Promise<Fields> {
    return this.jsonWith({}, ...args);
  }

  async jsonWith(options: RunOptions, ...args: readonly string[]): Promise<Fields> {
    const { code, stdout, stderr } = await this.run([...args, "--json"], options);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
    return fieldsOf(JSON.parse(stdout));
  }

  async list(...args: readonly string[]): Promise<Fields[]> {
    const { stdout, stderr } = await this.run([...args, "--json"]);
    const rows: unknown = JSON.parse(stdout || "null");
    if (!Array.isArray(rows)) throw new Error(`${args.join(" ")} gave no list: ${stderr}`);
    return rows.map(fieldsOf);
  }

  async file(text: string): Promise<string> {
    this.#files += 1;
    const path = join(this.home, `file-${this.#files}`);
    await Bun.write(path, text, { mode: 0o600 });
    return path;
  }

  /** How often a text was ever printed. */
  timesPrinted(text: string): number {
    return this.#printed.reduce((sum, output) => sum + output.split(text).length - 1, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }
}

export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fieldsOf = (value: unknown): Fields => {
  if (!isFields(value)) throw new Error(`no JSON object: ${JSON.stringify(value)}`);
  return value;
};

/** A field that must be a text. */
export const text = (fields: Fields, name: string): string => {
  const value = fields[name];
  if (typeof value !== "string") throw new Error(`no text in "${name}": ${JSON.stringify(fields)}`);
  return value;
};
