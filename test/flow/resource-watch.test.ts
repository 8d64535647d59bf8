import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { isRecord, type JsonRecord } from "#core/json/json";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { asTransport } from "#test/support/mcp-transport";
import { verifies } from "#test/support/verifies";
import { type Answer, BOB, EVE, ToolWorld, until as untilLate } from "./tools-world";

const until = <T>(ask: () => T, isSo: (answer: T) => boolean): Promise<T> => untilLate(ask, isSo, 10_000);
const WATCHED = "test://watched-resource";
const publicUri = (server: string, uri = WATCHED): string => `guardhouse://${server}/${uri}`;
const INFO = { name: "guardhouse-tests", version: "1.0.0" };

let world: ToolWorld;
let fixtures: Readonly<Record<"old" | "new" | "none", McpFixture>>;
const tokens = { bob: "", some: "" };
beforeAll(async () => {
  fixtures = {
    old: McpFixture.start({ era: "2025", offers: true }),
    new: McpFixture.start({ era: "2026", offers: true }),
    none: McpFixture.start({ era: "2025", tools: [tool("echo", () => text("echo"))] }),
  };
  world = await ToolWorld.open({
    env: { GUARDHOUSE_GUARD__AUTOMATIC_RESTRICTIONS: "off" },
    before: async (hub) => {
      await hub.createUser(BOB);
      for (const [slug, { url }] of Object.entries(fixtures)) await hub.addToolServer(slug, { owner: EVE, url });
      await hub.createAgent("some", EVE);
      await hub.cli(
        "tool-server",
        "assign",
        "old",
        "--owner",
        EVE,
        "--agent",
        "some",
        "--resources",
        "test://watched-*",
      );
      tokens.bob = (await hub.createToken(BOB)).token;
      tokens.some = (await hub.createToken(EVE, "some")).token;
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  for (const fixture of Object.values(fixtures ?? {})) await fixture[Symbol.asyncDispose]();
});

/** Streams that a test opened. */
const open: { end(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.end()));
  await until(
    () => [fixtures.old.watched.length, fixtures.new.watched.length],
    (counts) => counts.every((count) => count === 0),
  );
});

/** Messages of an event stream as they come. */
class Heard {
  readonly messages: JsonRecord[] = [];
  isOver = false;
  private readonly leaving = new AbortController();

  get signal(): AbortSignal {
    return this.leaving.signal;
  }

  async read(response: Response): Promise<void> {
    open.push(this);
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of response.body ?? []) {
        rest += decoder.decode(chunk, { stream: true });
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const message: unknown = line.startsWith("data:") ? JSON.parse(line.slice(5)) : null;
          if (isRecord(message)) this.messages.push(message);
        }
      }
    } catch (error) {
      if (!this.signal.aborted) throw error;
    }
    this.isOver = true;
  }

  get updates(): unknown[] {
    const news = this.messages.filter(({ method }) => method === "notifications/resources/updated");
    return news.map(({ params }) => isRecord(params) && params["uri"]);
  }

  end(): void {
    this.leaving.abort();
  }
}

type Session = { readonly headers: Readonly<Record<string, string>>; readonly token: string };
const session = async (token = world.token): Promise<Session> => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
  const { headers } = await world.legacy("initialize", params, { token });
  const id = headers.get("mcp-session-id") ?? "";
  const one = { token, headers: { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" } };
  open.push({ end: () => close(one) });
  return one;
};
const close = async (one: Session): Promise<void> => {
  const { status } = await world.hub.fetch("/mcp/gateway", { method: "DELETE", ...one });
  expect(status).toBe(204);
};
const streamOf = async ({ token, headers }: Session): Promise<Heard> => {
  const heard = new Heard();
  const accept = { accept: "text/event-stream" };
  const response = await world.hub.fetch("/mcp/gateway", {
    method: "GET",
    token,
    headers: { ...headers, ...accept },
    signal: heard.signal,
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  void heard.read(response);
  return heard;
};
const subscribe = (one: Session, uri: string): Promise<Answer> => world.legacy("resources/subscribe", { uri }, one);
const listen = async (notifications: JsonRecord, token = world.token): Promise<Heard> => {
  const heard = new Heard();
  void heard.read(await world.askModern("subscriptions/listen", { notifications }, { token, signal: heard.signal }));
  await until(
    () => heard.messages.length,
    (count) => count > 0,
  );
  return heard;
};
const agreed = ({ messages: [first] }: Heard): unknown =>
  isRecord(first?.["params"]) && first["params"]["notifications"];

describe.each(["old", "new"] as const)("a resource of the %s server", (server) => {
  test("is watched by a client of the 2025 era, until it unsubscribes", async () => {
    verifies("tools.watching", "tools.watching-guarded");
    await world.minimal("resources/list");
    const one = await session();
    const heard = await streamOf(one);
    const answer = await subscribe(one, publicUri(server));
    expect(answer.body["result"]).toEqual({});
    const record = await world.recordOf(answer);
    expect(record).toMatchObject({ kind: "resource.subscribe", outcome: "answered" });
    expect(record.call.tool).toMatchObject({ server, tool: WATCHED, name: publicUri(server) });
    fixtures[server].updated(WATCHED);
    await until(
      () => heard.updates,
      (updates) => updates.length > 0,
    );
    expect(heard.updates).toEqual([publicUri(server)]);
    const ended = await world.legacy("resources/unsubscribe", { uri: publicUri(server) }, one);
    expect(ended.body["result"]).toEqual({});
    await fixtures[server].until(() => fixtures[server].watched.length === 0, 10_000);
  });

  test("is watched by a client of 2026-07-28, as long as it listens", async () => {
    verifies("tools.watching");
    const heard = await listen({ resourceSubscriptions: [publicUri(server), publicUri("none"), publicUri("nobody")] });
    expect(agreed(heard)).toEqual({ resourceSubscriptions: [publicUri(server)] });
    fixtures[server].updated(WATCHED);
    await until(
      () => heard.updates,
      (updates) => updates.length > 0,
    );
    expect(heard.updates).toEqual([publicUri(server)]);
    heard.end();
    await fixtures[server].until(() => fixtures[server].watched.length === 0, 10_000);
  });

  test("is asked for once, however many watch it, and passed on at a bounded rate", async () => {
    verifies("tools.watching-guarded");
    const sessions = await Promise.all([session(), session()]);
    const heard = await Promise.all(sessions.map(streamOf));
    for (const one of sessions) expect((await subscribe(one, publicUri(server))).status).toBe(200);
    expect(fixtures[server].watched).toEqual([WATCHED]);
    for (let count = 0; count < 200; count += 1) fixtures[server].updated(WATCHED);
    await until(
      () => heard.map(({ updates }) => updates.length),
      (counts) => counts.every((count) => count > 1),
    );
    for (const { updates } of heard) expect(updates.length).toBeLessThan(5);
    heard[0]?.end();
    await Bun.sleep(100);
    expect(fixtures[server].watched).toEqual([WATCHED]);
  });

  test("is watched again where the connection broke, and its client is told that it may have changed", async () => {
    verifies("tools.watching");
    const one = await session();
    const heard = await streamOf(one);
    await subscribe(one, publicUri(server));
    await fixtures[server].down();
    fixtures[server].up();
    await fixtures[server].until(() => fixtures[server].watched.length === 1, 10_000);
    await until(
      () => heard.updates,
      (updates) => updates.length > 0,
    );
    // The server's list, too, is looked at again.
    await world.listed((names) => names.some((name) => name.startsWith(server)));
    await close(one);
    await fixtures[server].until(() => fixtures[server].watched.length === 0, 10_000);
  });
});

describe("who may watch", () => {
  test("is who may read", async () => {
    verifies("tools.watching-guarded");
    const bob = await session(tokens.bob);
    const foreign = await subscribe(bob, publicUri("old"));
    expect(foreign.error).toMatchObject({ code: -32_602, data: { code: "not_found" } });
    const some = await session(tokens.some);
    const other = await subscribe(some, publicUri("old", "test://static-text"));
    expect(other.error["code"]).toBe(-32_602);
    expect((await world.recordOf(other)).call.tool.denied_by).toBe("agent");
    const dots = await subscribe(some, publicUri("old", "test://watched-/../static-text"));
    expect(dots.error["code"]).toBe(-32_602);
    expect((await subscribe(some, publicUri("old"))).body["result"]).toEqual({});
    await close(some);
    await fixtures.old.until(() => fixtures.old.watched.length === 0, 10_000);
  });

  test("has a session; and a server that tells", async () => {
    verifies("tools.watching-guarded");
    expect((await world.legacy("resources/subscribe", { uri: publicUri("old") })).status).toBe(404);
    const elsewhere = { "mcp-session-id": `hub.-00000000-${crypto.randomUUID()}` };
    expect((await world.legacy("resources/subscribe", { uri: publicUri("old") }, { headers: elsewhere })).status).toBe(
      404,
    );
    expect((await subscribe(await session(), publicUri("none"))).error["message"]).toContain(
      "does not tell of changes",
    );
  });

  test("does not send a secret to a server", async () => {
    verifies("tools.watching-guarded");
    const secret = `ghp_${"A1b2C3d4E5".repeat(3)}A1b2C3`;
    const answer = await subscribe(await session(), publicUri("old", `test://template/${secret}/data`));
    expect(answer.body["error"]).toBeDefined();
    expect(fixtures.old.requests.some(({ text: body }) => body.includes(secret))).toBe(false);
    expect(JSON.stringify(await world.recordOf(answer))).not.toContain(secret);
  });

  test("watches a bounded number", async () => {
    verifies("tools.watching-guarded");
    const one = await session();
    const heard = await streamOf(one);
    const uris = Array.from({ length: 33 }, (_, at) => publicUri("old", `test://template/${at}/data`));
    const answers: Answer[] = [];
    for (const uri of uris) answers.push(await subscribe(one, uri));
    expect(answers.slice(0, 32).every(({ body }) => Bun.deepEquals(body["result"], {}))).toBe(true);
    expect(answers[32]?.error["message"]).toContain("at most 32");
    const tooMany = await world.modern("subscriptions/listen", { notifications: { resourceSubscriptions: uris } });
    expect(tooMany.error["code"]).toBe(-32_602);
    heard.end();
  });
});

describe("subscriptions that are made at once", () => {
  const results = (answers: readonly Answer[]): number => answers.filter(({ body }) => body["result"]).length;
  const templates = (count: number, name: string | number): string[] =>
    Array.from({ length: count }, (_, at) => publicUri("old", `test://template/${name}-${at}/data`));

  test("are no more than a session may have", async () => {
    verifies("tools.watching-guarded");
    const one = await session();
    const answers = await Promise.all(templates(40, "at-once").map((uri) => subscribe(one, uri)));
    expect(results(answers)).toBe(32);
    await close(one);
    const again = await session();
    expect(results(await Promise.all(templates(32, "again").map((uri) => subscribe(again, uri))))).toBe(32);
  });

  test("are no more than a token may have, over all of its sessions", async () => {
    verifies("tools.watching-guarded");
    const sessions = await Promise.all(Array.from({ length: 5 }, () => session()));
    const asked = sessions.map((one, at) => Promise.all(templates(30, at).map((uri) => subscribe(one, uri))));
    const answers = (await Promise.all(asked)).flat();
    expect(results(answers)).toBe(128);
    const refused = answers.find(({ body }) => body["error"]);
    expect(refused?.error["message"]).toContain("at most 128");
    const bob = await session(tokens.some);
    expect((await subscribe(bob, publicUri("old"))).body["result"]).toEqual({});
  });
});

describe("watching ends", () => {
  test("with the assignment that allowed it", async () => {
    verifies("tools.watching-guarded");
    const some = await session(tokens.some);
    const heard = await streamOf(some);
    await subscribe(some, publicUri("old"));
    await world.hub.cli("tool-server", "assign", "old", "--owner", EVE, "--agent", "some", "--tools", "echo");
    await fixtures.old.until(() => fixtures.old.watched.length === 0, 10_000);
    await until(
      () => heard.updates.length,
      (count) => count === 1,
    );
    const again = ["--resources", "test://watched-*"];
    await world.hub.cli("tool-server", "assign", "old", "--owner", EVE, "--agent", "some", ...again);
  });

  test("with a suspension, and with the token", async () => {
    verifies("tools.watching-guarded");
    const some = await session(tokens.some);
    const heard = await streamOf(some);
    const newer = await listen({ resourceSubscriptions: [publicUri("old")] }, tokens.some);
    await subscribe(some, publicUri("old"));
    await world.cli("killswitch", "on", "--level", "agent", "--target", "some", "--reason", "test");
    await fixtures.old.until(() => fixtures.old.watched.length === 0, 10_000);
    await until(
      () => [heard.isOver, newer.isOver],
      (over) => over.every(Boolean),
    );
  });

  test("with a token that is revoked while its stream begins", async () => {
    verifies("tools.watching-guarded");
    const { token, id } = await world.hub.createToken(EVE);
    const heard = new Heard();
    const before = fixtures.new.of("subscriptions/listen").length;
    fixtures.new.fault("subscriptions/listen", { kind: "delay", ms: 3_000 });
    const notifications = { toolsListChanged: true, resourceSubscriptions: [publicUri("new")] };
    const answered = world.askModern("subscriptions/listen", { notifications }, { token, signal: heard.signal });
    await fixtures.new.until(() => fixtures.new.of("subscriptions/listen").length > before, 10_000);
    await world.cli("token", "revoke", id);
    void heard.read(await answered);
    await until(
      () => heard.isOver,
      (isOver) => isOver,
    );
    fixtures.new.heal();
  });

  test("with the server", async () => {
    verifies("tools.watching-guarded");
    const heard = await listen({ resourceSubscriptions: [publicUri("new")] });
    await world.cli("tool-server", "disable", "new", "--owner", EVE);
    await fixtures.new.until(() => fixtures.new.watched.length === 0, 10_000);
    await world.cli("tool-server", "enable", "new", "--owner", EVE);
    expect(heard.isOver).toBe(false);
  });
});

describe("the stream of a session", () => {
  test("tells the SDKs of changed lists and resources", async () => {
    verifies("tools.session-stream", "tools.watching");
    const heard: string[] = [];
    const requestInit = { headers: { authorization: `Bearer ${world.token}` } };
    const older = new Client(INFO);
    older.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(`1 ${params.uri}`));
    older.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("1 tools"));
    const transports = [
      new StreamableHTTPClientTransport(new URL(world.url), { requestInit }),
      new ModernTransport(new URL(world.url), { requestInit }),
    ] as const;
    await older.connect(asTransport(transports[0]));
    expect(older.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
    });
    await older.subscribeResource({ uri: publicUri("old") });
    const newer = new ModernClient(INFO, { versionNegotiation: { mode: "legacy" } });
    newer.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(`2 ${params.uri}`));
    newer.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("2 tools"));
    await newer.connect(transports[1]);
    await newer.subscribeResource({ uri: publicUri("old") });
    await Bun.sleep(100);
    fixtures.old.updated(WATCHED);
    fixtures.old.set(tool("another", () => text("another")));
    await until(
      () => heard,
      (all) => ["1", "2"].every((one) => all.includes(`${one} tools`) && all.includes(`${one} ${publicUri("old")}`)),
    );
    // A client that only leaves may come back.
    for (const transport of transports) await transport.terminateSession();
    await older.close();
    await newer.close();
  });

  test("is one; a second takes its place, and a token has a bounded number", async () => {
    verifies("tools.session-stream");
    const one = await session();
    const first = await streamOf(one);
    const second = await streamOf(one);
    await until(
      () => first.isOver,
      (isOver) => isOver,
    );
    expect(second.isOver).toBe(false);
    const many = await Promise.all(Array.from({ length: 15 }, () => session()));
    for (const each of many) await streamOf(each);
    const { token, headers } = await session();
    const refused = await world.hub.fetch("/mcp/gateway", {
      method: "GET",
      token,
      headers: { ...headers, accept: "text/event-stream" },
    });
    expect(refused.status).toBe(429);
    await refused.text();
  });

  test("that takes another's place hears of what the session watched", async () => {
    verifies("tools.session-stream", "tools.watching");
    const one = await session();
    const first = await streamOf(one);
    await subscribe(one, publicUri("old"));
    const second = await streamOf(one);
    await until(
      () => first.isOver,
      (isOver) => isOver,
    );
    expect(fixtures.old.watched).toEqual([WATCHED]);
    fixtures.old.updated(WATCHED);
    await until(
      () => second.updates,
      (updates) => updates.length > 0,
    );
    expect([first.updates, second.updates]).toEqual([[], [publicUri("old")]]);
  });

  test("is not there without a session, nor for one of another start", async () => {
    verifies("tools.session-stream");
    const get = (headers: Readonly<Record<string, string>>) =>
      world.hub.fetch("/mcp/gateway", {
        method: "GET",
        token: world.token,
        headers: { accept: "text/event-stream", ...headers },
      });
    expect((await get({})).status).toBe(405);
    expect((await get({ "mcp-session-id": `hub.-00000000-${crypto.randomUUID()}` })).status).toBe(404);
    expect((await get({ "mcp-session-id": "of another server" })).status).toBe(404);
  });
});
