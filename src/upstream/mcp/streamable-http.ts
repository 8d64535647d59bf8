import type { JsonRecord } from "#core/json/json";
import { jsonText } from "#core/json/json-writer";
import type { LogLevel } from "#model/tools/log-level";
import {
  isListChange,
  META,
  NAMED_BY,
  RPC,
  type RpcMessage,
  type RpcMethod,
  type ServerMethod,
} from "#model/tools/mcp";
import type { TraceHeaders } from "#model/trace-context";
import { Cancellation, type CancelSignal } from "#platform/cancellation";
import { slices } from "#platform/slices";
import {
  ToolFailure,
  type ToolListing,
  type ToolUpstream,
  type UpstreamRequest,
  type UpstreamToolAnswer,
  type UpstreamToolCall,
  type UpstreamWatch,
} from "#upstream/tool-port";
import {
  type CallListener,
  hearNotification,
  isOfCaller,
  listenerOf,
  OpenCallListeners,
  pausing,
} from "./call-listener.ts";
import { ByteBudget, discard } from "./http-body.ts";
import { HttpClient, type HttpHeaders } from "./http-client.ts";
import { type Deadline, Deadlines, unlessAborted } from "./http-deadline.ts";
import { failureOf, wasRefused } from "./http-failure.ts";
import { ParamHeaders } from "./http-param-headers.ts";
import type { ToolAuthorization, ToolFetch } from "./port.ts";
import { answerOf } from "./questions.ts";
import { assertTellsOfUpdates, ResourceUpdates, UPDATED } from "./resource-updates.ts";
import { ServerLogLevel } from "./server-log-level.ts";
import { Exchange } from "./streamable-http-exchange.ts";
import type { HandshakeOptions } from "./streamable-http-handshake.ts";
import { type AsideListener, type Link, requestHeaders } from "./streamable-http-link.ts";
import { Links } from "./streamable-http-links.ts";
import { type LinkedAnswer, listTools } from "./streamable-http-list.ts";
import { ResourceStream } from "./streamable-http-resource.ts";
import { runAsTask, runsTasks } from "./tasks.ts";

export type StreamableHttpOptions = HandshakeOptions & {
  readonly fetch: ToolFetch;
  readonly authorization: ToolAuthorization;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** After a refused connection: long enough for a server that is just starting again, short enough for who waits. */
const REFUSED_WAIT_MS = 200;
/** A server that asks more at a time than this is not asking but flooding. */
const MAX_REPLIES = 16;

type Request = {
  readonly method: string;
  /** What it is about, for `Mcp-Name`. */
  readonly name: string | null;
  readonly params: JsonRecord;
  readonly meta: JsonRecord;
  readonly clientCapabilities: JsonRecord | null;
  readonly paramHeaders: (link: Link) => HttpHeaders;
  readonly trace: TraceHeaders | null;
  readonly silenceMs: number;
  readonly signal: CancelSignal;
  readonly budget: () => ByteBudget;
  readonly onProgress: ((params: JsonRecord) => void) | null;
  /** Of a call: who hears what the server says beside. Absent for what is no call. */
  readonly listener?: CallListener;
};

/** One MCP server over Streamable HTTP, of either era. */
export class StreamableHttpUpstream implements ToolUpstream {
  private readonly deadlines = new Deadlines();
  private readonly params = new ParamHeaders();
  private readonly http: HttpClient;
  private readonly exchange: Exchange;
  private readonly links: Links;
  private readonly calls = new OpenCallListeners();
  private readonly updates = new ResourceUpdates();
  private readonly logLevels = new WeakMap<Link, ServerLogLevel>();
  private lastId = 0;
  private replying = 0;

  constructor(private readonly options: StreamableHttpOptions) {
    const { now, slug } = options;
    const aside: AsideListener = (message, link, listener) => this.hear(message, link, listener);
    this.http = new HttpClient(options);
    this.exchange = new Exchange(this.http, slug, aside);
    this.links = new Links({ http: this.http, options, deadlines: this.deadlines, aside, now });
  }

  /** What the server was found to speak; null before it was first reached. */
  get found(): Link | null {
    return this.links.found;
  }

  async list(signal: AbortSignal): Promise<ToolListing> {
    const { limits, slug } = this.options;
    const budget = new ByteBudget(limits.resultBytes, slug);
    const { tools, link } = await listTools(slug, this.params, async (params) => {
      return this.linked({
        method: "tools/list",
        name: null,
        params,
        meta: {},
        clientCapabilities: null,
        paramHeaders: () => ({}),
        trace: null,
        silenceMs: limits.listMs,
        signal,
        budget: () => budget,
        onProgress: null,
      });
    });
    const { instructions, version, capabilities } = link;
    const tasks = runsTasks(capabilities) && { runsTasks: true };
    return { tools, instructions, protocol: version, capabilities, ...tasks };
  }

  async call(call: UpstreamToolCall): Promise<UpstreamToolAnswer> {
    const { slug, events } = this.options;
    const params = { ...call.extra, name: call.name, arguments: call.arguments };
    const answer = await (call.isTask
      ? runAsTask(slug, params, call.signal, (...asked) => this.send(call, ...asked))
      : this.send(call, "tools/call", params, null));
    // The tool wants other headers than its approved schema says: then its definition has changed.
    if (answer.kind === "error" && answer.code === RPC.headerMismatch) events.onListChanged();
    return answer;
  }

  private send(
    call: UpstreamToolCall,
    method: RpcMethod,
    params: JsonRecord,
    silenceMs: number | null,
  ): Promise<UpstreamToolAnswer> {
    const { limits, slug } = this.options;
    return this.request({
      method,
      name: call.name,
      params,
      meta: call.meta,
      clientCapabilities: call.clientCapabilities,
      paramHeaders: () => this.params.of(call.inputSchema, call.arguments),
      trace: call.trace ?? null,
      silenceMs: silenceMs ?? call.silenceMs,
      // What is told of a call that was cancelled goes out all the same.
      signal: method === "tasks/cancel" ? NEVER : call.signal,
      budget: () => new ByteBudget(limits.resultBytes, slug),
      onProgress: call.onProgress,
      listener: listenerOf(call),
    });
  }

  ask({
    method,
    params,
    trace = null,
    questions = null,
    log = null,
    ...request
  }: UpstreamRequest): Promise<UpstreamToolAnswer> {
    const { limits, slug } = this.options;
    return this.request({
      ...request,
      ...(isOfCaller(method) && { listener: listenerOf({ questions, log }) }),
      method,
      name: namedBy(method, params),
      params,
      paramHeaders: () => ({}),
      trace,
      budget: () => new ByteBudget(limits.resultBytes, slug),
    });
  }

  async watch(watch: UpstreamWatch): Promise<void> {
    const { slug } = this.options;
    const link = await this.waitFor(Promise.resolve(this.links.current()), watch.signal);
    assertTellsOfUpdates(slug, link.capabilities);
    if (link.era === "modern") return new ResourceStream(this.http, slug, this.deadlines, link).watch(watch);
    return this.updates.watch(slug, watch, async (method, params) => {
      // The link may be another by now: a session that was forgotten is begun anew.
      const { answer, link: used } = await this.askAside(method, params);
      return { answer, over: this.links.heardUntil(used) };
    });
  }

  /** Of the hub's own accord, beside all calls. */
  private askAside(method: ServerMethod, params: JsonRecord): Promise<LinkedAnswer> {
    const { limits, slug } = this.options;
    const budget = () => new ByteBudget(limits.resultBytes, slug);
    const beside = { name: null, meta: {}, clientCapabilities: null, trace: null, onProgress: null };
    const asked = { method, params, ...beside, paramHeaders: () => ({}), budget, signal: NEVER };
    return this.linked({ ...asked, silenceMs: limits.listMs });
  }

  /** Tells the server that its session is over, for at most a second. Never throws. */
  close(): Promise<void> {
    return this.links.close();
  }

  private async request(request: Request): Promise<UpstreamToolAnswer> {
    if (request.listener?.log) await this.reachLevel(request.listener.log.level, request.signal);
    return (await this.linked(request)).answer;
  }

  /** A server of the 2025 era is told its level once, for all calls on its link. */
  private async reachLevel(level: LogLevel, signal: CancelSignal): Promise<void> {
    // What keeps the link from being made meets the call itself, too.
    const link = await Promise.resolve(this.links.current())
      .then((ready) => this.waitFor(Promise.resolve(ready), signal))
      .catch(() => null);
    if (link?.era !== "legacy" || link.capabilities.logging === undefined) return;
    const tell = (least: LogLevel) => this.askAside("logging/setLevel", { level: least });
    const known = this.logLevels.get(link) ?? new ServerLogLevel(tell);
    this.logLevels.set(link, known);
    await known.reach(level);
  }

  /** With the link it was answered on. Again, once, where the first attempt certainly did nothing: a session forgotten, a connection refused. */
  private async linked(request: Request): Promise<LinkedAnswer> {
    const first = await this.attempt(request).catch((error: unknown) => {
      if (!wasRefused(error)) throw error;
      return REFUSED;
    });
    if (first === REFUSED) await this.pause(request.signal);
    else if (first) return first;
    const second = await this.attempt(request);
    if (second) return second;
    throw new ToolFailure("unreachable", `${this.options.slug} forgets its sessions as soon as they begin.`, false);
  }

  /** Null where the server no longer goes by its link. */
  private async attempt(request: Request): Promise<LinkedAnswer | null> {
    const ready = this.links.current();
    const link = ready instanceof Promise ? await this.waitFor(ready, request.signal) : ready;
    if (request.signal.aborted) throw cancelled();
    this.lastId += 1;
    const id = this.lastId;
    const { method, name, onProgress, trace } = request;
    const plain = requestHeaders(link, method, name, link.era === "modern" ? request.paramHeaders(link) : {});
    const headers = trace === null ? plain : { ...plain, ...trace };
    const message = { jsonrpc: "2.0", id, method, params: paramsOf(request, link, id) };
    const written = jsonText(message, () => slices.turn());
    const body = typeof written === "string" ? written : await written;
    const deadline = this.deadlines.begin(request.silenceMs, request.signal);
    const listener = request.listener ? pausing(request.listener, deadline) : null;
    const call = listener && this.calls.join(id, listener);
    try {
      const outcome = await this.exchange.ask({
        id,
        body,
        headers,
        link,
        deadline,
        budget: request.budget(),
        onProgress,
        listener,
      });
      if (outcome.kind !== "stale") return { answer: outcome, link };
      this.links.drop(link);
      return null;
    } catch (error) {
      if (!wasRefused(error)) call?.giveUp();
      this.giveUp(link, id, deadline);
      throw failureOf(error, this.options.slug, deadline);
    } finally {
      call?.leave();
      this.deadlines.finish(deadline);
    }
  }

  private async waitFor(ready: Promise<Link>, signal: CancelSignal): Promise<Link> {
    try {
      return await unlessAborted(ready, signal);
    } catch (error) {
      throw signal.aborted ? cancelled() : error;
    }
  }

  /** Modern servers take the closed connection for it; older ones go on unless they are told. */
  private giveUp(link: Link, id: number, { ending }: Deadline): void {
    if (link.era === "modern" || (ending !== "cancelled" && ending !== "timeout")) return;
    this.post(link, { method: "notifications/cancelled", params: { requestId: id, reason: ending } });
  }

  /** What a server says or asks beside the answers. */
  private hear(message: RpcMessage, link: Link, listener: CallListener | null = this.calls.only): void {
    if (message.kind === "notification") {
      if (isListChange(message.method)) this.options.events.onListChanged();
      else if (message.method === UPDATED) this.updates.hear(message.params);
      else hearNotification(message.method, message.params, listener);
      return;
    }
    // Since 2026-07-28 servers ask nothing, and clients must not answer.
    if (message.kind !== "request" || link.era === "modern" || this.replying >= MAX_REPLIES) return;
    const { id, method, params } = message;
    this.replying += 1;
    void answerOf(method, params, listener?.questions ?? null).then((outcome) => {
      this.replying -= 1;
      this.post(link, { id, ...outcome });
    });
  }

  /** Sends what has no answer. Best effort: a server that does not get it waits no longer than it likes. */
  private post(link: Link, message: JsonRecord): void {
    this.replying += 1;
    const deadline = this.deadlines.begin(this.options.limits.connectMs, null);
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const over = () => {
      this.replying -= 1;
      this.deadlines.finish(deadline);
    };
    this.http
      .send({ method: "POST", headers: link.headers, body, signal: deadline.signal })
      .then(discard)
      .then(over, over);
  }

  private async pause(signal: CancelSignal): Promise<void> {
    const deadline = this.deadlines.begin(2 * REFUSED_WAIT_MS, signal);
    try {
      await deadline.pause(REFUSED_WAIT_MS);
    } catch (error) {
      throw failureOf(error, this.options.slug, deadline);
    } finally {
      this.deadlines.finish(deadline);
    }
  }
}

const NEVER: CancelSignal = new Cancellation();
/** What a request is about, for `Mcp-Name`; null where there is nothing to name. */
const namedBy = (method: string, params: JsonRecord): string | null => {
  const field = NAMED_BY.get(method);
  const name = field === undefined ? undefined : params[field];
  return typeof name === "string" ? name : null;
};

const REFUSED = "refused" as const;

const paramsOf = (
  { params, meta, clientCapabilities, onProgress, listener }: Request,
  link: Link,
  id: number,
): JsonRecord => {
  const { progressToken: _theirs, ...passed } = meta;
  const _meta: JsonRecord = { ...passed, ...link.envelope };
  if (link.era === "modern" && clientCapabilities !== null) _meta[META.clientCapabilities] = clientCapabilities;
  if (link.era === "modern" && listener?.log) _meta[META.logLevel] = listener.log.level;
  if (onProgress !== null) _meta["progressToken"] = id;
  return { ...params, _meta };
};

const cancelled = () => new ToolFailure("cancelled", "The call was cancelled.", false);
