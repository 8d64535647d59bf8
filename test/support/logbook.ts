/** One log line: a JSON object, or `{ text }` for a line that is none. */
export type LogLine = Readonly<Record<string, unknown>>;

/** Reads a process's outputs as they come: JSON lines from stdout, plain text from stderr. */
export class Logbook {
  readonly #lines: LogLine[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #stdout: Promise<void>;
  readonly #stderr: Promise<void>;
  #errors = "";

  constructor(stdout?: ReadableStream<Uint8Array>, stderr?: ReadableStream<Uint8Array>) {
    this.#stdout = stdout === undefined ? Promise.resolve() : this.#read(stdout);
    this.#stderr = stderr === undefined ? Promise.resolve() : this.#readErrors(stderr);
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  /** What came on stderr so far. */
  get errors(): string {
    return this.#errors;
  }

  /** The first line, come or yet to come, that satisfies the question. */
  async line(wanted: (line: LogLine) => boolean, withinMs: number): Promise<LogLine> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const found = this.#lines.find(wanted);
      if (found !== undefined) return found;
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`no such log line within ${withinMs} ms`);
      await this.#more(left);
    }
  }

  /** Everything written, once the process has ended. */
  async text(): Promise<string> {
    await Promise.all([this.#stdout, this.#stderr]);
    return [...this.#lines.map((line) => JSON.stringify(line)), this.#errors].join("\n");
  }

  async #more(withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }

  async #readErrors(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) this.#errors += decoder.decode(bytes, { stream: true });
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of stream) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      this.#lines.push(...lines.filter((line) => line !== "").map(parse));
      for (const wake of this.#waiting) wake();
    }
    if (rest !== "") this.#lines.push(parse(rest));
  }
}

function parse(line: string): LogLine {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // Not JSON: a crash report, or a line of the runtime. Kept as it is.
  }
  return { text: line };
}

function isObject(value: unknown): value is LogLine {
  return typeof value === "object" && value !== null;
}
