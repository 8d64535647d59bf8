import { textWithin } from "./answer-limit";
import type { AnswerReader } from "./port";

/** One request, as it goes over the wire. */
export type TransportRequest = {
  readonly method: "GET" | "POST" | "DELETE" | "HEAD";
  readonly url: string;
  /** Not to be changed once given: what is made of them may be kept. */
  readonly headers: Headers;
  /** Null for none. */
  readonly body: string | null;
  readonly signal: AbortSignal;
};

/** An answer whose head is there. One of `text`, `stream` and `discard` must be called, and once. */
export type TransportAnswer = {
  readonly status: number;
  /** By its name in lower case. */
  header(name: string): string | null;
  /** The whole body. Throws `AnswerTooLarge`, and what the connection throws. */
  text(maxBytes: number): Promise<string>;
  /** The body as it comes, unpacked; null where there is none. */
  stream(): AnswerReader | null;
  /** Nobody wants the body. */
  discard(): void;
};

/** Sends a request and waits for the head of its answer. Follows no redirects. Throws what the connection throws. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** Over `fetch`, or what checks addresses before it. */
export const fetchTransport =
  (fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>): Transport =>
  async ({ url, method, headers, body, signal }) => {
    const fields: BunFetchRequestInit = { method, headers, signal, redirect: "manual" };
    if (body !== null) fields.body = body;
    return new FetchAnswer(await fetch(url, fields));
  };

export class FetchAnswer implements TransportAnswer {
  constructor(private readonly response: Response) {}

  get status(): number {
    return this.response.status;
  }

  header(name: string): string | null {
    return this.response.headers.get(name);
  }

  text(maxBytes: number): Promise<string> {
    return textWithin(this.response, maxBytes);
  }

  stream(): AnswerReader | null {
    return this.response.body?.getReader() ?? null;
  }

  discard(): void {
    // A body that broke has nothing left to give up.
    this.response.body?.cancel().catch(() => undefined);
  }
}
