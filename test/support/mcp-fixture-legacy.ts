import { isRecord, type JsonRecord } from "#core/json/json";
import { type Answer, eventStream, frame, openStream, RpcFault } from "./mcp-fixture-answer.ts";
import { failure, type Message, reply, SERVER_INFO, type Shelf } from "./mcp-fixture-shelf.ts";

const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const NEWEST = "2025-11-25";

type Listener = ReadableStreamDefaultController<Uint8Array>;

class Session {
  readonly id = crypto.randomUUID();
  readonly memory = new Map<string, number>();
  readonly listeners = new Set<Listener>();
  /** Calls under way, by the id of their request. */
  readonly running = new Map<Message["id"], AbortController>();
  readonly watched = new Set<unknown>();
  /** Questions to the client that wait for an answer. */
  readonly asked = new Map<string, (answer: JsonRecord) => void>();

  constructor(readonly capabilities: JsonRecord) {}
}

/** The 2025-era wire: sessions that begin with `initialize`, a GET stream for what the server says by itself. */
export class LegacyWire {
  readonly #sessions = new Map<string, Session>();
  #questions = 0;

  constructor(
    private readonly shelf: Shelf,
    private readonly changeTools: () => void,
    private readonly onCancelled: (message: Message) => void,
  ) {}

  get sessions(): number {
    return this.#sessions.size;
  }

  /** From now on every session known today answers 404. */
  dropSessions(): void {
    for (const { listeners } of this.#sessions.values()) for (const listener of listeners) listener.close();
    this.#sessions.clear();
  }

  announce(list: "tools" | "prompts" = "tools"): void {
    const message = frame({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` });
    for (const { listeners } of this.#sessions.values()) for (const listener of listeners) listener.enqueue(message);
  }

  /** Says to who watches it that a resource has changed. */
  updated(uri: string): void {
    const message = frame({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
    for (const { listeners, watched } of this.#sessions.values()) {
      if (watched.has(uri)) for (const listener of listeners) listener.enqueue(message);
    }
  }

  /** URIs that are watched, once for each session. */
  get watched(): readonly unknown[] {
    return [...this.#sessions.values()].flatMap(({ watched }) => [...watched]);
  }

  get listeners(): number {
    return [...this.#sessions.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
  }

  listen(request: Request): Response {
    const session = this.#sessionOf(request);
    if (session === undefined) return new Response("no such session", { status: 404 });
    const { readable, controller } = openStream(() => session.listeners.delete(controller));
    session.listeners.add(controller);
    return eventStream(readable);
  }

  end(request: Request): Response {
    const session = this.#sessionOf(request);
    if (session === undefined) return new Response("no such session", { status: 404 });
    for (const listener of session.listeners) listener.close();
    this.#sessions.delete(session.id);
    return new Response(null, { status: 200 });
  }

  async post(message: Message, request: Request, answer: Answer): Promise<void> {
    if (message.method === "initialize") return this.#begin(message, answer);
    const session = this.#sessionOf(request);
    if (session === undefined) {
      const isNew = request.headers.get("mcp-session-id") === null;
      const fault = new RpcFault(-32001, isNew ? "Session id is missing" : "Session not found");
      return answer.end(failure(message.id, fault), isNew ? 400 : 404);
    }
    if (message.id === undefined || message.method === "") {
      this.#take(message, session);
      return answer.with(new Response(null, { status: 202 }));
    }
    try {
      answer.end(reply(message.id, await this.#result(message, session, answer)));
    } catch (fault) {
      if (!(fault instanceof RpcFault)) throw fault;
      answer.end(failure(message.id, fault));
    }
  }

  #sessionOf(request: Request): Session | undefined {
    return this.#sessions.get(request.headers.get("mcp-session-id") ?? "");
  }

  #begin({ id, params }: Message, answer: Answer): void {
    const { capabilities, protocolVersion } = params;
    const session = new Session(isRecord(capabilities) ? capabilities : {});
    this.#sessions.set(session.id, session);
    const version =
      typeof protocolVersion === "string" && VERSIONS.includes(protocolVersion) ? protocolVersion : NEWEST;
    const result = {
      protocolVersion: version,
      capabilities: { tools: { listChanged: true }, logging: {}, ...this.shelf.capabilities },
      serverInfo: SERVER_INFO,
    };
    answer.with(Response.json(reply(id, result), { headers: { "mcp-session-id": session.id } }));
  }

  /** A notification, or the client's answer to a question. */
  #take(message: Message, session: Session): void {
    const { method, params, body } = message;
    if (method === "notifications/cancelled") {
      const { requestId } = params;
      const id = typeof requestId === "string" || typeof requestId === "number" ? requestId : undefined;
      const running = session.running.get(id);
      if (running === undefined) return;
      running.abort();
      this.onCancelled(message);
    }
    const { id, result, error } = body;
    if (typeof id === "string") session.asked.get(id)?.(isRecord(result) ? result : { error });
  }

  #result(message: Message, session: Session, answer: Answer): JsonRecord | Promise<JsonRecord> {
    const { method, params } = message;
    if (method === "ping" || method === "logging/setLevel") return {};
    if (method === "resources/subscribe") return changed(params, (uri) => session.watched.add(uri));
    if (method === "resources/unsubscribe") return changed(params, (uri) => session.watched.delete(uri));
    if (method === "tools/list") return this.shelf.page(params["cursor"]);
    if (method === "tools/call") return this.#call(message, session, answer);
    const offered = this.shelf.offered(method, params);
    if (offered !== null) return offered;
    throw new RpcFault(-32601, "Method not found");
  }

  async #call({ id, params }: Message, session: Session, answer: Answer): Promise<JsonRecord> {
    const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
    const progressToken = meta["progressToken"];
    const gone = new AbortController();
    session.running.set(id, gone);
    const notify = (method: string, fields: JsonRecord) => answer.say({ jsonrpc: "2.0", method, params: fields });
    try {
      return await this.shelf.run(params["name"], {
        arguments: isRecord(params["arguments"]) ? params["arguments"] : {},
        params,
        era: "2025",
        capabilities: session.capabilities,
        memory: session.memory,
        gone: gone.signal,
        progress: (progress, total, message) => {
          if (progressToken === undefined) return;
          notify("notifications/progress", { progressToken, progress, total, ...(message ? { message } : {}) });
        },
        log: (level, data) => notify("notifications/message", { level, data }),
        notify,
        ask: (method, fields) => this.#ask(session, answer, method, fields),
        changeTools: this.changeTools,
      });
    } finally {
      session.running.delete(id);
    }
  }

  async #ask(session: Session, answer: Answer, method: string, params: JsonRecord): Promise<JsonRecord> {
    const capability = method.split("/")[0] ?? "";
    if (session.capabilities[capability] === undefined) throw new Error(`the client has no ${capability}`);
    this.#questions += 1;
    const id = `question-${this.#questions}`;
    const { promise, resolve } = Promise.withResolvers<JsonRecord>();
    session.asked.set(id, resolve);
    answer.say({ jsonrpc: "2.0", id, method, params });
    return promise;
  }
}

const changed = ({ uri }: JsonRecord, change: (uri: unknown) => unknown): JsonRecord => {
  change(uri);
  return {};
};
