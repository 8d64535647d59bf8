import { isRecord, type JsonRecord } from "#core/json/json";
import {
  announcedChanges,
  changeFilter,
  isListChange,
  LEGACY_VERSIONS,
  META,
  MODERN_VERSIONS,
  RPC,
  type RpcMethod,
} from "#model/tools/mcp";
import type {
  Implementation,
  InitializeRequestParams,
  InitializeResult,
  ListToolsResult,
  PaginatedRequestParams,
  ServerCapabilities,
  Unchecked,
} from "#model/tools/mcp-types";
import {
  boundedServerText,
  ToolFailure,
  type ToolListing,
  type UpstreamRequest,
  type UpstreamToolAnswer,
  type UpstreamToolCall,
  type UpstreamWatch,
} from "#upstream/tool-port";
import { type CallListener, isOfCaller, listenerOf } from "./call-listener.ts";
import type { PeerReply, RpcPeer } from "./peer.ts";
import type { TransportOptions } from "./port.ts";
import { ASKABLE } from "./questions.ts";
import {
  ACKNOWLEDGED,
  agreesTo,
  assertTellsOfUpdates,
  filterOf,
  isAbout,
  ResourceUpdates,
  UPDATED,
} from "./resource-updates.ts";
import { ServerLogLevel } from "./server-log-level.ts";
import { runAsTask, runsTasks } from "./tasks.ts";

/** A list that goes on longer is no list. */
const MAX_PAGES = 100;
const MAX_TOOLS = 10_000;

/** What both sides agreed on. */
type Terms = {
  /** Null in revisions that begin with `initialize`; else the version every request names. */
  readonly modern: string | null;
  /** What was agreed on. */
  readonly version: string | null;
  readonly instructions: string | null;
  readonly capabilities: Unchecked<ServerCapabilities>;
};

type Sent = Omit<UpstreamRequest, "method" | "questions" | "log"> & {
  readonly method: RpcMethod;
  readonly listener?: CallListener;
};

/** With all that goes into its parameters. A null signal: nobody can take it back. */
type Outgoing = Pick<Sent, "method" | "params" | "silenceMs" | "onProgress" | "listener"> & {
  readonly signal: Sent["signal"] | null;
};

/** An MCP conversation, from the handshake on, in either era. */
export class PeerSession {
  private readonly logLevel = new ServerLogLevel((level) =>
    this.peer.request({
      method: "logging/setLevel",
      params: { level },
      silenceMs: this.options.limits.listMs,
      signal: null,
      onProgress: null,
    }),
  );

  private constructor(
    private readonly peer: RpcPeer,
    private readonly options: TransportOptions,
    private readonly terms: Terms,
    private readonly updates: ResourceUpdates,
    /** Told of each notification that belongs to no request. */
    private readonly listeners: Set<(method: string, params: JsonRecord | undefined) => void>,
  ) {}

  /** Shakes hands. Has no timeout of its own: the owner of the channel closes it when this takes too long. */
  static async begin(peer: RpcPeer, options: TransportOptions): Promise<PeerSession> {
    const updates = new ResourceUpdates();
    const listeners = new Set<(method: string, params: JsonRecord | undefined) => void>();
    peer.onNotification = (method, params) => {
      if (isListChange(method)) options.events.onListChanged();
      if (method === UPDATED) updates.hear(params);
      for (const listener of listeners) listener(method, params);
    };
    const terms = await agree(peer, options);
    const session = new PeerSession(peer, options, terms, updates, listeners);
    // Waited for: over HTTP a request could overtake it, and servers refuse what comes before it.
    if (terms.modern === null) await peer.notify("notifications/initialized", null);
    else if (announcedChanges(terms.capabilities).length > 0) session.listen();
    return session;
  }

  async list(signal: AbortSignal): Promise<ToolListing> {
    const { limits, slug } = this.options;
    const tools: unknown[] = [];
    const seen = new Set<string>();
    let left = limits.resultBytes;
    let cursor: string | null = null;
    do {
      const page = await this.page(cursor, signal);
      left -= page.size;
      if (left < 0) throw new ToolFailure("too_large", `The list of ${slug} is too large.`, false);
      for (const tool of page.tools) if (tools.length < MAX_TOOLS) tools.push(tool);
      cursor = page.next;
      // The same cursor again would go round in circles.
      if (cursor === null || seen.has(cursor)) break;
      seen.add(cursor);
    } while (seen.size < MAX_PAGES && tools.length < MAX_TOOLS);
    return {
      tools,
      instructions: this.terms.instructions,
      protocol: this.terms.version,
      ...(runsTasks(this.terms.capabilities) && { runsTasks: true }),
      capabilities: this.terms.capabilities,
    };
  }

  async call(asked: UpstreamToolCall): Promise<UpstreamToolAnswer> {
    const call = { ...asked, listener: listenerOf(asked) };
    await this.reachLevel(call.listener);
    const { name, arguments: given, extra, isTask, signal } = call;
    const params = { ...extra, name, arguments: given };
    if (!isTask || this.terms.modern !== null) return this.request({ ...call, method: "tools/call", params });
    const meta = { ...call.meta, ...this.envelope(call) };
    return runAsTask(this.options.slug, { ...params, _meta: meta }, signal, (method, asked, silenceMs) =>
      this.send({
        ...call,
        method,
        params: asked,
        silenceMs: silenceMs ?? call.silenceMs,
        // What is told of a call that was cancelled goes out all the same.
        signal: method === "tasks/cancel" ? null : signal,
      }),
    );
  }

  async ask(request: UpstreamRequest): Promise<UpstreamToolAnswer> {
    if (!isOfCaller(request.method)) return this.request(request);
    const listener = listenerOf(request);
    await this.reachLevel(listener);
    return this.request({ ...request, listener });
  }

  /** As of `ToolUpstream`. */
  async watch(watch: UpstreamWatch): Promise<void> {
    const { slug, limits } = this.options;
    assertTellsOfUpdates(slug, this.terms.capabilities);
    if (this.terms.modern !== null) return this.listenFor(watch);
    const rest = { silenceMs: limits.listMs, signal: null, onProgress: null };
    return this.updates.watch(slug, watch, async (method, params) => ({
      answer: await this.send({ method, params, ...rest }),
      over: this.peer.ended,
    }));
  }

  /** A stream of its own, in the words of 2026-07-28: it ends with its request. */
  private async listenFor({ uri, signal, onBegun, onUpdated }: UpstreamWatch): Promise<void> {
    const hear = (method: string, params: JsonRecord | undefined): void => {
      if (method === ACKNOWLEDGED && agreesTo(params, uri)) onBegun();
      else if (method === UPDATED && isAbout(params, uri)) onUpdated();
    };
    this.listeners.add(hear);
    try {
      const params = this.stamped({ notifications: filterOf(uri) });
      const request = { method: "subscriptions/listen", params, silenceMs: null, signal, onProgress: null } as const;
      const reply = await this.peer.request(request);
      if (reply.kind === "error") throw new ToolFailure("garbage", `${this.options.slug} refused to tell.`, false);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.listeners.delete(hear);
    }
  }

  /** A server of the 2025 era is told its level once, for all calls. */
  private async reachLevel({ log }: CallListener): Promise<void> {
    const { modern, capabilities } = this.terms;
    if (log && modern === null && capabilities.logging !== undefined) await this.logLevel.reach(log.level);
  }

  private request({ params, meta, clientCapabilities, ...request }: Sent): Promise<UpstreamToolAnswer> {
    const envelope = this.envelope({ clientCapabilities, ...request });
    return this.send({ ...request, params: { ...params, _meta: { ...meta, ...envelope } } });
  }

  private async send({ method, params, listener, ...request }: Outgoing): Promise<UpstreamToolAnswer> {
    const reply = await this.peer.request({
      method,
      params,
      silenceMs: request.silenceMs,
      signal: request.signal,
      // Asked for even when no caller wants it: it tells a slow server from a dead one.
      onProgress: request.onProgress ?? (() => {}),
      // Since 2026-07-28 servers ask nothing by a request.
      ...(listener && { listener: this.terms.modern === null ? listener : { ...listener, questions: null } }),
    });
    if (reply.kind === "error") return reply;
    if (!isRecord(reply.result)) {
      throw new ToolFailure("garbage", `${this.options.slug} answered with what is no MCP result.`, true);
    }
    return { kind: "result", result: reply.result };
  }

  private async page(cursor: string | null, signal: AbortSignal) {
    const { limits, slug } = this.options;
    const reply = await this.peer.request({
      method: "tools/list",
      params: this.stamped<PaginatedRequestParams>(cursor === null ? {} : { cursor }),
      silenceMs: limits.listMs,
      signal,
      onProgress: null,
    });
    if (reply.kind === "error") {
      // A server of prompts or resources alone has no list of tools, and says so in one way or another.
      if (reply.code === RPC.methodNotFound && !this.terms.capabilities.tools) return NO_TOOLS;
      const problem = `${slug} refused to list its tools (JSON-RPC error ${reply.code}).`;
      throw new ToolFailure("garbage", problem, false, undefined, boundedServerText(reply.message, "start"));
    }
    const { tools, nextCursor }: Unchecked<ListToolsResult> = isRecord(reply.result) ? reply.result : {};
    if (!Array.isArray(tools)) throw new ToolFailure("garbage", `${slug} answered with what is no list.`, false);
    return { tools, size: reply.size, next: typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : null };
  }

  /** Asks to be told of changes, for as long as the channel is open (`subscriptions/listen`, 2026-07-28). */
  private listen(): void {
    const ended = () => {};
    this.peer
      .request({
        method: "subscriptions/listen",
        params: this.stamped({ notifications: changeFilter(announcedChanges(this.terms.capabilities)) }),
        silenceMs: null,
        signal: null,
        onProgress: null,
      })
      // A refusal costs nothing but the news: lists are fetched again anyway.
      .then(ended, ended);
  }

  private stamped<Params extends JsonRecord = JsonRecord>(params: Params): JsonRecord {
    return this.terms.modern === null ? params : { ...params, _meta: this.envelope({ clientCapabilities: null }) };
  }

  private envelope({ clientCapabilities, listener }: Pick<Sent, "clientCapabilities" | "listener">): JsonRecord {
    const { modern } = this.terms;
    if (modern === null) return {};
    const level = listener?.log?.level;
    return { ...envelope(modern, this.options, clientCapabilities), ...(level && { [META.logLevel]: level }) };
  }
}

const NO_TOOLS: { tools: readonly unknown[]; size: number; next: null } = { tools: [], size: 0, next: null };

/** Throws `ToolFailure`. */
const agree = async (peer: RpcPeer, options: TransportOptions): Promise<Terms> => {
  const { protocol = null } = options;
  if (MODERN_VERSIONS.some((version) => version === protocol)) return discover(peer, options);
  const terms = await initialize(peer, options);
  if (protocol === null) return terms ?? discover(peer, options);
  if (terms?.version === protocol) return terms;
  const problem = `${options.slug} does not speak MCP ${protocol}, which it is pinned to.`;
  throw new ToolFailure("garbage", problem, false);
};

/** Null when the server knows no `initialize`, or not for any version of ours. */
const initialize = async (peer: RpcPeer, options: TransportOptions): Promise<Terms | null> => {
  const protocolVersion = options.protocol ?? LEGACY_VERSIONS[0];
  const params: InitializeRequestParams = {
    protocolVersion,
    capabilities: options.isAskable ? ASKABLE : {},
    clientInfo: clientInfo(options),
  };
  const reply = await ask(peer, "initialize", params);
  if (reply.kind === "error") return isOfOtherEra(reply.code) ? null : refuse(options, reply);
  const result: Unchecked<InitializeResult> = isRecord(reply.result) ? reply.result : {};
  if (!LEGACY_VERSIONS.some((known) => known === result.protocolVersion)) {
    throw new ToolFailure("garbage", `${options.slug} speaks no version of MCP that the hub speaks.`, false);
  }
  return termsOf(result, null);
};

const discover = async (peer: RpcPeer, options: TransportOptions): Promise<Terms> => {
  const [modern] = MODERN_VERSIONS;
  const reply = await ask(peer, "server/discover", { _meta: envelope(modern, options, null) });
  if (reply.kind === "error") return refuse(options, reply);
  const { result } = reply;
  const supported: unknown = isRecord(result) ? result["supportedVersions"] : null;
  if (!isRecord(result) || !Array.isArray(supported) || !supported.includes(modern)) {
    throw new ToolFailure("garbage", `${options.slug} speaks no version of MCP that the hub speaks.`, false);
  }
  return termsOf(result, modern);
};

const ask = (peer: RpcPeer, method: RpcMethod, params: JsonRecord): Promise<PeerReply> =>
  peer.request({ method, params, silenceMs: null, signal: null, onProgress: null });

/** How servers that know only the stateless revisions answer `initialize`: not known, or no envelope with it. */
const isOfOtherEra = (code: number): boolean =>
  code === RPC.unsupportedVersion ||
  code === RPC.methodNotFound ||
  code === RPC.invalidParams ||
  code === RPC.invalidRequest;

const refuse = ({ slug }: TransportOptions, { code, message }: PeerReply & { kind: "error" }): never => {
  const text = boundedServerText(message, "start");
  throw new ToolFailure("garbage", `${slug} refused the handshake (JSON-RPC error ${code}).`, false, undefined, text);
};

const termsOf = (
  { instructions, capabilities, protocolVersion }: Unchecked<InitializeResult>,
  modern: string | null,
): Terms => ({
  modern,
  version: modern ?? (typeof protocolVersion === "string" ? protocolVersion : null),
  instructions: typeof instructions === "string" ? instructions : null,
  capabilities: isRecord(capabilities) ? capabilities : {},
});

const clientInfo = ({ version }: TransportOptions): Implementation => ({ name: "guardhouse", version });

const envelope = (version: string, options: TransportOptions, clientCapabilities: JsonRecord | null): JsonRecord => ({
  [META.protocolVersion]: version,
  [META.clientCapabilities]: clientCapabilities ?? {},
  [META.clientInfo]: clientInfo(options),
});
