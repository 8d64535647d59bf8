import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  Client as ModernClient,
  type OAuthClientProvider as ModernProvider,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { Browser } from "#test/flow/browser";
import { CALLBACK, OAuthHouse } from "#test/flow/oauth-house";
import { verifies } from "#test/support/verifies";

let house: OAuthHouse;
let ada: Browser;
beforeAll(async () => {
  house = await OAuthHouse.open();
  ada = await house.signedIn();
});
afterAll(() => house[Symbol.asyncDispose]());

/** What a program keeps of its sign-in, and the browser it opens. */
class Keeper implements OAuthClientProvider, ModernProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: "SDK", redirect_uris: [CALLBACK] };
  asked: URL | undefined;
  kept: OAuthTokens | undefined;
  private information: OAuthClientInformationMixed | undefined;
  private verifier = "";

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

  /** The person signs in and consents; gives the parameters the program gets back. */
  async consented(): Promise<URLSearchParams> {
    if (!this.asked) throw new Error("nobody was asked");
    const end = await house.decide(ada, this.asked.search.slice(1), ["fix__*"]);
    expect(end.searchParams.get("state")).toBe("sdk-state");
    return end.searchParams;
  }
}

type Connected = { list(): Promise<string[]>; close(): Promise<void> };
type Generation = (keeper: Keeper) => {
  connect(): Promise<Connected>;
  finish(parameters: URLSearchParams): Promise<void>;
};

const old: Generation = (keeper) => {
  const transport = new StreamableHTTPClientTransport(new URL(house.resource), { authProvider: keeper });
  return {
    finish: (parameters) => transport.finishAuth(parameters.get("code") ?? ""),
    connect: async () => {
      const again = new StreamableHTTPClientTransport(new URL(house.resource), { authProvider: keeper });
      const client = new Client({ name: "test", version: "1" });
      // Its types know no `exactOptionalPropertyTypes`.
      await client.connect(again as Parameters<Client["connect"]>[0]);
      return {
        list: async () => (await client.listTools()).tools.map(({ name }) => name),
        close: () => client.close(),
      };
    },
  };
};

const modern: Generation = (keeper) => {
  const transport = new ModernTransport(new URL(house.resource), { authProvider: keeper });
  return {
    finish: (parameters) => transport.finishAuth(parameters),
    connect: async () => {
      const again = new ModernTransport(new URL(house.resource), { authProvider: keeper });
      const client = new ModernClient({ name: "test", version: "2" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(again);
      return {
        list: async () => (await client.listTools()).tools.map(({ name }) => name),
        close: () => client.close(),
      };
    },
  };
};

for (const [name, generation] of [
  ["1.x", old],
  ["2", modern],
] as const) {
  test(`the SDK's client ${name} registers, signs in, lists tools, refreshes and survives a restart`, async () => {
    verifies("oauth.clients");
    const keeper = new Keeper();
    const program = generation(keeper);
    const refusal: unknown = await program.connect().catch((error: unknown) => error);
    expect(refusal instanceof UnauthorizedError || String(refusal).includes("nauthorized")).toBe(true);
    expect(keeper.asked?.searchParams.get("resource")).toBe(house.resource);
    await program.finish(await keeper.consented());
    const connected = await program.connect();
    expect(await connected.list()).toContain("fix__echo");
    await connected.close();
    await house.hub.restart();
    const after = await program.connect();
    expect(await after.list()).toContain("fix__echo");
    // A token that has ended: the client renews it by itself, and nobody is asked.
    const { kept } = keeper;
    if (!kept) throw new Error("no tokens were kept");
    keeper.kept = { ...kept, access_token: "gw-at-ended" };
    keeper.asked = undefined;
    const renewed = await program.connect();
    expect(await renewed.list()).toContain("fix__echo");
    expect([keeper.asked, keeper.kept.access_token === kept.access_token]).toEqual([undefined, false]);
    await Promise.all([after.close(), renewed.close()]);
  });
}
