import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "#test/flow/browser";
import { ADA, OAuthWorld } from "#test/flow/oauth-world";
import { modern } from "#test/http/mcp-endpoint";
import { beside } from "#test/support/database";
import { FakeProvider, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";

const EVE = "eve@example.org";

let world: OAuthWorld;
let ada: Browser;
beforeAll(async () => {
  world = await OAuthWorld.open();
  ada = await world.signedIn();
});
afterAll(() => world[Symbol.asyncDispose]());

/** An answer that comes in pieces, read as it comes. */
class Reading {
  private heard = "";
  private readonly reader;

  constructor(answer: Response) {
    this.reader = (answer.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>())
      .pipeThrough(new TextDecoderStream())
      .getReader();
  }

  /** Throws when the answer ends before. */
  async hears(words: string): Promise<void> {
    while (!this.heard.includes(words)) {
      const { done, value } = await this.reader.read();
      if (done) throw new Error(`it ended with ${this.heard}`);
      this.heard += value;
    }
  }

  /** Everything, once it has ended. */
  async end(): Promise<string> {
    for (;;) {
      const { done, value } = await this.reader.read();
      if (done) return this.heard;
      this.heard += value;
    }
  }
}

/** A tool that says every 20 ms that it is at it. */
const calling = async (token: string, steps: number, server = "fix"): Promise<Reading> => {
  const params = { name: `${server}__slow`, arguments: { steps, gap_ms: 20 }, _meta: { progressToken: "p" } };
  const headers = { accept: "application/json, text/event-stream" };
  const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const told = new Reading(await world.hub.fetch("/mcp/gateway", { token, headers, json }));
  await told.hears("notifications/progress");
  return told;
};
/** Longer than any test waits. */
const ENDLESS = 100_000;

const expectCutOff = async (told: Reading, token: string): Promise<void> => {
  const end = await told.end();
  expect(end).toContain('"code":"invalid_api_key"');
  expect(end).not.toContain("done after");
  expect((await world.ask(token)).status).toBe(401);
};

describe("a call under way ends", () => {
  test("when its user disconnects the client, when the client gives its token back, when it is disabled", async () => {
    verifies("oauth.under-way");
    const ends = [
      (client: string) => ada.send(`/api/oauth/clients/${client}`, { method: "DELETE" }),
      (client: string, token: string) => world.form("revoke", { client_id: client, token }),
      (client: string) => ada.send(`/api/oauth/all-clients/${client}`, { method: "PATCH", json: { disabled: true } }),
    ];
    for (const end of ends) {
      const client = await world.register();
      const { access } = await world.connect(ada, client);
      const told = await calling(access, ENDLESS);
      expect((await end(client, access)).ok).toBe(true);
      await expectCutOff(told, access);
    }
  });

  test("when its user is disabled", async () => {
    verifies("oauth.under-way");
    const eve = await world.member(EVE);
    const made = await world.hub.cli("tool-server", "add", "eves", "--owner", EVE, "--url", world.toolsUrl);
    expect(made.code).toBe(0);
    const { access } = await world.connect(eve, await world.register());
    const told = await calling(access, ENDLESS, "eves");
    expect((await world.hub.cli("user", "disable", EVE)).code).toBe(0);
    await expectCutOff(told, access);
  });

  test("when its gateway token is revoked, at the tool gateway and at a model", async () => {
    verifies("oauth.under-way");
    await using provider = await FakeProvider.start();
    await world.hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-*"] });
    const { id, token } = await world.hub.createToken(ADA);
    const told = await calling(token, ENDLESS);
    provider.next(says(["Once ", "upon "], { stop: { after: 2, how: "hang" } }));
    const messages = [{ role: "user", content: "Hello there" }];
    const json = { model: "fake-model", stream: true, messages };
    const story = new Reading(await world.hub.fetch("/v1/chat/completions", { token, json }));
    await story.hears("Once");
    expect((await world.hub.cli("token", "revoke", id)).code).toBe(0);
    expect(await story.end()).toContain('"code":"invalid_api_key"');
    await expectCutOff(told, token);
    const [last] = (await world.records("chat.completion")).filter((row) => row["phase"] === "final");
    expect(last).toMatchObject({ outcome: "refused" });
  });

  test("not when its token has only run out", async () => {
    verifies("oauth.under-way");
    const { access } = await world.connect(ada, await world.register());
    const told = await calling(access, 40);
    beside(world.hub, (db) => db.run("UPDATE auth_oauth_access_token SET expires_at = ?", [Date.now()]));
    expect((await world.ask(access)).status).toBe(401);
    expect(await told.end()).toContain("done after 40 steps");
  });
});

test("tool list subscribers are notified of changes and disconnected at revocation", async () => {
  verifies("oauth.under-way");
  const client = await world.register();
  const { access } = await world.connect(ada, client, ["fix__*"]);
  const { headers, body } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const told = new Reading(await world.hub.fetch("/mcp/gateway", { token: access, headers, json: body }));
  await told.hears("subscriptions/acknowledged");
  const narrowed = await ada.send(`/api/oauth/clients/${client}`, { method: "PATCH", json: { tools: ["fix__echo"] } });
  expect(narrowed.status).toBe(200);
  await told.hears("tools/list_changed");
  expect((await world.names(access)).filter((name) => name.startsWith("fix__"))).toEqual(["fix__echo"]);
  expect((await ada.send(`/api/oauth/clients/${client}`, { method: "DELETE" })).status).toBe(204);
  expect(await told.end()).toContain('"resultType":"complete"');
});
