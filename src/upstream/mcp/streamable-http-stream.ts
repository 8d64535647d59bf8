import type { JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import type { RpcMessage } from "#model/tools/mcp";
import { ToolFailure } from "#upstream/tool-port";
import type { CallListener } from "./call-listener.ts";
import { type ByteBudget, discard, isEventStream } from "./http-body.ts";
import type { HttpClient, HttpHeaders } from "./http-client.ts";
import type { Deadline } from "./http-deadline.ts";
import type { AsideListener, Link } from "./streamable-http-link.ts";
import { isAnswerTo, MessageStream, type RpcAnswer } from "./streamable-http-messages.ts";

/** One JSON-RPC request as it goes out. */
export type StreamOutgoing = {
  readonly id: number;
  readonly body: string;
  readonly headers: HttpHeaders;
  readonly link: Link;
  readonly deadline: Deadline;
  readonly budget: ByteBudget;
  /** Its progress, when it asked for it. */
  readonly onProgress: ((params: JsonRecord) => void) | null;
  /** Who hears what the server says beside; null for nobody. */
  readonly listener: CallListener | null;
};

/** How long to wait before a stream is resumed, when the server does not say. */
const RETRY_MS = 1_000;
/** A server that asks for less would be asked in a busy loop. */
const MIN_RETRY_MS = 50;
/** Failed attempts in a row after which a stream is given up. Ones that succeed are bounded by the silence alone. */
const MAX_FAILURES = 3;

/**
 * The answer to one request out of an event stream. A server may end a stream early and have it resumed
 * (specification 2025-11-25, "Resumability and Redelivery"; SEP-1699).
 */
export class AnswerStream {
  private readonly stream: MessageStream;

  constructor(
    private readonly http: HttpClient,
    private readonly slug: string,
    private readonly request: StreamOutgoing,
    private readonly aside: AsideListener,
  ) {
    this.stream = new MessageStream(request.budget);
  }

  /** Throws `ToolFailure`, or what the connection throws. */
  async answer(first: Response): Promise<RpcAnswer> {
    let response: Response | null = first;
    for (let failures = 0; ; ) {
      const answer = response && (await this.answerIn(response));
      if (answer) return answer;
      failures = response ? 0 : failures + 1;
      if (failures > MAX_FAILURES || !this.canResume) throw this.broken();
      await this.request.deadline.pause(Math.max(this.stream.retryMs ?? RETRY_MS, MIN_RETRY_MS));
      response = await this.resume();
    }
  }

  /** Null when the stream ends before the answer, in order or not. */
  private async answerIn({ body }: Response): Promise<RpcAnswer | null> {
    try {
      for await (const message of this.stream.messages(body)) {
        if (isAnswerTo(message, this.request.id)) return message;
        if (!this.isProgress(message)) this.aside(message, this.request.link, this.request.listener);
      }
    } catch (error) {
      if (error instanceof ToolFailure || this.request.deadline.ending || !this.canResume) throw error;
    }
    return null;
  }

  private isProgress(message: RpcMessage): boolean {
    if (message.kind !== "notification" || message.method !== "notifications/progress") return false;
    const { progressToken, ...news } = message.params ?? {};
    const { deadline, id, onProgress } = this.request;
    if (numberOf(progressToken) === id && onProgress !== null) {
      deadline.extend();
      onProgress(news);
    }
    return true;
  }

  /** Modern streams cannot be resumed: losing one cancels its request. */
  private get canResume(): boolean {
    return this.stream.lastId !== null && this.request.link.era === "legacy";
  }

  /** Null when the server cannot be reached for now. */
  private async resume(): Promise<Response | null> {
    const { link, deadline } = this.request;
    const headers = { ...link.headers, accept: "text/event-stream", "last-event-id": this.stream.lastId ?? "" };
    try {
      const response = await this.http.send({ method: "GET", headers, body: null, signal: deadline.signal });
      if (response.status === 200 && isEventStream(response)) return response;
      discard(response);
      if (response.status < 500) throw this.broken();
    } catch (error) {
      if (error instanceof ToolFailure || deadline.ending) throw error;
    }
    return null;
  }

  private broken(): ToolFailure {
    return this.stream.heldNonsense
      ? new ToolFailure("garbage", `${this.slug} sent a stream that holds no MCP.`, true)
      : new ToolFailure("unreachable", `The connection to ${this.slug} ended before the answer.`, true);
  }
}
