import { parseExactInTurns } from "#core/json/json-reader";
import { jsonText } from "#core/json/json-writer";
import { slices } from "#platform/slices";
import { ToolFailure } from "#upstream/tool-port";
import { type Outgoing, type PeerChannel, RpcPeer } from "./peer.ts";
import { PeerSession } from "./peer-session.ts";
import { type PeerConnection, PeerUpstream } from "./peer-upstream.ts";
import { sseEvents } from "./sse-events.ts";
import { ask, type SseOptions } from "./sse-requests.ts";

export type { SseOptions } from "./sse-requests.ts";

/** A server of the first revision (2024-11-05): it speaks over an event stream and is posted to. */
export class SseUpstream extends PeerUpstream {
  constructor(private readonly options: SseOptions) {
    super(options.slug);
  }

  protected async open(closing: AbortSignal): Promise<PeerConnection> {
    const { slug, limits } = this.options;
    const channel = new SseChannel(this.options);
    const late = `${slug} did not answer the handshake within ${limits.handshakeMs} ms.`;
    const deadline = setTimeout(() => channel.fail(new ToolFailure("timeout", late, false)), limits.handshakeMs);
    const leave = () => channel.fail(closed(slug));
    closing.addEventListener("abort", leave, { once: true });
    if (closing.aborted) leave();
    try {
      await channel.connect();
      const session = await PeerSession.begin(channel.peer, this.options);
      return {
        session,
        get isOpen() {
          return channel.peer.isOpen;
        },
        close: async () => channel.fail(closed(slug)),
      };
    } catch (error) {
      channel.fail(error instanceof ToolFailure ? error : closed(slug));
      // What ended the channel says more than what broke by its end.
      throw channel.failure ?? error;
    } finally {
      clearTimeout(deadline);
      closing.removeEventListener("abort", leave);
    }
  }
}

const closed = (slug: string): ToolFailure =>
  new ToolFailure("unreachable", `The connection to ${slug} was closed.`, true);

/** The event stream, and the address it names for what is sent the other way. */
class SseChannel implements PeerChannel {
  readonly peer: RpcPeer;
  failure: ToolFailure | null = null;
  private endpoint: string | null = null;
  private readonly ended = new AbortController();

  constructor(private readonly options: SseOptions) {
    this.peer = new RpcPeer(options.slug, this);
  }

  /** Resolves when the server has said where it wants to be posted to. */
  async connect(): Promise<void> {
    const { url, slug } = this.options;
    const headers = { accept: "text/event-stream" };
    const response = await ask(this.options, url, { method: "GET", headers, signal: this.ended.signal });
    const isStream = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
    if (response.status !== 200 || !isStream || !response.body) {
      await response.body?.cancel();
      throw response.status === 200
        ? new ToolFailure("garbage", `${slug} answered with what is no event stream.`, false)
        : refusal(slug, response.status);
    }
    if (this.failure) throw this.failure;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ended.signal.addEventListener("abort", () => reject(this.failure), { once: true });
    void this.read(response.body, resolve);
    await promise;
  }

  async send({ nextMessage, refused, over }: Outgoing): Promise<void> {
    const { limits, slug } = this.options;
    const signal = AbortSignal.any([this.ended.signal, over ?? AbortSignal.timeout(limits.connectMs)]);
    const message = nextMessage();
    if (message === null || this.endpoint === null) return;
    const response = await ask(this.options, this.endpoint, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: await jsonText(message, () => slices.turn()),
      signal,
    });
    // The answer comes on the stream; here comes only whether the message arrived.
    await response.body?.cancel();
    const { status } = response;
    if (status >= 200 && status < 300) return;
    if (status < 500) refused();
    // It knows this conversation no more: the next use begins another.
    if (FORGOTTEN.has(status)) this.fail(new ToolFailure("unreachable", `${slug} ended the conversation.`, true));
    throw refusal(slug, status);
  }

  /** The first failure counts. */
  fail(failure: ToolFailure): void {
    if (this.failure) return;
    this.failure = failure;
    this.peer.close(failure);
    this.ended.abort();
  }

  private async read(body: ReadableStream<Uint8Array>, ready: () => void): Promise<void> {
    const { slug, limits } = this.options;
    try {
      for await (const { name, data } of sseEvents(body, slug, limits.resultBytes)) {
        if (name === "message") this.peer.receive(await parseExactInTurns(data, () => slices.turn()), data.length);
        if (name !== "endpoint" || this.endpoint !== null) continue;
        this.endpoint = endpointOf(this.options, data);
        ready();
      }
      this.fail(new ToolFailure("unreachable", `${slug} ended its event stream.`, true));
    } catch (error) {
      const broken = () => new ToolFailure("unreachable", `The event stream of ${slug} broke off.`, true, error);
      this.fail(error instanceof ToolFailure ? error : broken());
    }
  }
}

/** How servers answer a message to a conversation they do not know. */
const FORGOTTEN: ReadonlySet<number> = new Set([400, 404, 410]);

/** 408, 429 and 5xx tell of a server in trouble, all else of one that speaks otherwise. */
const refusal = (slug: string, status: number): ToolFailure => {
  const inTrouble = status >= 500 || status === 408 || status === 429;
  return new ToolFailure(
    inTrouble ? "unreachable" : "garbage",
    `${slug} answered with status ${status}.`,
    status >= 500,
  );
};

/** Elsewhere it would be given our credentials, and reach what the server itself cannot. */
const endpointOf = ({ url, slug }: SseOptions, data: string): string => {
  const endpoint = URL.canParse(data, url) ? new URL(data, url) : null;
  if (!endpoint) throw new ToolFailure("garbage", `${slug} named no address to send to.`, false);
  if (endpoint.origin !== new URL(url).origin) {
    throw new ToolFailure("forbidden_address", `${slug} wants to be sent to at another origin.`, false);
  }
  return endpoint.href;
};
