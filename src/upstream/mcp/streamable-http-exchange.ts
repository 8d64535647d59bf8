import { isRecord } from "#core/json/json";
import { RPC, type RpcError } from "#model/tools/mcp";
import { ToolFailure, type UpstreamToolAnswer } from "#upstream/tool-port";
import { discard, isEventStream, readText } from "./http-body.ts";
import type { HttpClient } from "./http-client.ts";
import type { AsideListener } from "./streamable-http-link.ts";
import { isAnswerTo, messagesIn, type RpcAnswer, refusalOf } from "./streamable-http-messages.ts";
import { AnswerStream, type StreamOutgoing } from "./streamable-http-stream.ts";

/** `stale`: the server no longer knows the session, or has changed its era. It has run nothing. */
export type ExchangeOutcome = UpstreamToolAnswer | { readonly kind: "stale" };

/** Codes with which servers say, at status 400, that they do not know a session; also said of other faults. */
const UNKNOWN_SESSION: readonly number[] = [-32_000, -32_001, -32_015, RPC.invalidRequest];
const OTHER_ERA: readonly number[] = [RPC.unsupportedVersion, RPC.headerMismatch];
/** Servers built on SDK 1.x refuse versions they do not know with the first of these. */
const NOT_MODERN: readonly number[] = [-32_000, RPC.unsupportedVersion];

/** Sends requests and finds their answers. */
export class Exchange {
  constructor(
    private readonly http: HttpClient,
    private readonly slug: string,
    private readonly aside: AsideListener,
  ) {}

  /** Throws `ToolFailure`, or what the connection throws. */
  async ask(request: StreamOutgoing): Promise<ExchangeOutcome> {
    const { headers, body, deadline } = request;
    const response = await this.http.send({ method: "POST", headers, body, signal: deadline.signal });
    if (response.status >= 400) return this.refused(request, response);
    if (isEventStream(response)) {
      const stream = new AnswerStream(this.http, this.slug, request, this.aside);
      return this.outcome(await stream.answer(response));
    }
    const read = messagesIn(await readText(response, request.budget));
    const messages = read instanceof Promise ? await read : read;
    const answer = messages.find((message) => isAnswerTo(message, request.id));
    if (!answer) throw this.garbage(request, response.status);
    return this.outcome(answer);
  }

  private outcome(answer: RpcAnswer): UpstreamToolAnswer {
    if (answer.kind === "error") return errorAnswer(answer.error);
    const { result } = answer;
    if (isRecord(result)) return { kind: "result", result };
    throw new ToolFailure("garbage", `${this.slug} answered with what is no MCP result.`, true);
  }

  private async refused(request: StreamOutgoing, response: Response): Promise<ExchangeOutcome> {
    const { status } = response;
    const error = isEventStream(response) ? null : await refusalOf(response, request.budget);
    if (isEventStream(response)) discard(response);
    if (await this.isStale(request, status, error)) return { kind: "stale" };
    if (error) return errorAnswer(error);
    const text = `${this.slug} answered with status ${status}.`;
    // Below 500 it says that it did not do what it was asked.
    if (status >= 500) throw new ToolFailure("unreachable", text, true);
    if (status === 413) throw new ToolFailure("garbage", `${this.slug} takes no request this large.`, false);
    throw new ToolFailure(status === 429 || status === 408 ? "unreachable" : "garbage", text, false);
  }

  private async isStale(request: StreamOutgoing, status: number, error: RpcError | null): Promise<boolean> {
    if (status !== 400 && status !== 404 && status !== 405) return false;
    const { link } = request;
    if (link.era === "modern") return error === null || NOT_MODERN.includes(error.code);
    if (status === 400 && error && OTHER_ERA.includes(error.code)) return true;
    if (link.session === null || status === 405) return false;
    if (status === 404) return error?.code !== RPC.methodNotFound;
    return error !== null && UNKNOWN_SESSION.includes(error.code) && !(await this.isAlive(request));
  }

  /** Whether the session still is: a fault of the request alone must not cost the user the server's state. */
  private async isAlive({ link, deadline }: StreamOutgoing): Promise<boolean> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: "ping", method: "ping" });
    const response = await this.http.send({ method: "POST", headers: link.headers, body, signal: deadline.signal });
    discard(response);
    return response.status < 400;
  }

  private garbage({ id }: StreamOutgoing, status: number): ToolFailure {
    return new ToolFailure("garbage", `${this.slug} did not answer request ${id} in MCP (status ${status}).`, true);
  }
}

const errorAnswer = ({ code, message, data }: RpcError): UpstreamToolAnswer => ({ kind: "error", code, message, data });
