/** One log line: a JSON object, or `{ text }` for a line that is none. */
export type LogLine = Readonly<Record<string, unknown>>;

/** What a hub writes, as it comes: JSON lines from stdout, plain text from stderr. */
export class Logbook {
  readonly #lines: LogLine[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #ended = Promise.withResolvers<void>();
  #rest = "";
  #errors = "";

  /** Of a process: reads both outputs to their ends. */
  static of(stdout: ReadableStream<Uint8Array>, stderr: ReadableStream<Uint8Array>): Logbook {
    const logbook = new Logbook();
    void Promise.all([logbook.#read("stdout", stdout), logbook.#read("stderr", stderr)]).then(() => logbook.end());
    return logbook;
  }

  /** Takes in what was written. */
  write(stream: "stdout" | "stderr", text: string): void {
    if (stream === "stdout") this.#takeLines(text);
    else this.#errors += text;
    for (const wake of this.#waiting) wake();
  }

  /** Nothing more will be written. */
  end(): void {
    if (this.#rest !== "") this.#lines.push(parse(this.#rest));
    this.#rest = "";
    this.#ended.resolve();
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
    await this.#ended.promise;
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

  async #read(stream: "stdout" | "stderr", bytes: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of bytes) this.write(stream, decoder.decode(chunk, { stream: true }));
  }

  #takeLines(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    this.#lines.push(...lines.filter((line) => line !== "").map(parse));
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
