import type { Transport } from "#upstream/transport";
import { Connection, type ConnectionOwner, Errand } from "./connection";
import { RequestWriter, type Target, targetOf } from "./request";

export type HttpClientOptions = {
  /** How long a connection waits for its next request; less where the server says so. Milliseconds. */
  readonly idleMs?: number;
  /** Longest silence within a body. Milliseconds. */
  readonly silenceMs?: number;
  /** Connections to one server that wait for a request. */
  readonly maxIdle?: number;
  /** How often connections are looked through for those whose time is up. Milliseconds. */
  readonly sweepMs?: number;
};

const IDLE_MS = 60_000;
/** As long as `fetch` bears it. */
const SILENCE_MS = 300_000;
const MAX_IDLE = 256;
/** A connection is given up so long before the server said it would close it. Milliseconds. */
const MARGIN_MS = 1_000;
/** URLs that are parsed once; a kind of provider has the model's name in them. */
const MAX_TARGETS = 1_000;

const SWEEP_MS = 5_000;

/** One server: its connections that wait for a request, the latest used last. */
type Origin = { readonly idle: Connection[] };
type Place = { readonly target: Target; readonly origin: Origin };

/**
 * HTTP/1.1 over plain TCP, on the thread that asks: `fetch` hands each request to a thread of its own and back.
 * Connections are kept and used again. What RFC 9112 allows is read; what two readers can understand in two ways is
 * refused (docs/decisions/0025).
 */
export class HttpClient {
  private readonly writer = new RequestWriter();
  private readonly origins = new Map<string, Origin>();
  private places = new Map<string, Place>();
  /** All that are open. */
  private readonly connections = new Set<Connection>();
  private timer: ReturnType<typeof setInterval> | null = null;
  private readonly idleMs: number;
  private readonly silenceMs: number;
  private readonly maxIdle: number;
  private readonly sweepMs: number;

  constructor(options: HttpClientOptions = {}) {
    this.idleMs = options.idleMs ?? IDLE_MS;
    this.silenceMs = options.silenceMs ?? SILENCE_MS;
    this.maxIdle = options.maxIdle ?? MAX_IDLE;
    this.sweepMs = options.sweepMs ?? SWEEP_MS;
  }

  /** How many connections are open. */
  get size(): number {
    return this.connections.size;
  }

  /** For plain http URLs only. */
  readonly send: Transport = (request) => {
    const { signal, url } = request;
    if (signal.aborted) return Promise.reject(signal.reason);
    try {
      const place = this.placeOf(url);
      this.writer.check(request);
      const connection = this.idleOf(place.origin);
      const errand = new Errand(request);
      if (connection === null) this.connect(errand, place);
      else connection.send(errand, this.writer.bytesOf(request, place.target));
      return errand.answered.promise;
    } catch (error) {
      return Promise.reject(error);
    }
  };

  /** Closes the connections that wait for a request. */
  close(): void {
    for (const { idle } of this.origins.values()) for (const connection of [...idle]) connection.close();
  }

  private placeOf(url: string): Place {
    const known = this.places.get(url);
    if (known !== undefined) return known;
    const target = targetOf(url);
    const key = `${target.hostname} ${target.port}`;
    const origin = this.origins.get(key) ?? { idle: [] };
    this.origins.set(key, origin);
    if (this.places.size >= MAX_TARGETS) this.places = new Map();
    const place = { target, origin };
    this.places.set(url, place);
    return place;
  }

  private idleOf({ idle }: Origin): Connection | null {
    const now = performance.now();
    for (let latest = idle.at(-1); latest !== undefined; latest = idle.at(-1)) {
      if (now < latest.usableUntil) {
        idle.pop();
        return latest;
      }
      latest.close();
    }
    return null;
  }

  private connect(errand: Errand, place: Place): void {
    const connection = new Connection(this.ownerOf(place));
    const { hostname, port } = place.target;
    const socket: Bun.SocketHandler<Connection> = {
      open: (opened) => {
        this.connections.add(connection);
        this.timer ??= setInterval(() => this.sweep(), this.sweepMs).unref();
        connection.opened(opened);
        if (errand.isGivenUp) connection.close();
        else connection.send(errand, this.writer.bytesOf(errand.request, place.target));
      },
      data: ({ data }, bytes) => data.received(bytes),
      drain: ({ data }) => data.drained(),
      end: ({ data }) => data.ended(null),
      close: ({ data }, error) => data.ended(error ?? null),
      // A fault of ours ends the request that met it, and no other.
      error: ({ data }, error) => data.breakOff(error, "theirs"),
    };
    Promise.try(() => Bun.connect({ hostname, port, data: connection, socket })).catch((error: unknown) => {
      if (!errand.isGivenUp) errand.fail(error);
    });
  }

  private ownerOf(place: Place): ConnectionOwner {
    const { idle } = place.origin;
    return {
      idle: (connection) => {
        const seconds = connection.keptSeconds;
        const kept = seconds === null ? this.idleMs : Math.min(this.idleMs, seconds * 1_000 - MARGIN_MS);
        if (kept <= 0 || idle.length >= this.maxIdle) connection.close();
        else {
          connection.usableUntil = performance.now() + kept;
          idle.push(connection);
        }
      },
      gone: (connection) => {
        this.connections.delete(connection);
        const at = idle.indexOf(connection);
        if (at >= 0) idle.splice(at, 1);
      },
      again: (errand) => {
        errand.connection = null;
        this.connect(errand, place);
      },
    };
  }

  private sweep(): void {
    const now = performance.now();
    for (const connection of this.connections) connection.sweep(now, now - this.silenceMs);
    if (this.connections.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}
