import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FakeProvider } from "#test/support/fake-provider";
import { Hub, type Token } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { type RawAnswer, request, sendRaw } from "./raw-client";

const EVE = "eve@example.com";
let provider: FakeProvider;

/** A hub with a token that is good, so that only the Host can be what refuses. */
const hubWith = async (env: Record<string, string>, basePath = ""): Promise<{ hub: Hub; token: Token }> => {
  const hub = await Hub.create({ env, basePath });
  await hub.createUser(EVE);
  const token = await hub.createToken(EVE);
  await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-model"] });
  await hub.start();
  return { hub, token };
};

const CHAT = JSON.stringify({ model: "fake-model", messages: [{ role: "user", content: "Good morning" }] });

/** A good call in every respect but its Host lines. */
const call = (
  url: string,
  token: string,
  hosts: readonly string[],
  target = "/v1/chat/completions",
): Promise<RawAnswer> => {
  const headers = [...hosts, `Authorization: Bearer ${token}`, `Content-Length: ${CHAT.length}`, "Connection: close"];
  return sendRaw(url, request(`POST ${target} HTTP/1.1`, headers, CHAT));
};

const codeOf = ({ body }: RawAnswer): unknown => (body === "" ? null : JSON.parse(body).error?.code);

beforeAll(async () => {
  provider = await FakeProvider.start();
});
afterAll(() => provider[Symbol.asyncDispose]());

describe("a request for another host", () => {
  let hub: Hub;
  let token: Token;
  beforeAll(async () => {
    ({ hub, token } = await hubWith({}));
  });
  afterAll(() => hub[Symbol.asyncDispose]());

  const portOf = (): string => new URL(hub.url).port;
  const hostile: Record<string, (port: string) => readonly string[]> = {
    "of one letter": () => ["Host: a"],
    empty: () => ["Host: "],
    "with a path": () => ["Host: x/y"],
    "that is a slash": () => ["Host: /"],
    "of ours with a path": (port) => [`Host: 127.0.0.1:${port}/v1`],
    "with an escaped slash": () => ["Host: %2f"],
    "of ours with an escaped slash": () => ["Host: localhost%2f"],
    "of somebody else": () => ["Host: evil.example"],
    "of somebody else, absolute": () => ["Host: evil.example."],
    "that begins like ours": (port) => [`Host: 127.0.0.1.evil.example:${port}`],
    "that begins like a loopback name": () => ["Host: localhost.evil.example"],
    "that ends like a loopback name": () => ["Host: evillocalhost"],
    "with a port too high": () => ["Host: localhost:99999"],
    "with no number for a port": () => ["Host: localhost:x"],
    "with a port left out": () => ["Host: localhost:"],
    "with two ports": () => ["Host: localhost:80:80"],
    "with a user": (port) => [`Host: eve@127.0.0.1:${port}`],
    "with a user that looks like ours": () => ["Host: localhost@evil.example"],
    "with a query": () => ["Host: localhost?x=/v1"],
    "with a fragment": () => ["Host: localhost#/v1"],
    "with a backslash": () => ["Host: localhost\\@evil.example"],
    "with white space inside": () => ["Host: local host"],
    "of two names": () => ["Host: localhost, evil.example"],
    "outside ASCII": () => ["Host: localhost\u00e9"],
    "of another IPv6 address": () => ["Host: [::2]"],
    "of an IPv4 address in IPv6": () => ["Host: [::ffff:127.0.0.1]"],
    "with an open bracket": () => ["Host: [::1"],
    "of all addresses": () => ["Host: 0.0.0.0"],
    "of loopback as one number": () => ["Host: 2130706433"],
    "of loopback in octal": () => ["Host: 0177.0.0.1"],
    "of loopback, with a number too high": () => ["Host: 127.0.0.999"],
    "of loopback, with leading zeros": () => ["Host: 127.000.000.001"],
    "of loopback, shortened": () => ["Host: 127.1"],
    "twice, ours first": (port) => [`Host: 127.0.0.1:${port}`, "Host: evil.example"],
    "twice, ours last": (port) => ["Host: evil.example", `Host: 127.0.0.1:${port}`],
    "twice, both ours": (port) => [`Host: 127.0.0.1:${port}`, `Host: 127.0.0.1:${port}`],
    "hidden behind one of a proxy": (port) => ["Host: evil.example", `X-Forwarded-Host: 127.0.0.1:${port}`],
  };

  for (const [name, hosts] of Object.entries(hostile)) {
    test(`${name}: 400 before anything else`, async () => {
      verifies("host.refused");
      const calls = provider.calls.length;
      const answer = await call(hub.url, token.token, hosts(portOf()));
      expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_host"]);
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(provider.calls.length).toBe(calls);
    });
  }

  // The runtime answers these itself, before our code is asked.
  const malformed: Record<string, string> = {
    "without a Host": request("GET /v1/models HTTP/1.1", ["Connection: close"]),
    "with NUL in its Host": request("GET /v1/models HTTP/1.1", ["Host: local\0host"]),
    "with a folded Host": "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n evil.example\r\n\r\n",
    "for no path": request("GET v1/models HTTP/1.1", ["Host: localhost"]),
    "for a path like a user": request("GET @evil.example/v1/models HTTP/1.1", ["Host: localhost"]),
    "for a query only": request("GET ?/v1/models HTTP/1.1", ["Host: localhost"]),
    "for a port": request("GET :80/v1/models HTTP/1.1", ["Host: localhost"]),
    "for everything": request("OPTIONS * HTTP/1.1", ["Host: localhost"]),
    "in HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  };
  for (const [name, bytes] of Object.entries(malformed)) {
    test(`a request ${name} is refused`, async () => {
      const answer = await sendRaw(hub.url, bytes, { withinMs: 20_000 });
      expect(answer.status).toBe(400);
      expect(answer.body).toBe("");
    });
  }

  test("an absolute request line counts no more than its Host", async () => {
    const path = "http://127.0.0.1/v1/chat/completions";
    expect((await call(hub.url, token.token, ["Host: evil.example"], path)).status).toBe(400);
    expect((await call(hub.url, token.token, [], path)).status).toBe(400);
    // With our Host it means the path it names, and not one cut out of it elsewhere.
    const answer = await call(
      hub.url,
      token.token,
      ["Host: localhost"],
      "http://evil.example/v1/models/v1/chat/completions",
    );
    expect([answer.status, codeOf(answer)]).toEqual([405, "method_not_allowed"]);
  });

  const good: Record<string, (port: string) => string> = {
    "its own address": (port) => `127.0.0.1:${port}`,
    "another loopback address": () => "127.0.0.2",
    "the loopback name": (port) => `localhost:${port}`,
    "the loopback name in capitals": (port) => `LOCALHOST:${port}`,
    "the loopback name, absolute": () => "localhost.",
    "the loopback name at port 80": () => "localhost:80",
    "the loopback name at port 443": () => "localhost:443",
    "a name below the loopback one": () => "hub.localhost",
    "the loopback address of IPv6": (port) => `[::1]:${port}`,
  };
  for (const [name, host] of Object.entries(good)) {
    test(`${name} is answered`, async () => {
      const answer = await call(hub.url, token.token, [`Host: ${host(portOf())}`]);
      expect(answer.status).toBe(200);
    });
  }

  test("every route refuses before it looks at the token, the body or the method", async () => {
    verifies("host.refused");
    for (const line of [
      "GET /healthz",
      "GET /readyz",
      "PUT /v1/models",
      "GET /v1/guard/sessions",
      "GET /nothing",
      "POST /v1/guard/scan",
    ]) {
      const answer = await sendRaw(hub.url, request(`${line} HTTP/1.1`, ["Host: evil.example", "Connection: close"]));
      expect([line, answer.status, codeOf(answer)]).toEqual([line, 400, "invalid_host"]);
    }
  });
});

test("allowed hosts and the public URL's name are answered, each as it was written", async () => {
  verifies("host.allowed");
  const { hub, token } = await hubWith({
    GUARDHOUSE_PUBLIC_URL: "https://Hub.Example.org",
    GUARDHOUSE_ALLOWED_HOSTS: "guard.internal,agents.internal:8080",
  });
  await using _ = hub;
  const status = async (host: string) => (await call(hub.url, token.token, [`Host: ${host}`])).status;
  expect(await status("hub.example.org")).toBe(200);
  expect(await status("HUB.example.org:443")).toBe(200);
  expect(await status("guard.internal")).toBe(200);
  expect(await status("guard.internal.:9000")).toBe(200);
  expect(await status("agents.internal:8080")).toBe(200);
  expect(await status("localhost")).toBe(200);
  expect(await status("agents.internal:8081")).toBe(400);
  expect(await status("agents.internal")).toBe(400);
  expect(await status("example.org")).toBe(400);
  expect(await status("x.guard.internal")).toBe(400);
});

test("a base path stands before every address, and nothing is served above it", async () => {
  verifies("host.base-path");
  const { hub, token } = await hubWith({ GUARDHOUSE_PUBLIC_URL: "https://example.org/hub/" }, "/hub");
  await using _ = hub;
  const answered = async (path: string, json?: unknown) =>
    (await hub.fetch(path, { token: token.token, ...(json ? { json } : {}) })).status;
  for (const base of ["/hub", ""]) {
    const served = base === "/hub";
    expect(await answered(`${base}/healthz`)).toBe(served ? 200 : 404);
    expect(await answered(`${base}/readyz`)).toBe(served ? 200 : 404);
    expect(await answered(`${base}/v1/models`)).toBe(served ? 200 : 404);
    expect(await answered(`${base}/v1/models/fake-model`)).toBe(served ? 200 : 404);
    expect(await answered(`${base}/v1/chat/completions`, JSON.parse(CHAT))).toBe(served ? 200 : 404);
    expect(await answered(`${base}/v1/guard/scan`, { text: "Good morning" })).toBe(served ? 200 : 404);
  }
  const outside = ["/hubv1/models", "/hub/hub/v1/models", "/HUB/v1/models", "/hub%2fv1/models"];
  for (const path of [...outside, "//hub/v1/models", "/hub//v1/models"]) {
    const headers = ["Host: localhost", `Authorization: Bearer ${token.token}`, "Connection: close"];
    const answer = await sendRaw(hub.url, request(`GET ${path} HTTP/1.1`, headers));
    expect([path, answer.status, codeOf(answer)]).toEqual([path, 404, "unknown_url"]);
  }
  const removed = await hub.fetch("/hub/v1/guard/sessions");
  expect(await removed.json()).toMatchObject({ error: { code: "endpoint_removed" } });
});
