import { isRecord, type JsonRecord } from "#core/json/json";
import { LEGACY_VERSIONS, MODERN_VERSIONS, RPC, type RpcMethod } from "#model/tools/mcp";
import type { InitializeRequestParams, InitializeResult, Unchecked } from "#model/tools/mcp-types";
import { boundedServerText, ToolFailure } from "#upstream/tool-port";
import { ByteBudget, discard, isEventStream, readText } from "./http-body.ts";
import type { HttpClient } from "./http-client.ts";
import type { Deadline, Deadlines } from "./http-deadline.ts";
import { failureOf, NotStreamableHttp } from "./http-failure.ts";
import type { TransportOptions } from "./port.ts";
import { ASKABLE } from "./questions.ts";
import type { OlderServers } from "./streamable-http-eras.ts";
import { CONTENT, clientInfo, type Link, legacyLink, modernEnvelope, modernLink } from "./streamable-http-link.ts";
import { answerIn, refusalIn, refusalOf } from "./streamable-http-messages.ts";

/** A server that knows only `initialize` may say nothing to a request it does not know: asked no longer than this. */
const MAX_PROBE_SILENCE_MS = 5_000;

/** Ids of the handshake: no request of ours has them. */
const DISCOVER_ID = "discover";
const INITIALIZE_ID = "initialize";

/** Visible ASCII (specification 2025-11-25, "Session Management"), of a length that headers still take. */
const SESSION = /^[\x21-\x7e]{1,4096}$/;

/** These codes are of 2026-07-28: who answers `initialize` so is no HTTP+SSE server. */
const MODERN_CODES: readonly number[] = [
  RPC.headerMismatch,
  RPC.missingCapability,
  RPC.unsupportedVersion,
  RPC.methodNotFound,
];

export type HandshakeOptions = TransportOptions & {
  readonly url: string;
  /** What is known of addresses, from connections of all callers. */
  readonly older: OlderServers;
};

/** Finds out which era a server speaks, and begins a session where it wants one. */
export class Handshake {
  constructor(
    private readonly http: HttpClient,
    private readonly options: HandshakeOptions,
    private readonly deadlines: Deadlines,
  ) {}

  /** Modern if the server can, else legacy, all within the limit for connecting. Throws `ToolFailure`. */
  async link(): Promise<Link> {
    const { url, older, limits } = this.options;
    const whole = this.deadlines.begin(limits.handshakeMs, null);
    try {
      if (this.pinned === "legacy") return await this.initialize(whole);
      const known = this.pinned || older.since(url) === null ? null : await this.initializeKnown(whole);
      if (known) return known;
      const patience = this.pinned ? limits.handshakeMs : Math.min(MAX_PROBE_SILENCE_MS, limits.handshakeMs / 2);
      const modern = await this.probe(patience, !this.pinned);
      if (modern) return modern;
      if (this.pinned) throw this.notPinned();
      const link = await this.initialize(whole);
      older.add(url);
      return link;
    } catch (error) {
      throw failureOf(error, this.options.slug, whole);
    } finally {
      this.deadlines.finish(whole);
    }
  }

  /** The era of the version that the server is pinned to; null for none. */
  private get pinned(): Link["era"] | null {
    const { protocol = null } = this.options;
    if (protocol === null) return null;
    return MODERN_VERSIONS.some((version) => version === protocol) ? "modern" : "legacy";
  }

  private notPinned(): ToolFailure {
    return this.garbage(`does not speak MCP ${this.options.protocol}, which it is pinned to`);
  }

  /** What was found out about the server does not hold any more. */
  forget(): void {
    this.options.older.remove(this.options.url);
  }

  /** A session with a server that knew nothing else before; null where that is no longer so. */
  private async initializeKnown(whole: Deadline): Promise<Link | null> {
    try {
      return await this.initialize(whole);
    } catch (error) {
      this.forget();
      if (error instanceof ToolFailure && error.reason === "garbage") return null;
      throw error;
    }
  }

  /** What the server says of itself as a modern one; null when it is none. Throws `ToolFailure`. */
  async discover(): Promise<Link | null> {
    if (this.pinned === "legacy") return null;
    const link = await this.probe(this.options.limits.handshakeMs, false);
    const { older, url } = this.options;
    if (link) older.remove(url);
    else older.add(url);
    return link;
  }

  /** `silenceIsNo`: a server that says nothing to what it does not know may still answer `initialize`. */
  private async probe(silenceMs: number, silenceIsNo: boolean): Promise<Link | null> {
    const deadline = this.deadlines.begin(silenceMs, null);
    try {
      return await this.asModern(deadline);
    } catch (error) {
      if (deadline.ending === "timeout" && silenceIsNo) return null;
      throw failureOf(error, this.options.slug, deadline);
    } finally {
      this.deadlines.finish(deadline);
    }
  }

  private async asModern(deadline: Deadline): Promise<Link | null> {
    const [preferred] = MODERN_VERSIONS;
    const first = await this.ask(preferred, deadline);
    // Refused for its version, with versions it would take: ask once more with one of them.
    return typeof first === "string" ? linkOr(await this.ask(first, deadline)) : first;
  }

  /** The link, or the version the server would have instead, or null for no modern server. */
  private async ask(version: string, deadline: Deadline): Promise<Link | string | null> {
    const headers = { ...CONTENT, "mcp-protocol-version": version, "mcp-method": "server/discover" };
    const params = { _meta: modernEnvelope(version, this.options.version) };
    const response = await this.post(headers, message(DISCOVER_ID, "server/discover", params), deadline);
    if (response.status === 400 && !isEventStream(response)) {
      const error = await refusalOf(response, this.budget());
      if (error?.code !== RPC.unsupportedVersion || !isRecord(error.data)) return null;
      return modernAmong(error.data["supported"]);
    }
    if (response.status !== 200) {
      discard(response);
      return null;
    }
    const answer = await answerIn(response, DISCOVER_ID, this.budget());
    const result = answer?.kind === "result" && isRecord(answer.result) ? answer.result : {};
    const agreed = modernAmong(result["supportedVersions"]);
    return agreed === null ? null : modernLink(agreed, result, this.options.version);
  }

  private async initialize(deadline: Deadline): Promise<Link> {
    const { version } = this.options;
    const params: InitializeRequestParams = {
      protocolVersion: this.options.protocol ?? LEGACY_VERSIONS[0],
      capabilities: this.options.isAskable ? ASKABLE : {},
      clientInfo: clientInfo(version),
    };
    const response = await this.post(CONTENT, message(INITIALIZE_ID, "initialize", params), deadline);
    if (response.status !== 200) throw await this.noHandshake(response);
    const session = response.headers.get("mcp-session-id");
    const answer = await answerIn(response, INITIALIZE_ID, this.budget());
    if (answer === null) throw this.garbage("answered the handshake with something that is not MCP");
    if (answer.kind === "error") {
      const text = boundedServerText(answer.error.message, "start");
      throw this.garbage(`refused the handshake (JSON-RPC error ${answer.error.code})`).withServerText(text);
    }
    const result: Unchecked<InitializeResult> = isRecord(answer.result) ? answer.result : {};
    const agreed = LEGACY_VERSIONS.find((known) => known === result.protocolVersion);
    if (agreed === undefined) throw this.garbage("speaks no version of MCP that the hub speaks");
    if (this.pinned && agreed !== this.options.protocol) throw this.notPinned();
    if (session !== null && !SESSION.test(session)) throw this.garbage("gave a session id that is none");
    const link = legacyLink(agreed, session, result);
    const ready = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    // Whatever it answers: if it does not know the session, the first call will tell.
    discard(await this.post(link.headers, ready, deadline));
    return link;
  }

  private post(headers: Readonly<Record<string, string>>, body: string, deadline: Deadline): Promise<Response> {
    return this.http.send({ method: "POST", headers, body, signal: deadline.signal });
  }

  private budget(): ByteBudget {
    return new ByteBudget(this.options.limits.resultBytes, this.options.slug);
  }

  private async noHandshake(response: Response): Promise<ToolFailure> {
    const { slug } = this.options;
    const { status } = response;
    const text = isEventStream(response) ? "" : await readText(response, this.budget());
    const error = await refusalIn(text);
    const isOther = status === 400 || status === 404 || status === 405;
    if (isOther && !(error && MODERN_CODES.includes(error.code))) return new NotStreamableHttp(slug, status);
    const code = error ? `, JSON-RPC error ${error.code}` : "";
    const problem = `${slug} refused the handshake (status ${status}${code}).`;
    const reason = status >= 500 || status === 429 ? "unreachable" : "garbage";
    return new ToolFailure(reason, problem, false, undefined, boundedServerText(error?.message ?? text, "start"));
  }

  private garbage(what: string): ToolFailure {
    return new ToolFailure("garbage", `${this.options.slug} ${what}.`, false);
  }
}

const message = (id: string, method: RpcMethod, params: JsonRecord): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

const modernAmong = (versions: unknown): string | null =>
  MODERN_VERSIONS.find((known) => Array.isArray(versions) && versions.includes(known)) ?? null;

const linkOr = (found: Link | string | null): Link | null => (typeof found === "string" ? null : found);
