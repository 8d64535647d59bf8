import type { Socket } from "bun";
import type { Endpoint } from "./load-job.ts";
import { answerOf, markerOf, promptOf, tokensOf } from "./prose.ts";
import { ResponseReader } from "./response-reader.ts";

const TEXT = /"content":"[^"]/;
/** Every so many streams one is put together again and compared with the text it should carry. */
const COMPARED = 16;
/** What `upstream.ts` streams. */
const TOKENS = 64;

// No two runs begin with the same texts, and no two requests of one run carry the same.
let requests = Date.now() % 1e9;

/** What becomes of one connection. */
export type Watcher = {
  /** An answer is complete and right. Times in milliseconds; NaN where a whole answer has none. */
  answered(whole: number, firstByte: number, firstText: number): void;
  /** Something is wrong; the connection is not used again. */
  failed(reason: string): void;
};

/** What a connection asks for, over and over. */
export type Ask = { readonly endpoint: Endpoint; readonly model: string; readonly stream: boolean };

/** One keep-alive connection to the hub, a relay or the upstream itself: sends a request, checks the answer. */
export class Caller {
  readonly #reader = new ResponseReader();
  readonly #head: string;
  #socket: Socket<Caller> | undefined;
  #marker = "";
  #sentAt = 0;
  #firstByte = Number.NaN;
  #firstText = Number.NaN;
  #waiting = false;

  constructor(
    private readonly ask: Ask,
    private readonly watcher: Watcher,
  ) {
    const { endpoint } = ask;
    const bearer = endpoint.token === "" ? "" : `authorization: Bearer ${endpoint.token}\r\n`;
    this.#head =
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${new URL(endpoint.url).host}\r\n${bearer}` +
      "content-type: application/json\r\ncontent-length: ";
  }

  async connect(): Promise<void> {
    const { hostname, port } = new URL(this.ask.endpoint.url);
    this.#socket = await Bun.connect({ hostname, port: Number(port), socket: HANDLERS, data: this });
  }

  /** Sends the next request. */
  send(): void {
    this.#marker = markerOf(requests);
    requests += 1;
    const { model, stream } = this.ask;
    const body = `{"model":"${model}"${stream ? ',"stream":true' : ""},"messages":[{"role":"user","content":"${promptOf(this.#marker)}"}]}`;
    this.#reader.reset();
    this.#firstByte = Number.NaN;
    this.#firstText = Number.NaN;
    this.#waiting = true;
    this.#sentAt = performance.now();
    const request = `${this.#head}${body.length}\r\n\r\n${body}`;
    if (this.#socket?.write(request) !== request.length) this.fail("request not sent whole");
  }

  /** True once text has come in and the answer is still going on. */
  get streaming(): boolean {
    return this.#waiting && !Number.isNaN(this.#firstText);
  }

  close(): void {
    this.#waiting = false;
    this.#socket?.end();
  }

  fail(reason: string): void {
    if (!this.#waiting) return;
    this.close();
    this.watcher.failed(reason);
  }

  take(bytes: Buffer): void {
    try {
      const progress = this.#reader.push(bytes);
      if (this.#reader.body !== "") this.#clock();
      if (progress === "complete") this.#complete();
    } catch (fault) {
      this.fail(String(fault));
    }
  }

  #clock(): void {
    if (!this.ask.stream) return;
    if (Number.isNaN(this.#firstByte)) this.#firstByte = performance.now() - this.#sentAt;
    if (Number.isNaN(this.#firstText) && TEXT.test(this.#reader.body)) {
      this.#firstText = performance.now() - this.#sentAt;
    }
  }

  #complete(): void {
    const whole = performance.now() - this.#sentAt;
    const wrong = this.#wrong();
    if (wrong === undefined) {
      this.#waiting = false;
      this.watcher.answered(whole, this.#firstByte, this.#firstText);
    } else this.fail(wrong);
  }

  /** What is wrong with the answer, if anything. */
  #wrong(): string | undefined {
    const { status, body } = this.#reader;
    if (status !== 200) return `status ${status}: ${body.slice(0, 200)}`;
    if (!this.ask.stream) return body.includes(answerOf(this.#marker)) ? undefined : "not the answer to this request";
    if (!body.endsWith("data: [DONE]\n\n")) return "stream without [DONE]";
    if (!body.includes('"finish_reason":"stop"')) return "stream without its finish reason";
    if (requests % COMPARED !== 0) return undefined;
    return textOf(body) === tokensOf(this.#marker, TOKENS).join("") ? undefined : "not the text of this request";
  }
}

/** The text of a finished stream of chat completion chunks. */
function textOf(body: string): string {
  const events = body.split("\n\n").filter((event) => event.startsWith("data: {"));
  return events
    .map((event): { choices: { delta: { content?: string } }[] } => JSON.parse(event.slice("data: ".length)))
    .map(({ choices }) => choices[0]?.delta.content ?? "")
    .join("");
}

const HANDLERS = {
  data: ({ data: caller }: Socket<Caller>, bytes: Buffer) => caller.take(bytes),
  close: ({ data: caller }: Socket<Caller>) => caller.fail("connection closed before the answer was complete"),
  error: ({ data: caller }: Socket<Caller>, fault: Error) => caller.fail(fault.message),
};
