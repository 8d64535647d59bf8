import { join } from "node:path";
import type { JsonRecord } from "#core/json/json";

export const CLIENT_ID = "guardhouse";
export const CLIENT_SECRET = "s3cret-of-the-hub-at-the-provider";

/** A real OpenID provider in a process of its own, and people who sign in at it. */
export class OpenIdServer implements AsyncDisposable {
  private constructor(
    private readonly child: Bun.Subprocess<"ignore", "pipe", "ignore">,
    readonly issuer: string,
  ) {}

  static async start(): Promise<OpenIdServer> {
    const script = join(import.meta.dir, "children/openid-provider.ts");
    const child = Bun.spawn([process.execPath, script], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
    const { value } = await child.stdout.getReader().read();
    return new OpenIdServer(child, new TextDecoder().decode(value).trim());
  }

  /** Makes the hub known there, as an administrator of the provider would. */
  async register(hubUrl: string): Promise<void> {
    const body = {
      redirect_uris: [`${hubUrl}/api/auth/oidc/callback`],
      post_logout_redirect_uris: [`${hubUrl}/login`],
      client_name: "The hub",
    };
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${this.issuer}/reg`, { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`not registered: ${await answer.text()}`);
  }

  /** What it says of an account from now on. */
  async says(account: string, claims: JsonRecord): Promise<void> {
    await fetch(`${this.issuer}/accounts/${account}`, { method: "PUT", body: JSON.stringify(claims) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill();
    await this.child.exited;
  }
}

/** A browser's part at the provider: it has cookies of its own there, and so a session. */
export class VisitorAtProvider {
  private readonly jar = new Map<string, string>();
  /** How often the provider asked who they are. */
  asked = 0;

  /** From the address the hub leads to, to the address the provider leads back to. */
  async goes(from: string, account: string): Promise<URL> {
    const { origin } = new URL(from);
    for (let url = new URL(from), hops = 0; hops < 10; hops++) {
      if (url.origin !== origin) return url;
      if (url.pathname.startsWith("/interaction/")) {
        this.asked += 1;
        url.searchParams.set("account", account);
      }
      const answer = await this.send(url);
      const next = answer.headers.get("location");
      if (next === null) throw new Error(`${url.pathname} answers ${answer.status}: ${await answer.text()}`);
      url = new URL(next, url);
    }
    throw new Error("the provider leads in circles");
  }

  /** Signs out where the hub leads to, and says yes to what the provider asks. To the address it leads back to. */
  async signsOut(from: string): Promise<URL> {
    const page = await (await this.send(new URL(from))).text();
    const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
    const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
    const form = new URLSearchParams({ xsrf, logout: "yes" });
    const answer = await this.send(new URL(action, from), { method: "POST", body: form });
    return new URL(answer.headers.get("location") ?? "", from);
  }

  private async send(url: URL, request: { readonly method?: string; readonly body?: URLSearchParams } = {}) {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { ...request, redirect: "manual", headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") this.jar.delete(name);
      else this.jar.set(name, value);
    }
    return answer;
  }
}
