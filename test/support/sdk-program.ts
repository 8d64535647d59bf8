import {
  Client as ModernClient,
  type OAuthClientProvider as ModernProvider,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { isRecord } from "#core/json/json";

/** What a program keeps of its sign-in, and the address it wants a browser to open. */
export class Keeper implements OAuthClientProvider, ModernProvider {
  readonly clientMetadata: { readonly client_name: string; readonly redirect_uris: string[] };
  asked: URL | undefined;
  kept: OAuthTokens | undefined;
  private information: OAuthClientInformationMixed | undefined;
  private verifier = "";

  constructor(
    readonly redirectUrl: string,
    name = "SDK",
  ) {
    this.clientMetadata = { client_name: name, redirect_uris: [redirectUrl] };
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.information;
  }
  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information;
  }
  tokens(): OAuthTokens | undefined {
    return this.kept;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }
  codeVerifier(): string {
    return this.verifier;
  }
  state(): string {
    return "sdk-state";
  }
  invalidateCredentials(scope: string): void {
    if (scope === "all" || scope === "tokens") this.kept = undefined;
  }
}

export type Connected = {
  list(): Promise<string[]>;
  /** The text a tool answered. */
  call(name: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
};

/** A program built on the SDK: refused at first, it has a browser opened, and connects with what comes back. */
export type Program = {
  connect(): Promise<Connected>;
  finish(parameters: URLSearchParams): Promise<void>;
};

type Listed = { readonly tools: readonly { readonly name: string }[] };

const connected = (client: {
  listTools(): Promise<Listed>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  close(): Promise<void>;
}): Connected => ({
  list: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args) => {
    const answer = await client.callTool({ name, arguments: args });
    const [first]: unknown[] = "content" in answer && Array.isArray(answer.content) ? answer.content : [];
    return isRecord(first) ? `${first["text"]}` : "";
  },
  close: () => client.close(),
});

/** How a program asks; the bench counts. */
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const old = (keeper: Keeper, resource: string, ask: Fetch = fetch): Program => {
  const options = { authProvider: keeper, fetch: ask };
  const transport = () => new StreamableHTTPClientTransport(new URL(resource), options);
  return {
    finish: (parameters) => transport().finishAuth(parameters.get("code") ?? ""),
    connect: async () => {
      const client = new Client({ name: "test", version: "1" });
      // Its types know no `exactOptionalPropertyTypes`.
      await client.connect(transport() as Parameters<Client["connect"]>[0]);
      return connected(client);
    },
  };
};

const modern = (keeper: Keeper, resource: string, ask: Fetch = fetch): Program => {
  const options = { authProvider: keeper, fetch: ask };
  const first = new ModernTransport(new URL(resource), options);
  return {
    finish: (parameters) => first.finishAuth(parameters),
    connect: async () => {
      const client = new ModernClient({ name: "test", version: "2" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(new ModernTransport(new URL(resource), options));
      return connected(client);
    },
  };
};

export const SDK_GENERATIONS = [
  ["1.x", old],
  ["2", modern],
] as const;
