import { SSE_KEEP_ALIVE, sseData } from "#core/sse";
import type { OpenCalls, Ticking } from "#guard/open-calls";
import type { ToolExchange } from "./exchange";

/** Proxies give up on connections that are silent for longer. Milliseconds. */
const KEEP_ALIVE_MS = 15_000;
/** What may wait for a client that does not read. Bytes. */
const MAX_WAITING = 262_144;

const ENCODER = new TextEncoder();

type Options = {
  readonly openCalls: OpenCalls;
  readonly onGone?: () => void;
  readonly onTick?: () => void;
  /** The hub is stopping and waits no longer. */
  readonly onCutOff?: () => void;
};

/** Server-sent events as they come up. Ends exactly once; what is sent after that is dropped. */
export class EventStream implements UnderlyingDefaultSource<Uint8Array>, Ticking {
  private controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  private lastOut = performance.now();
  private isOver = false;

  constructor(private readonly options: Options) {
    options.openCalls.join(this);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    // It may have ended before it was answered with.
    if (this.isOver) controller.close();
    else this.controller = controller;
  }

  /** The answer that carries it. */
  response(exchange: ToolExchange): Response {
    const headers = {
      ...exchange.headers,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-store",
      // Proxies that buffer would turn the stream into one late lump.
      "x-accel-buffering": "no",
    };
    const waiting = new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING });
    return new Response(new ReadableStream<Uint8Array>(this, waiting), { headers });
  }

  /** A sign of life: the head of the answer leaves with the first bytes. */
  begin(): void {
    this.write(SSE_KEEP_ALIVE);
  }

  /** One JSON message. */
  send(message: string): void {
    this.write(sseData(message));
  }

  /** As `send`, unless so much is waiting already that the client is not reading: news is worth no memory. */
  sendNews(message: string): void {
    if ((this.controller?.desiredSize ?? 0) > 0) this.send(message);
  }

  end(): void {
    const { controller } = this;
    this.leave();
    controller?.close();
  }

  cancel(): void {
    this.leave();
    this.options.onGone?.();
  }

  tick(now: number): void {
    this.options.onTick?.();
    if (now - this.lastOut >= KEEP_ALIVE_MS && (this.controller?.desiredSize ?? 0) > 0) this.write(SSE_KEEP_ALIVE);
  }

  cutOff(): void {
    this.options.onCutOff?.();
  }

  private write(text: string): void {
    this.lastOut = performance.now();
    this.controller?.enqueue(ENCODER.encode(text));
  }

  private leave(): void {
    this.isOver = true;
    this.controller = null;
    this.options.openCalls.leave(this);
  }
}
