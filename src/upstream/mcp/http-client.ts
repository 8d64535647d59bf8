import { plainHeaders } from "#upstream/plain-fetch";
import { boundedServerText, ToolFailure, withoutValues } from "#upstream/tool-port";
import { beginningOf, discard } from "./http-body.ts";
import { unlessAborted } from "./http-deadline.ts";
import type { ToolAuthorization, ToolFetch } from "./port.ts";

export type HttpOptions = {
  readonly slug: string;
  readonly url: string;
  readonly fetch: ToolFetch;
  readonly authorization: ToolAuthorization;
};

export type HttpHeaders = Readonly<Record<string, string>>;

export type HttpRequest = {
  readonly method: "POST" | "GET" | "DELETE";
  /** Names in lower case. */
  readonly headers: HttpHeaders;
  readonly body: string | null;
  readonly signal: AbortSignal;
};

/** Requests to one address, authorised, and never elsewhere. */
export class HttpClient {
  private given: HttpHeaders = {};
  /** Null for none. */
  private lowered: HttpHeaders | null = null;
  /** Of the latest request: most have the same. */
  private written: { readonly own: HttpHeaders; readonly headers: Headers } | null = null;

  constructor(private readonly options: HttpOptions) {}

  /** The answer whatever its status, but for redirects and refused credentials. Throws `ToolFailure` or what `fetch` throws. */
  async send(request: HttpRequest): Promise<Response> {
    const response = await this.authorized(request);
    if (response.status !== 401 && response.status !== 403) return response;
    const { authorization } = this.options;
    // 403 for want of scope can be mended as 401 can (RFC 6750 §3.1); any other 403 means what it says.
    const canBeMended = response.status === 401 || /insufficient_scope/.test(challenge(response));
    const mended = canBeMended && (await unlessAborted(authorization.refused(response), request.signal));
    if (!mended) throw await this.refusal(response);
    discard(response);
    const again = await this.authorized(request);
    if (again.status !== 401 && again.status !== 403) return again;
    throw await this.refusal(again);
  }

  /** 403 without a challenge, where the hub sent no credentials, is about the request: its address, its `Host`. */
  private async refusal(response: Response): Promise<ToolFailure> {
    const { slug } = this.options;
    const { status } = response;
    const isAboutCredentials = status === 401 || this.lowered !== null || challenge(response) !== "";
    const own = Object.values(this.lowered ?? {}).flatMap((value) => [value, value.replace(/^\w+ /, "")]);
    const text = withoutValues(boundedServerText(await beginningOf(response), "start"), own);
    return isAboutCredentials
      ? new ToolFailure(
          "unauthorized",
          `${slug} refuses the hub's credentials (status ${status}).`,
          false,
          undefined,
          text,
        )
      : new ToolFailure(
          "garbage",
          `${slug} refuses the hub's requests (status ${status}), and asks for no credentials.`,
          false,
          undefined,
          text,
        );
  }

  private async authorized(request: HttpRequest): Promise<Response> {
    // Tokens may have to be fetched first: the request's own limit holds for that too.
    const ready = this.options.authorization.headers();
    const given = ready instanceof Promise ? await unlessAborted(ready, request.signal) : ready;
    if (given !== this.given) {
      this.given = given;
      this.lowered = lowered(given);
      this.written = null;
    }
    const init: BunFetchRequestInit = {
      method: request.method,
      headers: this.headers(request.headers),
      signal: request.signal,
      redirect: "manual",
      // Bun ends a silence of 5 minutes by itself; the deadline of the call decides here.
      timeout: false,
    };
    if (request.body !== null) init.body = request.body;
    const { fetch, url } = this.options;
    const response = await fetch(url, init);
    return response.status >= 300 && response.status < 400 ? this.follow(response, init) : response;
  }

  private headers(own: HttpHeaders): Headers {
    if (this.written?.own === own) return this.written.headers;
    // The protocol's own headers win: configured ones cannot change what is being said.
    const headers = plainHeaders({ ...this.lowered, ...own });
    this.written = { own, headers };
    return headers;
  }

  /** Only within the origin, so that no credential leaves it, and only where the request stays what it is. */
  private async follow(response: Response, init: BunFetchRequestInit): Promise<Response> {
    const { fetch, slug, url } = this.options;
    const { status } = response;
    const target = URL.parse(response.headers.get("location") ?? "", url);
    discard(response);
    if ((status === 307 || status === 308) && target?.origin === new URL(url).origin) {
      const next = await fetch(target.href, init);
      if (next.status < 300 || next.status >= 400) return next;
      discard(next);
    }
    throw new ToolFailure(
      "garbage",
      `${slug} redirects elsewhere (status ${status}). Give the address it redirects to.`,
      false,
    );
  }
}

const lowered = (headers: HttpHeaders): HttpHeaders | null => {
  const pairs = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return pairs.length === 0 ? null : Object.fromEntries(pairs);
};

const challenge = (response: Response): string => response.headers.get("www-authenticate") ?? "";
