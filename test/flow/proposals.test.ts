import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import { Hub } from "#test/support/hub";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { faultsInList } from "#test/support/registry-schema";
import { verifies } from "#test/support/verifies";
import { BOB, EVE, ToolWorld } from "./tools-world";

const ADA = "ada@example.com";

/** Another organisation's registry: entries by the page it asks for, and what was asked. */
class OtherRegistry {
  entries: JsonRecord[] = [];
  readonly asked: string[] = [];
  private readonly server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url);
      this.asked.push(pathname + new URL(request.url).search);
      if (pathname === "/elsewhere") return Response.redirect("http://127.0.0.1:1/", 302);
      const from = Number(searchParams.get("cursor") ?? 0);
      const next = pathname === "/circle/servers" ? "1" : from + 2 < this.entries.length ? `${from + 2}` : undefined;
      const servers = this.entries.slice(from, from + 2).map((server) => ({ server }));
      return Response.json({ servers, metadata: { count: servers.length, ...(next && { nextCursor: next }) } });
    },
  });
  readonly url = `http://127.0.0.1:${this.server.port}`;
  stop = () => this.server.stop(true);
}

let world: ToolWorld;
let fixture: McpFixture;
let other: OtherRegistry;
let admin: string;
let owner: string;
beforeAll(async () => {
  fixture = McpFixture.start({ tools: [tool("read", () => text("read"))] });
  other = new OtherRegistry();
  world = await ToolWorld.open({
    env: { GUARDHOUSE_TOOL_GATEWAY__ALLOW_PRIVATE: "127.0.0.0/8", GUARDHOUSE_TOOL_GATEWAY__HANDSHAKE_MS: "5000" },
    before: async (hub) => {
      await hub.createUser(BOB);
      await hub.createAdmin(ADA, "--random-password");
    },
  });
  [admin, owner] = [await world.hub.createSession(ADA), await world.hub.createSession(EVE)];
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
  other?.stop();
});

const remote = (name: string, more: JsonRecord = {}): JsonRecord => ({
  ...{ name: `com.example/${name}`, description: `About ${name}`, version: "1.0.0" },
  remotes: [
    {
      type: "streamable-http",
      url: fixture.url.replace("127.0.0.1", "{host}"),
      variables: { host: { isRequired: true } },
      headers: [{ name: "X-Key", value: "Key {key}", variables: { key: { isRequired: true, isSecret: true } } }],
    },
  ],
  ...more,
});
const program = (name: string): JsonRecord => ({
  ...{ name: `com.example/${name}`, description: `Runs ${name}`, version: "2.0.0" },
  packages: [{ registryType: "npm", identifier: "files-mcp", version: "2.0.0", transport: { type: "stdio" } }],
});

const api = async (
  path: string,
  { token = admin, ...init }: { token?: string; json?: unknown; method?: string } = {},
) => {
  const answer = await world.hub.fetch(`/api/registry/${path}`, { token, ...init });
  return { status: answer.status, body: await answer.json() };
};
const importing = (json: JsonRecord, token = admin) => api("imports", { method: "POST", json, token });
const proposals = async (query = ""): Promise<JsonRecord[]> => (await api(`proposals${query}`)).body.data;
const idOf = async (name: string): Promise<string> => {
  const [found] = (await proposals("?state=proposed")).filter((one) => one["name"] === `com.example/${name}`);
  return `${found?.["id"]}`;
};

describe("an import", () => {
  test("proposes what another registry lists, page by page, by name; nothing is connected to", async () => {
    verifies("registry.proposals");
    other.entries = [
      remote("one"),
      program("two"),
      remote("three"),
      { name: "com.example/bad", version: 1 },
      remote("four"),
    ];
    const report = await world.cli("tool-server", "import", "--from", other.url, "--name", "com.example/*");
    expect(report).toMatchObject({ unchanged: 0, refused: [{ name: "com.example/bad" }] });
    expect(other.asked).toEqual(
      ["", "&cursor=2", "&cursor=4"].map(
        (more) => `/v0.1/servers?limit=100&version=latest&search=com.example%2F${more}`,
      ),
    );
    const names = (await proposals()).map(({ name }) => name).sort();
    expect(names).toEqual(["four", "one", "three", "two"].map((name) => `com.example/${name}`));
    expect(fixture.requests).toEqual([]);
    const again = await world.cli("tool-server", "import", "--from", other.url, "--name", "*/o*");
    expect(again).toMatchObject({ proposed: [], unchanged: 1 });
    const audit = await world.hub.cli("audit", "tail", "-n", "20");
    expect(audit.stdout).toContain("proposal.import");
  });

  test("shows the exact command of a program before anybody approves it", async () => {
    verifies("registry.proposals");
    const shown = await world.hub.cli("tool-server", "proposals", "com.example/two");
    expect(shown.json()).toMatchObject({
      state: "proposed",
      source: `${other.url}/v0.1/servers`,
      imported_by: null,
      offers: [{ transport: "stdio", shown: "npx -y files-mcp@2.0.0", problem: null }],
    });
  });

  test("a newer form takes the place of one that waits", async () => {
    verifies("registry.proposals");
    const id = await idOf("three");
    const report = await importing({ document: { server: remote("three", { version: "1.1.0" }) } });
    expect([report.status, report.body.proposed.length]).toEqual([200, 1]);
    expect((await api(`proposals/${id}`)).body.state).toBe("replaced");
    expect(await idOf("three")).not.toBe(id);
  });

  test.each([
    ["an address that is none", { url: "ftp://example.com" }, 400],
    ["a redirect", { url: "/elsewhere" }, 502],
    ["pages that go round", { url: "/circle/servers" }, 502],
    ["a document that is none", { document: [1] }, 400],
    ["both at once", { url: "/", document: {} }, 400],
    [
      "more than anybody reviews",
      { document: { servers: Array.from({ length: 201 }, (_, at) => program(`n${at}`)) } },
      400,
    ],
    ["a large one", { document: { name: "x".repeat(1_100_000) } }, 413],
  ])("%s is refused", async (_what, json: JsonRecord, status) => {
    verifies("registry.proposals");
    const path = json["url"];
    const given = typeof path === "string" && path.startsWith("/") ? { ...json, url: other.url + path } : json;
    const before = (await proposals()).length;
    expect((await importing(given)).status).toBe(status);
    expect((await proposals()).length).toBe(before);
  });

  test("addresses that are not public are not asked, unless the operator allows their network", async () => {
    verifies("registry.proposals");
    for (const url of ["http://169.254.169.254/", "http://[::1]:1/", "http://10.0.0.1/v0.1/servers"]) {
      const { status, body } = await importing({ url });
      expect([status, body.error.message]).toEqual([502, expect.stringContaining("not public")]);
    }
  });

  test("is an administrator's; readers see proposals, and nobody else", async () => {
    verifies("registry.proposals");
    expect((await importing({ url: other.url }, owner)).status).toBe(403);
    expect((await api("proposals", { token: owner })).status).toBe(403);
    expect((await api("export", { token: owner })).status).toBe(403);
    const id = await idOf("one");
    for (const what of ["approve", "reject"]) {
      expect((await api(`proposals/${id}/${what}`, { method: "POST", json: {}, token: owner })).status).toBe(403);
    }
  });
});

describe("a decision", () => {
  test("an approval makes the server, with secrets sealed and its address checked, once", async () => {
    verifies("registry.proposals");
    const values = await world.hub.writeFile("host=127.0.0.1\nkey=sesame");
    const flags = ["--owner", EVE, "--values-file", values];
    const done = await world.cli("tool-server", "approve-proposal", "com.example/one", ...flags);
    expect(done).toMatchObject({ state: "approved", server: { slug: "one", ok: true, problem: null } });
    expect(fixture.requests[0]?.headers.get("x-key")).toBe("Key sesame");
    const { data } = await (await world.hub.fetch("/api/tool-servers", { token: owner })).json();
    // An address that a registry gave is checked at every connection, approved by an administrator or not.
    expect(data[0]).toMatchObject({
      slug: "one",
      given_by: "user",
      credentials: { kind: "headers", headers: ["X-Key"] },
    });
    expect(JSON.stringify(data)).not.toContain("sesame");
    const twice = await world.hub.cli(
      "tool-server",
      "approve-proposal",
      "com.example/one",
      ...flags,
      "--slug",
      "again",
    );
    expect([twice.code === 0, twice.stderr]).toEqual([false, expect.stringContaining("approved")]);
    const audit = await world.hub.cli("audit", "tail", "-n", "20");
    expect(audit.stdout).toContain('"registry_name":"com.example/one"');
  });

  test("values that lack, are unknown, or make a forbidden address are refused or not connected to", async () => {
    verifies("registry.proposals");
    const id = await idOf("four");
    const approve = (values: JsonRecord) =>
      api(`proposals/${id}/approve`, { method: "POST", json: { owner: BOB, values } });
    for (const values of [{}, { host: "h" }, { host: "h", key: "k", more: "m" }, { host: "h#x", key: "k" }]) {
      expect((await approve(values)).status).toBe(400);
    }
    const { status, body } = await approve({ host: "169.254.169.254", key: "k" });
    expect([status, body.server.ok]).toEqual([201, false]);
    expect(body.server.problem).toContain("not a public address");
    expect(body.decided_by).toBe(ADA);
  });

  test("over the API no program is approved", async () => {
    verifies("registry.proposals");
    const id = await idOf("two");
    const { status, body } = await api(`proposals/${id}/approve`, { method: "POST", json: {} });
    expect([status, body.error.code]).toEqual([400, "parameter_not_allowed"]);
    expect(await idOf("two")).toBe(id);
  });

  test("a rejection says who, when and why, and holds against the same entry", async () => {
    verifies("registry.proposals");
    const id = await idOf("two");
    const { body } = await api(`proposals/${id}/reject`, { method: "POST", json: { reason: "Not needed" } });
    expect(body).toMatchObject({ state: "rejected", reason: "Not needed", decided_by: ADA });
    expect((await api(`proposals/${id}/reject`, { method: "POST", json: {} })).status).toBe(409);
    expect((await importing({ document: program("two") })).body).toMatchObject({ proposed: [], unchanged: 1 });
  });
});

test("what one hub exports another imports, approves and exports again as it was", async () => {
  verifies("registry.round-trip");
  await using second = await Hub.create();
  await second.createUser(EVE);
  await world.hub.addToolServer("plain", { owner: EVE, url: `${fixture.url}?key=1` });
  await world.hub.addToolServer("node", { owner: EVE, stdio: [process.execPath, "--version"] });
  const exported = await world.hub.cli("tool-server", "export", "--owner", EVE);
  const list = Object(exported.json());
  expect(exported.stderr).toContain("left out: node");
  expect(faultsInList(list)).toEqual([]);
  const names = list.servers.map(({ server }: { server: JsonRecord }) => server["name"]);
  expect(names.toSorted()).toEqual(["127.0.0.1/plain", "com.example/one"]);
  expect(exported.stdout).not.toContain("sesame");
  const file = await second.writeFile(exported.stdout);
  expect((await second.cli("tool-server", "import", "--from", file)).json()).toMatchObject({
    unchanged: 0,
    refused: [],
  });
  const values = { "com.example/one": "host=127.0.0.1\nkey=k", "127.0.0.1/plain": "query=key=1" };
  for (const [name, text] of Object.entries(values)) {
    const flags = ["--owner", EVE, "--values-file", await second.writeFile(text)];
    expect((await second.cli("tool-server", "approve-proposal", name, ...flags)).json()).toMatchObject({
      state: "approved",
    });
  }
  const again = Object((await second.cli("tool-server", "export")).json());
  const serversOf = ({ servers }: { servers: JsonRecord[] }) =>
    Object.fromEntries(servers.flatMap(({ server }) => (isRecord(server) ? [[`${server["name"]}`, server]] : [])));
  expect(serversOf(again)).toEqual(serversOf(list));
});
