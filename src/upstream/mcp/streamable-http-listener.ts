import { announcedChanges, changeFilter } from "#model/tools/mcp";
import { discard, endless, isEventStream } from "./http-body.ts";
import type { HttpClient } from "./http-client.ts";
import type { Deadlines } from "./http-deadline.ts";
import { type AsideListener, type Link, requestHeaders } from "./streamable-http-link.ts";
import { isAnswerTo, MessageStream } from "./streamable-http-messages.ts";

/** Streams that end sooner count as failed, and after so many of them in a row nobody listens any more. */
const SHORT_MS = 30_000;
const MAX_FAILURES = 3;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

const LISTEN_ID = "listen";

/** The longest delay timers take: a stream of changes may be silent for as long as it likes. */
const FOREVER_MS = 2 ** 31 - 1;

type ChangeListenerNeeds = {
  readonly http: HttpClient;
  readonly slug: string;
  readonly deadlines: Deadlines;
  readonly aside: AsideListener;
  readonly now: () => number;
};

/**
 * Listens for what a server says of itself, above all that its tools have changed: by GET where there was a
 * handshake, by `subscriptions/listen` since 2026-07-28. A server that has no such stream is left in peace.
 */
export class ChangeListener {
  private readonly stopping = new AbortController();
  private readonly stream: MessageStream;
  private readonly begun = Promise.withResolvers<void>();

  constructor(
    private readonly deps: ChangeListenerNeeds,
    private readonly link: Link,
  ) {
    this.stream = new MessageStream(endless(deps.slug));
  }

  /** Resolves when the server has answered for the first time, with a stream or without: then it has somebody to talk to. */
  get answered(): Promise<void> {
    return this.begun.promise;
  }

  /** Ends when the server has no such stream, keeps failing, or `stop` is called. Never throws. */
  async listen(): Promise<void> {
    const { now } = this.deps;
    for (let failures = 0; ; ) {
      const begun = now();
      const isOffered = await this.once();
      if (!isOffered || this.stopping.signal.aborted) return;
      failures = now() - begun < SHORT_MS ? failures + 1 : 0;
      if (failures === MAX_FAILURES) return;
      const wait = Math.max(this.stream.retryMs ?? 0, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
      await this.pause(Math.min(wait, MAX_WAIT_MS));
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  /** One stream, to its end. False when there is no use in another. */
  private async once(): Promise<boolean> {
    const { deadlines, http } = this.deps;
    const deadline = deadlines.begin(FOREVER_MS, this.stopping.signal);
    try {
      const response = await http.send({ ...this.request(), signal: deadline.signal });
      this.begun.resolve();
      if (response.status === 200 && isEventStream(response)) {
        await this.read(response);
        return true;
      }
      discard(response);
      return response.status >= 500;
    } catch {
      // Lists are fetched again from time to time anyway: without news they only change later.
      return deadline.ending === null;
    } finally {
      this.begun.resolve();
      deadlines.finish(deadline);
    }
  }

  private request() {
    const { link } = this;
    if (link.era === "modern") {
      const notifications = changeFilter(announcedChanges(link.capabilities));
      const params = { notifications, _meta: link.envelope };
      const body = JSON.stringify({ jsonrpc: "2.0", id: LISTEN_ID, method: "subscriptions/listen", params });
      return { method: "POST", headers: requestHeaders(link, "subscriptions/listen", null, {}), body } as const;
    }
    const { lastId } = this.stream;
    const place = lastId === null ? {} : { "last-event-id": lastId };
    return { method: "GET", headers: { ...link.headers, accept: "text/event-stream", ...place }, body: null } as const;
  }

  private async read({ body }: Response): Promise<void> {
    for await (const message of this.stream.messages(body)) {
      // Answered, a subscription is over.
      if (isAnswerTo(message, LISTEN_ID)) return;
      this.deps.aside(message, this.link);
    }
  }

  private pause(ms: number): Promise<void> {
    const { signal } = this.stopping;
    return new Promise((resolve) => {
      const over = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      timer.unref();
      if (signal.aborted) over();
      else signal.addEventListener("abort", over, { once: true });
    });
  }
}
