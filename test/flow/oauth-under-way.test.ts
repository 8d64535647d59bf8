import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "#test/flow/browser";
import { ADA, OAuthHouse } from "#test/flow/oauth-house";
import { modern } from "#test/http/mcp-room";
import { beside } from "#test/support/database";
import { FakeProvider, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";

const EVE = "eve@example.org";

let house: OAuthHouse;
let ada: Browser;
beforeAll(async () => {
  house = await OAuthHouse.open();
  ada = await house.signedIn();
});
afterAll(() => house[Symbol.asyncDispose]());

/** An answer that comes in pieces, read as it comes. */
class Told {
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
const calling = async (token: string, steps: number, server = "fix"): Promise<Told> => {
  const params = { name: `${server}__slow`, arguments: { steps, gap_ms: 20 }, _meta: { progressToken: "p" } };
  const headers = { accept: "application/json, text/event-stream" };
  const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const told = new Told(await house.hub.fetch("/mcp/gateway", { token, headers, json }));
  await told.hears("notifications/progress");
  return told;
};
/** Longer than any test waits. */
const ENDLESS = 100_000;

const expectCutOff = async (told: Told, token: string): Promise<void> => {
  const end = await told.end();
  expect(end).toContain('"code":"invalid_api_key"');
  expect(end).not.toContain("done after");
  expect((await house.ask(token)).status).toBe(401);
};

describe("a call under way ends", () => {
  test("when its user disconnects the client, when the client gives its token back, when it is disabled", async () => {
    verifies("oauth.under-way");
    const ends = [
      (client: string) => ada.send(`/api/oauth/clients/${client}`, { method: "DELETE" }),
      (client: string, token: string) => house.form("revoke", { client_id: client, token }),
      (client: string) => ada.send(`/api/oauth/all-clients/${client}`, { method: "PATCH", json: { disabled: true } }),
    ];
    for (const end of ends) {
      const client = await house.register();
      const { access } = await house.connect(ada, client);
      const told = await calling(access, ENDLESS);
      expect((await end(client, access)).ok).toBe(true);
      await expectCutOff(told, access);
    }
  });

  test("when its user is disabled", async () => {
    verifies("oauth.under-way");
    const eve = await house.member(EVE);
    const made = await house.hub.cli("tool-server", "add", "eves", "--owner", EVE, "--url", house.toolsUrl);
    expect(made.code).toBe(0);
    const { access } = await house.connect(eve, await house.register());
    const told = await calling(access, ENDLESS, "eves");
    expect((await house.hub.cli("user", "disable", EVE)).code).toBe(0);
    await expectCutOff(told, access);
  });

  test("when its gateway token is revoked, at the tool gateway and at a model", async () => {
    verifies("oauth.under-way");
    await using provider = await FakeProvider.start();
    await house.hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-*"] });
    const { id, token } = await house.hub.createToken(ADA);
    const told = await calling(token, ENDLESS);
    provider.next(says(["Once ", "upon "], { stop: { after: 2, how: "hang" } }));
    const messages = [{ role: "user", content: "Hello there" }];
    const json = { model: "fake-model", stream: true, messages };
    const story = new Told(await house.hub.fetch("/v1/chat/completions", { token, json }));
    await story.hears("Once");
    expect((await house.hub.cli("token", "revoke", id)).code).toBe(0);
    expect(await story.end()).toContain('"code":"invalid_api_key"');
    await expectCutOff(told, token);
    const [last] = (await house.records("chat.completion")).filter((row) => row["phase"] === "final");
    expect(last).toMatchObject({ outcome: "refused" });
  });

  test("not when its token has only run out", async () => {
    verifies("oauth.under-way");
    const { access } = await house.connect(ada, await house.register());
    const told = await calling(access, 40);
    beside(house.hub, (db) => db.run("UPDATE auth_oauth_access_token SET expires_at = ?", [Date.now()]));
    expect((await house.ask(access)).status).toBe(401);
    expect(await told.end()).toContain("done after 40 steps");
  });
});

test("who listens is told when their list was changed, and is out when it is taken away", async () => {
  verifies("oauth.under-way");
  const client = await house.register();
  const { access } = await house.connect(ada, client, ["fix__*"]);
  const { headers, body } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const told = new Told(await house.hub.fetch("/mcp/gateway", { token: access, headers, json: body }));
  await told.hears("subscriptions/acknowledged");
  const narrowed = await ada.send(`/api/oauth/clients/${client}`, { method: "PATCH", json: { tools: ["fix__echo"] } });
  expect(narrowed.status).toBe(200);
  await told.hears("tools/list_changed");
  expect((await house.names(access)).filter((name) => name.startsWith("fix__"))).toEqual(["fix__echo"]);
  expect((await ada.send(`/api/oauth/clients/${client}`, { method: "DELETE" })).status).toBe(204);
  expect(await told.end()).toContain('"resultType":"complete"');
});
