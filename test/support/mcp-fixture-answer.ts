/** A JSON-RPC error as a tool or a wire throws it. */
export class RpcFault extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    /** The HTTP status of the 2026 wire; the 2025 wire answers errors with 200. */
    readonly status = 400,
  ) {
    super(message);
  }
}

export const frame = (message: unknown): Uint8Array =>
  Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);

export const eventStream = (body: ReadableStream<Uint8Array>): Response =>
  new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });

/** A stream and what writes to it. Its head leaves at once: Bun waits for the first bytes otherwise. */
export const openStream = (onLeave: () => void) => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const readable = new ReadableStream<Uint8Array>({
    start: (started) => {
      controller = started;
      started.enqueue(Buffer.from(": open\n\n"));
    },
    cancel: onLeave,
  });
  if (controller === undefined) throw new Error("the stream did not start");
  return { readable, controller };
};

/**
 * The answer to one POST: plain JSON, unless something has to be said before its end. Then it is an event stream.
 * `gone` aborts when the client leaves before the end.
 */
export class Answer {
  readonly #head = Promise.withResolvers<Response>();
  readonly #gone = new AbortController();
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isOver = false;

  constructor(request: Request) {
    request.signal.addEventListener("abort", () => this.#leave());
  }

  get response(): Promise<Response> {
    return this.#head.promise;
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Says something before the end: opens the stream. */
  say(message: unknown): void {
    if (!this.#isOver) this.#open().enqueue(frame(message));
  }

  end(message: unknown, status = 200): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#stream === undefined) this.#head.resolve(Response.json(message, { status }));
    this.#stream?.enqueue(frame(message));
    this.#stream?.close();
  }

  /** Answers with something that is no message at all. */
  with(response: Response): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#head.resolve(response);
  }

  /** Begins to answer and breaks the connection. */
  cut(): void {
    if (this.#isOver) return;
    const stream = this.#open();
    this.#isOver = true;
    // Without a reason: Bun prints one.
    stream.error();
  }

  /** Opens the stream without saying anything yet. */
  open(): void {
    this.#open();
  }

  #open(): ReadableStreamDefaultController<Uint8Array> {
    if (this.#stream !== undefined) return this.#stream;
    const { readable, controller } = openStream(() => this.#leave());
    this.#stream = controller;
    this.#head.resolve(eventStream(readable));
    return controller;
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gone.abort();
  }
}
