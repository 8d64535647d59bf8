import type { Hub, HubRequest } from "#test/support/hub";

/** A browser's part of the conversation: it keeps the cookie it is given, and says where its page is from. */
export class Browser {
  cookie = "";
  /** Of a sign-in at a provider that is under way. */
  attempt = "";

  constructor(
    private readonly hub: Hub,
    readonly origin = hub.url,
  ) {}

  async send(path: string, request: HubRequest = {}): Promise<Response> {
    const headers = new Headers(request.headers);
    const cookies = [this.cookie, this.attempt].filter((one) => one !== "").join("; ");
    if (cookies !== "" && !headers.has("cookie")) headers.set("cookie", cookies);
    const method = request.method ?? (request.json === undefined ? "GET" : "POST");
    if (method !== "GET" && !headers.has("origin")) headers.set("origin", this.origin);
    const answer = await this.hub.fetch(path, { redirect: "manual", ...request, method, headers });
    for (const line of answer.headers.getSetCookie()) this.keep(line);
    return answer;
  }

  private keep(line: string): void {
    const [pair = ""] = line.split(";");
    const value = line.includes("Max-Age=0") ? "" : pair;
    if (pair.startsWith("hub.session_token=")) this.cookie = value;
    if (pair.startsWith("hub.oidc=")) this.attempt = value;
  }

  signIn(email: string, password: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send("/api/auth/sign-in", { json: { email, password }, headers });
  }

  /** Who the hub takes it for; null for nobody. */
  async me(): Promise<string | null> {
    const answer = await this.send("/api/me");
    if (answer.status !== 200) return null;
    const { user } = (await answer.json()) as { user: { email: string } };
    return user.email;
  }
}
