import type { Certificate } from "#test/support/certificate";
import { attributesOf, type Fields, fieldsAt, LOGS, listAt, readJson, readProtobuf, TRACES } from "./strict-otlp";

export type Signal = "traces" | "logs";

export type Received = {
  readonly signal: Signal;
  readonly path: string;
  readonly headers: Headers;
  readonly message: Fields;
  /** As it came, unpacked: to look for what must not be in it. */
  readonly text: string;
  readonly status: number;
};

/** What a collector answers with; an empty 200 unless said. */
export type Answer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Answers when it resolves. */
  readonly after?: Promise<unknown>;
};

/** A collector on real HTTP that takes nothing but what the published schema has, and answers as it is told to. */
export class Collector implements AsyncDisposable {
  readonly received: Received[] = [];
  /** What was wrong with requests that it did not take. */
  readonly faults: string[] = [];
  private readonly answers: Answer[] = [];
  private readonly waiting = new Set<() => void>();
  private readonly server: Bun.Server<undefined>;

  /** `hubs`: certificates of the hubs that it takes exports from; it takes them of all unless said. */
  constructor(private readonly tls: { readonly own: Certificate; readonly hubs?: string } | null = null) {
    const clients = tls?.hubs === undefined ? {} : { ca: tls.hubs, requestCert: true, rejectUnauthorized: true };
    this.server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      ...(tls && { tls: { ...tls.own, ...clients } }),
      fetch: (request) => this.answer(request),
    });
  }

  get url(): string {
    return this.tls === null ? `http://127.0.0.1:${this.server.port}` : `https://localhost:${this.server.port}`;
  }

  /** What the next requests are answered with, in order. */
  script(...answers: readonly Answer[]): void {
    this.answers.push(...answers);
  }

  /** Resolves with what it gives once it gives something. */
  async until<T>(look: () => T | null | undefined | false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const again = () => {
      const found = look();
      if (found) resolve(found);
    };
    this.waiting.add(again);
    const patience = setTimeout(() => {
      const came = this.received.map(({ signal, text }) => `${signal}: ${text.slice(0, 2_000)}`).join("\n");
      reject(new Error(`it never came; faults: ${this.faults.join("; ")}; received:\n${came}`));
    }, 30_000);
    try {
      again();
      return await promise;
    } finally {
      clearTimeout(patience);
      this.waiting.delete(again);
    }
  }

  /** Spans or log records that were taken, the oldest request first. */
  items(signal: Signal): Fields[] {
    return this.received.filter((one) => one.signal === signal && one.status === 200).flatMap(itemsOf);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const next = this.answers.shift() ?? {};
    const { status = 200, headers = {}, body = "", after } = next;
    try {
      this.received.push({ ...(await readRequest(request)), status });
    } catch (error) {
      this.faults.push(String(error));
      return new Response(null, { status: 400 });
    } finally {
      for (const look of [...this.waiting]) look();
    }
    await after;
    return new Response(body, { status, headers });
  }
}

const itemsOf = ({ signal, message }: Received): Fields[] => {
  const [resources, scopes, items] =
    signal === "traces" ? ["resourceSpans", "scopeSpans", "spans"] : ["resourceLogs", "scopeLogs", "logRecords"];
  return listAt(message, resources)
    .flatMap((resource) => listAt(resource, scopes))
    .flatMap((scope) => listAt(scope, items));
};

/** Attributes of the resource of a request. */
export const resourceOf = ({ signal, message }: Received) => {
  const [first] = listAt(message, signal === "traces" ? "resourceSpans" : "resourceLogs");
  return first === undefined ? {} : attributesOf(fieldsAt(first, "resource"));
};

const readRequest = async (request: Request): Promise<Omit<Received, "status">> => {
  const { headers, method } = request;
  const path = new URL(request.url).pathname;
  const signal = path.endsWith("traces") ? "traces" : path.endsWith("logs") ? "logs" : null;
  if (method !== "POST" || signal === null) throw new Error(`${method} ${path}`);
  const sent = new Uint8Array(await request.arrayBuffer());
  const body = headers.get("content-encoding") === "gzip" ? Bun.gunzipSync(sent) : sent;
  const name = signal === "traces" ? TRACES : LOGS;
  const text = Buffer.from(body).toString("latin1");
  const type = headers.get("content-type");
  if (type === "application/x-protobuf") return { signal, path, headers, text, message: readProtobuf(name, body) };
  if (type === "application/json")
    return { signal, path, headers, text, message: readJson(name, JSON.parse(new TextDecoder().decode(body))) };
  throw new Error(`content-type ${type}`);
};
