import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import { isRecord, parseJson } from "#core/json/json";
import { jsonText } from "#core/json/json-writer";
import type { ModelAliases, ProviderKind } from "#model/provider";
import type { TraceHeaders } from "#model/trace-context";
import { slices } from "#platform/slices";
import { AnswerTooLarge, sizeOf, textWithin } from "#upstream/answer-limit";
import type { Breaker } from "#upstream/breaker";
import type { GuardedFetch } from "#upstream/guarded-fetch";
import { addressesOf, bodyOf, headersOf, type KindCall, type ProviderAddresses } from "#upstream/kinds";
import { plainFetch, plainHeaders } from "#upstream/plain-fetch";
import type { Reachability } from "#upstream/reachability";
import {
  type Credential,
  CredentialFailure,
  type ModelUpstream,
  type ProviderWords,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamFailure,
  type UpstreamMethod,
} from "./port";

export type ProviderOptions = {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Ends without a slash; roots and paths of APIs are appended. */
  readonly baseUrl: string;
  readonly aliases: ModelAliases;
  readonly credential: Credential;
  readonly breaker: Breaker;
  readonly firstByteMs: number;
  /** Longest body that is read, in bytes as unpacked: `upstream.answer_bytes`. */
  readonly answerBytes: number;
  readonly reachability: Reachability;
  /** Checks the address at every connection; for addresses that people gave. */
  readonly guarded?: GuardedFetch | undefined;
};

/** Shorter keys are words (`ollama`) that answers may well hold. */
const MIN_SECRET_LENGTH = 16;
/** An error answer whose words are not passed on is read this far, so that its connection can be used again. Bytes. */
const MAX_DROPPED_BYTES = 65_536;

type Outgoing = {
  readonly url: string;
  readonly method: UpstreamMethod;
  readonly headers: Headers;
  readonly body: string;
  /** Added once the request is signed: no credential covers it. */
  readonly trace?: TraceHeaders | null;
};

/** Headers of the client that are passed on. */
type Given = Readonly<Record<string, string>>;
type Base = { readonly given: Given; readonly key: string; readonly headers: Headers };

/** A provider over HTTP, of any kind. */
export class ProviderUpstream implements ModelUpstream {
  /** By what was passed on of the client's headers; nearly always the same. */
  private base: Base | null = null;
  private readonly addresses: ProviderAddresses;

  constructor(private readonly options: ProviderOptions) {
    this.addresses = addressesOf(options.kind, options.baseUrl);
  }

  async call(call: UpstreamCall): Promise<UpstreamAnswer> {
    const { breaker, name } = this.options;
    const response = await this.answered(call);
    if (response.status >= 400) return this.refusal(response);
    breaker.worked();
    if (response.status >= 300) {
      await response.body?.cancel();
      throw failure("upstream_error", `The provider ${name} answered with a redirect.`, true);
    }
    if (call.stream && response.body && !isJson(response)) return { kind: "stream", body: response.body };
    return { kind: "whole", text: await this.text(response) };
  }

  async models(signal: AbortSignal): Promise<readonly string[]> {
    const { kind, name } = this.options;
    const url = this.addresses.list;
    if (url === null) return [];
    const api = kind === "anthropic" ? "messages" : "chat";
    const headers = this.headers(headersOf(kind, api, {}));
    const response = await this.fetch({ url, method: "GET", headers, body: "" }, signal);
    const body = parseJson(await this.text(response));
    const list = isRecord(body) ? body["data"] : null;
    if (response.status !== 200 || !Array.isArray(list)) {
      throw failure("upstream_error", `The provider ${name} has no model list.`, false);
    }
    return list.flatMap((entry: unknown) => (isRecord(entry) && typeof entry["id"] === "string" ? [entry["id"]] : []));
  }

  /** The answer's head, within the limits of an attempt; what went wrong is counted. */
  private async answered(call: UpstreamCall): Promise<Response> {
    const { breaker, credential } = this.options;
    try {
      const response = await this.ask(call);
      if (!isAuth(response.status) || !(await credential.renew(call.attempt.signal))) return response;
      // What was sent had run out, or was replaced: there is another now.
      await drop(response);
      return await this.ask(call);
    } catch (error) {
      if (call.attempt.isOver) throw error;
      breaker.failed(
        error instanceof UpstreamFailure && error.error.code === "upstream_auth_failed" ? "auth" : "connection",
      );
      throw error;
    }
  }

  private async ask(call: UpstreamCall): Promise<Response> {
    const { baseUrl, firstByteMs, name, reachability } = this.options;
    const { attempt } = call;
    attempt.limit(firstByteMs);
    // A host that swallows packets would hold the call until the first-byte limit: find out sooner.
    // Not beside a checked connection: the trial would be an unchecked one.
    const watch = this.options.guarded ? null : reachability.watch(baseUrl, () => attempt.giveUp());
    try {
      const outgoing = this.outgoing(call);
      const response = await this.fetch(outgoing instanceof Promise ? await outgoing : outgoing, attempt.signal);
      reachability.seen(baseUrl);
      return response;
    } catch (cause) {
      if (attempt.isOver) throw cause;
      if (cause instanceof CredentialFailure)
        throw failure("upstream_auth_failed", noCredential(name), true, { cause });
      if (attempt.timedOut) {
        throw failure("upstream_timeout", `The provider ${name} sent nothing for ${firstByteMs} ms.`, true, { cause });
      }
      const what = isCutOff(cause) ? "closed the connection before it answered" : "cannot be reached";
      throw failure("upstream_error", `The provider ${name} ${what}.`, true, { cause });
    } finally {
      attempt.unlimit();
      watch?.stop();
    }
  }

  /** A body of the provider's own form is written in slices. */
  private outgoing(call: UpstreamCall): Outgoing | Promise<Outgoing> {
    const { kind, aliases } = this.options;
    const { api, path, method = "POST", model: asked, stream, trace = null } = call;
    const model = Object.hasOwn(aliases, asked) ? (aliases[asked] ?? asked) : asked;
    const address: KindCall = { api, path, model, stream };
    const other = bodyOf(kind, address, asked, call.request);
    const url = this.addresses.of(address);
    const headers = this.headers(headersOf(kind, api, call.headers));
    const withBody = (body: string): Outgoing => ({ url, method, headers, body, trace });
    const written = other === null ? call.body : jsonText(other, () => slices.turn());
    return typeof written === "string" ? withBody(written) : written.then(withBody);
  }

  /** Built from nothing: no header of the client reaches a provider but what `given` names. */
  private headers(given: Given): Headers {
    if (this.base?.given === given) return this.base.headers;
    const key = JSON.stringify(given);
    const headers =
      this.base?.key === key ? this.base.headers : plainHeaders({ "content-type": "application/json", ...given });
    this.base = { given, key, headers };
    return headers;
  }

  private fetch(request: Outgoing, signal: AbortSignal): Promise<Response> {
    const { method, url, body, trace = null } = request;
    const send = (signed: Headers): Promise<Response> => {
      const headers = trace === null ? signed : withTrace(signed, trace);
      const fields: BunFetchRequestInit = { method, headers, signal, redirect: "manual" };
      if (method === "POST") fields.body = body;
      return (this.options.guarded ?? plainFetch)(url, fields);
    };
    const authorized = this.options.credential.authorize(request, signal);
    return authorized instanceof Headers ? send(authorized) : authorized.then(send);
  }

  /** The body, without what authenticates us: some providers and most debugging proxies repeat what they were sent. */
  private async text(response: Response): Promise<string> {
    const { answerBytes, name } = this.options;
    try {
      return this.withoutSecrets(await textWithin(response, answerBytes));
    } catch (cause) {
      // It had begun to answer: asking again would make it work, and cost, twice.
      if (cause instanceof AnswerTooLarge)
        throw failure("upstream_error", tooLarge(name, answerBytes), false, { cause });
      throw failure("upstream_error", `The provider ${name} broke off its answer.`, false, { cause });
    }
  }

  private withoutSecrets(text: string): string {
    let rest = text;
    for (const secret of this.options.credential.secrets()) {
      if (secret.length >= MIN_SECRET_LENGTH) rest = rest.replaceAll(secret, "[provider key]");
    }
    return rest;
  }

  private async refusal(response: Response): Promise<UpstreamAnswer> {
    const { name, breaker } = this.options;
    const { status } = response;
    if (isAuth(status)) breaker.failed("auth");
    else if (status >= 500) breaker.failed("server");
    else breaker.worked();
    if (isAuth(status)) {
      await drop(response);
      throw failure(
        "upstream_auth_failed",
        `The provider ${name} refused the hub's key. Ask an operator to check it with: ${commandLine(COMMANDS.testProvider(name))}`,
        true,
      );
    }
    if (status === 429) {
      const wait = retryAfter(response.headers.get("retry-after"));
      const said = await this.said(response);
      throw failure("upstream_rate_limited", `The provider ${name} is limiting its rate.`, true, { wait, said });
    }
    if (status === 408 || status >= 500) {
      const code = status === 504 || status === 408 ? "upstream_timeout" : "upstream_error";
      const said = await this.said(response);
      throw failure(code, `The provider ${name} answered with status ${status}.`, true, { said });
    }
    return { kind: "refused", status, text: await this.text(response) };
  }

  /** Its words about its own failure, where they are of its API: what proxies before it say is of another form. */
  private async said(response: Response): Promise<ProviderWords | null> {
    const text = this.withoutSecrets(await drop(response));
    const body = parseJson(text);
    return isRecord(body) && isRecord(body["error"]) ? { status: response.status, text } : null;
  }
}

/** The same headers serve for many requests, so they are not changed. */
const withTrace = (headers: Headers, trace: TraceHeaders): Headers => {
  const own = new Headers(headers);
  own.set("traceparent", trace.traceparent);
  if (trace.tracestate !== undefined) own.set("tracestate", trace.tracestate);
  return own;
};

const isAuth = (status: number): boolean => status === 401 || status === 403;

/** What is missing is told by `provider test`: callers have no use for it. */
const noCredential = (name: string): string =>
  `The hub has no valid credential for the provider ${name}. Ask an operator to check it with: ${commandLine(COMMANDS.testProvider(name))}`;

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
  { cause, wait = null, said = null }: FailureDetails = {},
): UpstreamFailure => new UpstreamFailure(new GuardError(code, message, { cause }), retryable, wait, said);

type FailureDetails = {
  readonly cause?: unknown;
  /** How long the provider asked to wait, in milliseconds. */
  readonly wait?: number | null;
  readonly said?: ProviderWords | null;
};

/** `Retry-After` in seconds (the date form is not used by providers) as milliseconds. */
const retryAfter = (header: string | null): number | null => {
  const seconds = Number(header);
  return header !== null && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
};
