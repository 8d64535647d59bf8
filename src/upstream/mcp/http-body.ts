import { type SseEvent, SseSplitter } from "#core/sse";
import { ToolFailure } from "#upstream/tool-port";

/** After the answer a stream should end. One that has not after so many milliseconds is closed. */
const DRAIN_MS = 1_000;

/** How many bytes an answer may still have, over all the bodies it comes in. */
export class ByteBudget {
  constructor(
    private left: number,
    private readonly slug: string,
  ) {}

  /** Throws `ToolFailure` `too_large`. */
  spend(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw this.exceeded();
  }

  has(bytes: number): boolean {
    return bytes >= 0 && bytes <= this.left;
  }

  exceeded(): ToolFailure {
    return new ToolFailure("too_large", `${this.slug} sent an answer larger than allowed.`, true);
  }
}

/** A body nobody reads. */
export const discard = (response: Response): void => {
  // A body that already broke has nothing left to give up.
  if (!response.bodyUsed) response.body?.cancel().catch(() => {});
};

/** The most that is read of a refusal's body, in bytes. */
const MAX_REFUSAL_BYTES = 4_096;

/** The beginning of a refusal's body as text, empty where it breaks off; the rest is left unread. */
export const beginningOf = async (response: Response): Promise<string> => {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let read = 0; read < MAX_REFUSAL_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) break;
      read += value.length;
      text += decoder.decode(value.subarray(0, MAX_REFUSAL_BYTES), { stream: true });
    }
  } catch {
    // What broke off says no more; its status is what counts.
    return text;
  } finally {
    giveUp(reader);
  }
  return text;
};

/** The whole body as text, counted while it is read. Throws `ToolFailure`, or what the connection throws. */
export const readText = async (response: Response, budget: ByteBudget): Promise<string> => {
  const { headers } = response;
  // A length that is true of what we get, not of something smaller that unpacks to more.
  const length = headers.has("content-encoding") ? null : headers.get("content-length");
  if (length !== null && budget.has(Number(length))) {
    budget.spend(Number(length));
    return response.text();
  }
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  if (!reader) return "";
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      budget.spend(value.length);
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    giveUp(reader);
    throw error;
  }
};

/** Server-sent events of one body. */
export class SseReader {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private readonly splitter = new SseSplitter();
  private done = false;

  constructor(
    body: ReadableStream<Uint8Array>,
    private readonly budget: ByteBudget,
  ) {
    this.reader = body.getReader();
  }

  /** The next events, perhaps none yet; null at the end. Throws as `readText` does. */
  async next(): Promise<readonly SseEvent[] | null> {
    if (this.done) return null;
    try {
      const { done, value } = await this.reader.read();
      if (done) {
        this.done = true;
        const rest = this.splitter.rest();
        return rest ? [rest] : null;
      }
      this.budget.spend(value.length);
      return this.splitter.push(this.decoder.decode(value, { stream: true }));
    } catch (error) {
      this.done = true;
      giveUp(this.reader);
      if (error instanceof RangeError) throw this.budget.exceeded();
      throw error;
    }
  }

  /** Nothing more is wanted. Waits a moment for the end, because a body read to its end keeps its connection usable. */
  finish(): void {
    if (this.done) return;
    const timer = setTimeout(() => giveUp(this.reader), DRAIN_MS);
    timer.unref();
    const drain = async () => {
      for (let read = 0; !(await this.reader.read()).done; ) {
        read += 1;
        if (read > 10) return giveUp(this.reader);
      }
    };
    const over = () => clearTimeout(timer);
    // The answer is there: how its stream ends concerns nobody.
    drain().then(over, over);
  }
}

const giveUp = (reader: ReadableStreamDefaultReader<Uint8Array>): void => {
  // A stream that broke cannot be cancelled, and need not be.
  reader.cancel().catch(() => {});
};

/** One event alone may not be larger; of the stream as a whole there is no end. */
export const endless = (slug: string): ByteBudget => new ByteBudget(Number.POSITIVE_INFINITY, slug);

export const isEventStream = (response: Response): boolean =>
  (response.headers.get("content-type") ?? "").toLowerCase().startsWith("text/event-stream");
