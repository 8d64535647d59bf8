import type { Socket } from "bun";
import type { Endpoint } from "./load-job.ts";
import { markerOf } from "./prose.ts";
import type { Question } from "./question.ts";
import { ResponseReader } from "./response-reader.ts";

/** Every so many answers one is looked at closely. */
const COMPARED = 16;

// No two runs begin with the same texts, and no two requests of one run carry the same.
let requests = Date.now() % 1e9;

/** What becomes of one connection. */
export type Watcher = {
  /** An answer is complete and right. Times in milliseconds; NaN where a whole answer has none. */
  answered(whole: number, firstByte: number, firstText: number): void;
  /** Something is wrong; the connection is not used again. */
  failed(reason: string): void;
};

/** One keep-alive connection to the hub, a relay or the upstream itself: sends a request, checks the answer. */
export class BenchCaller {
  readonly #reader = new ResponseReader();
  readonly #head: string;
  #socket: Socket<BenchCaller> | undefined;
  #marker = "";
  #sentAt = 0;
  #firstByte = Number.NaN;
  #firstText = Number.NaN;
  #waiting = false;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly question: Question,
    private readonly watcher: Watcher,
  ) {
    const { host, pathname } = new URL(endpoint.url);
    const bearer = endpoint.token === "" ? "" : `authorization: Bearer ${endpoint.token}\r\n`;
    const more = Object.entries(endpoint.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#head =
      `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${bearer}${more.join("")}${question.head}` +
      "content-type: application/json\r\ncontent-length: ";
  }

  async connect(): Promise<void> {
    const { hostname, port } = new URL(this.endpoint.url);
    this.#socket = await Bun.connect({ hostname, port: Number(port), socket: HANDLERS, data: this });
  }

  /** Sends the next request. */
  send(): void {
    this.#marker = markerOf(requests);
    requests += 1;
    const body = this.question.body(this.#marker);
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
    const { hasText } = this.question;
    if (hasText === null) return;
    if (Number.isNaN(this.#firstByte)) this.#firstByte = performance.now() - this.#sentAt;
    if (Number.isNaN(this.#firstText) && hasText(this.#reader.body)) {
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
    return this.question.wrong(this.#marker, body, requests % COMPARED === 0);
  }
}

const HANDLERS = {
  data: ({ data: caller }: Socket<BenchCaller>, bytes: Buffer) => caller.take(bytes),
  close: ({ data: caller }: Socket<BenchCaller>) => caller.fail("connection closed before the answer was complete"),
  error: ({ data: caller }: Socket<BenchCaller>, fault: Error) => caller.fail(fault.message),
};
