import { createHash } from "node:crypto";

/** One request as the authorization server got it. */
export type Asked = { readonly path: string; readonly authorization: string | null; readonly form: URLSearchParams };
type Begun = { readonly challenge: string; readonly redirect: string };
export type Reply = (asked: Asked) => Response | Promise<Response>;

/**
 * A tool server and its authorization server at one real address: rotates refresh tokens, takes each once, checks
 * PKCE. Paths can be answered otherwise with `instead`, documents changed with `metadata` and `resource`.
 */
export class ScriptedOAuth implements AsyncDisposable {
  readonly asked: Asked[] = [];
  readonly instead = new Map<string, Reply>();
  metadata: Record<string, unknown> = {};
  resource: Record<string, unknown> = {};
  /** What `WWW-Authenticate` says beside the scheme. */
  challenge = "";
  /** Seconds. */
  expiresIn: number | null = 3600;
  /** The MCP server behind it, for those who have the token. */
  tools: string | null = null;
  /** The one access token the tool server takes. */
  access = "";
  private refresh = "";
  private given = 0;
  private readonly codes = new Map<string, Begun>();
  private readonly server: Bun.Server<undefined>;

  constructor(hostname = "127.0.0.1") {
    this.server = Bun.serve({ port: 0, hostname, fetch: (request) => this.answer(request) });
  }

  get origin(): string {
    return `http://${this.server.hostname}:${this.server.port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  /** The requests for tokens, by what was asked. */
  grants(type: string): readonly Asked[] {
    return this.asked.filter(({ path, form }) => path === "/token" && form.get("grant_type") === type);
  }

  /** Every refresh token given so far ends. */
  revoke(): void {
    this.refresh = "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const text = await request.text();
    const form = pathname === "/token" ? new URLSearchParams(text) : searchParams;
    const asked: Asked = { path: pathname, authorization: request.headers.get("authorization"), form };
    this.asked.push(asked);
    const instead = this.instead.get(pathname);
    if (instead) return instead(asked);
    switch (pathname) {
      case "/mcp":
        return this.tool(asked, request, text);
      case "/.well-known/oauth-protected-resource/mcp":
        return Response.json({ resource: this.url, authorization_servers: [this.origin], ...this.resource });
      case "/.well-known/oauth-authorization-server":
        return Response.json(this.document());
      case "/register":
        return Response.json({ client_id: "registered" }, { status: 201 });
      case "/authorize":
        return this.authorize(form);
      case "/token":
        return this.token(form);
      default:
        return new Response("none", { status: 404 });
    }
  }

  private document(): Record<string, unknown> {
    const { origin } = this;
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    };
  }

  private tool(
    { authorization }: Asked,
    { method, headers: sent }: Request,
    text: string,
  ): Response | Promise<Response> {
    if (this.access !== "" && authorization === `Bearer ${this.access}`) {
      if (this.tools === null) return Response.json({});
      return fetch(this.tools, { method, headers: sent, ...(text === "" ? {} : { body: text }) });
    }
    const headers = { "www-authenticate": `Bearer realm="tools"${this.challenge}` };
    return new Response(null, { status: 401, headers });
  }

  private authorize(query: URLSearchParams): Response {
    const code = crypto.randomUUID();
    const redirect = query.get("redirect_uri") ?? "";
    this.codes.set(code, { challenge: query.get("code_challenge") ?? "", redirect });
    const back = new URL(redirect);
    for (const [name, value] of [
      ["code", code],
      ["state", query.get("state") ?? ""],
      ["iss", this.origin],
    ] as const) {
      back.searchParams.set(name, value);
    }
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  private token(form: URLSearchParams): Response {
    const refused = (error: string) => Response.json({ error }, { status: 400 });
    const type = form.get("grant_type");
    if (type === "authorization_code") {
      const code = form.get("code") ?? "";
      const begun = this.codes.get(code);
      this.codes.delete(code);
      const proof = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (begun?.challenge !== proof || begun.redirect !== form.get("redirect_uri")) return refused("invalid_grant");
    }
    if (type === "refresh_token") {
      if (this.refresh === "" || form.get("refresh_token") !== this.refresh) return refused("invalid_grant");
    }
    this.given += 1;
    this.access = `access-${this.given}-${crypto.randomUUID()}`;
    this.refresh = `refresh-${this.given}-${crypto.randomUUID()}`;
    const renewable = type === "client_credentials" ? {} : { refresh_token: this.refresh };
    const ends = this.expiresIn === null ? {} : { expires_in: this.expiresIn };
    return Response.json({ access_token: this.access, token_type: "bearer", ...ends, ...renewable });
  }
}
