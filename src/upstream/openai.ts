import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import { isRecord, parseJson } from "#core/json";
import { AnswerTooLarge, sizeOf, textWithin } from "#upstream/answer-limit";
import type { GuardedFetch } from "#upstream/guarded-fetch";
import { plainFetch, plainHeaders } from "#upstream/plain-fetch";
import { type ChatUpstream, type UpstreamAnswer, type UpstreamCall, UpstreamFailure } from "#upstream/port";
import type { Reachability } from "#upstream/reachability";

export type OpenAiOptions = {
  readonly name: string;
  /** Ends without a slash; `/chat/completions` and `/models` are appended. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly firstByteMs: number;
  /** Longest body that is read, in bytes as unpacked: `upstream.answer_bytes`. */
  readonly answerBytes: number;
  readonly reachability: Reachability;
  /** Checks the address at every connection; for addresses that people gave. */
  readonly guarded?: GuardedFetch | undefined;
};

/** Shorter keys are words (`ollama`) that answers may well hold. */
const SHORTEST_SECRET = 16;
/** An error answer whose words are not passed on is read this far, so that its connection can be used again. Bytes. */
const MAX_DROPPED_BYTES = 65_536;

/** Any OpenAI-compatible provider over HTTP. */
export class OpenAiUpstream implements ChatUpstream {
  private readonly headers: Headers;

  constructor(private readonly options: OpenAiOptions) {
    // Built from nothing: no header of the client ever reaches a provider.
    this.headers = plainHeaders({
      "content-type": "application/json",
      ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }),
    });
  }

  async chat(call: UpstreamCall): Promise<UpstreamAnswer> {
    const response = await this.ask(call);
    if (response.status >= 400) return this.refusal(response);
    if (response.status >= 300) {
      await response.body?.cancel();
      throw failure("upstream_error", `The provider ${this.options.name} answered with a redirect.`, true);
    }
    if (call.stream && response.body && !isJson(response)) return { kind: "stream", body: response.body };
    return { kind: "whole", text: await this.text(response) };
  }

  async models(signal: AbortSignal): Promise<readonly string[]> {
    const response = await this.fetch("/models", { method: "GET", signal });
    const body = parseJson(await this.text(response));
    const list = isRecord(body) ? body["data"] : null;
    if (response.status !== 200 || !Array.isArray(list)) {
      throw failure("upstream_error", `The provider ${this.options.name} has no model list.`, false);
    }
    return list.flatMap((entry: unknown) => (isRecord(entry) && typeof entry["id"] === "string" ? [entry["id"]] : []));
  }

  /** The answer's head, within the limits of an attempt. */
  private async ask({ body, attempt }: UpstreamCall): Promise<Response> {
    const { baseUrl, firstByteMs, name, reachability } = this.options;
    attempt.limit(firstByteMs);
    // A host that swallows packets would hold the call until the first-byte limit: find out sooner.
    // Not beside a checked connection: the trial would be an unchecked one.
    const watch = this.options.guarded ? null : reachability.watch(baseUrl, () => attempt.giveUp());
    try {
      const response = await this.fetch("/chat/completions", { method: "POST", body, signal: attempt.signal });
      reachability.seen(baseUrl);
      return response;
    } catch (error) {
      if (attempt.isOver) throw error;
      if (attempt.timedOut) {
        throw failure("upstream_timeout", `The provider ${name} sent nothing for ${firstByteMs} ms.`, true, error);
      }
      const what = isCutOff(error) ? "closed the connection before it answered" : "cannot be reached";
      throw failure("upstream_error", `The provider ${name} ${what}.`, true, error);
    } finally {
      attempt.unlimit();
      watch?.stop();
    }
  }

  private fetch(path: string, init: RequestInit): Promise<Response> {
    return (this.options.guarded ?? plainFetch)(this.options.baseUrl + path, {
      ...init,
      headers: this.headers,
      redirect: "manual",
    });
  }

  /** The body, without our key: some providers and most debugging proxies repeat what they were sent. */
  private async text(response: Response): Promise<string> {
    const { apiKey, answerBytes, name } = this.options;
    try {
      const text = await textWithin(response, answerBytes);
      return apiKey !== null && apiKey.length >= SHORTEST_SECRET ? text.replaceAll(apiKey, "[provider key]") : text;
    } catch (error) {
      // It had begun to answer: asking again would make it work, and cost, twice.
      if (error instanceof AnswerTooLarge) throw failure("upstream_error", tooLarge(name, answerBytes), false, error);
      throw failure("upstream_error", `The provider ${name} broke off its answer.`, false, error);
    }
  }

  private async refusal(response: Response): Promise<UpstreamAnswer> {
    const { name } = this.options;
    const { status } = response;
    const isPassedOn = ![401, 403, 408, 429].includes(status) && status < 500;
    const text = isPassedOn ? await this.text(response) : await drop(response);
    if (status === 401 || status === 403) {
      throw failure(
        "upstream_auth_failed",
        `The provider ${name} refused the hub's key. Ask an operator to check it with: ${commandLine(COMMANDS.testProvider(name))}`,
        true,
      );
    }
    if (status === 429) {
      const wait = retryAfter(response.headers.get("retry-after"));
      throw failure("upstream_rate_limited", `The provider ${name} is limiting its rate.`, true, undefined, wait);
    }
    if (status === 408 || status >= 500) {
      const code = status === 504 || status === 408 ? "upstream_timeout" : "upstream_error";
      throw failure(code, `The provider ${name} answered with status ${status}.`, true);
    }
    return { kind: "refused", status, text };
  }
}

/** A connection that was there, unlike one that was never made. */
const isCutOff = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ECONNRESET", "ConnectionClosed"].includes(String(error.code));

/** Reads what nobody wants; however that ends, the status has said what there is to say. */
const drop = (response: Response): Promise<string> => textWithin(response, MAX_DROPPED_BYTES).catch(() => "");

const tooLarge = (name: string, maxBytes: number): string =>
  `The provider ${name} sent an answer of more than ${sizeOf(maxBytes)}, the most the hub takes (upstream.answer_bytes).`;

const isJson = (response: Response): boolean => (response.headers.get("content-type") ?? "").includes("json");

const failure = (
  code: "upstream_auth_failed" | "upstream_rate_limited" | "upstream_error" | "upstream_timeout",
  message: string,
  retryable: boolean,
  cause?: unknown,
  retryAfterMs: number | null = null,
): UpstreamFailure => new UpstreamFailure(new GuardError(code, message, { cause }), retryable, retryAfterMs);

/** `Retry-After` in seconds (the date form is not used by providers) as milliseconds. */
const retryAfter = (header: string | null): number | null => {
  const seconds = Number(header);
  return header !== null && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
};
