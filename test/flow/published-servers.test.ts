import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { faultsInEntry, faultsInFailure, faultsInList } from "#test/support/registry-schema";
import { verifies } from "#test/support/verifies";
import { BOB, EVE, ToolWorld, until } from "./tools-world";

const OFFICIAL = "io.modelcontextprotocol.registry/official";
const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

let world: ToolWorld;
let fixture: McpFixture;
beforeAll(async () => {
  fixture = McpFixture.start({ tools: [tool("read", () => text("read"))] });
  world = await ToolWorld.open({
    env: { GUARDHOUSE_TOOL_GATEWAY__REGISTRY: "on" },
    before: async (hub) => {
      await hub.createUser(BOB);
      for (const slug of ["files", "mail", "crm"]) await hub.addToolServer(slug, { owner: EVE, url: fixture.url });
      await hub.addToolServer("files", { owner: BOB, url: fixture.url });
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

const read = async (path: string) => {
  const answer = await world.hub.fetch(path);
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
};
const serversIn = (body: JsonRecord): JsonRecord[] =>
  (Array.isArray(body["servers"]) ? body["servers"] : []).map(({ server }) => server).filter(isRecord);
const listed = async (query = ""): Promise<string[]> =>
  serversIn((await read(`/v0.1/servers${query}`)).body).map(({ title }) => `${title}`);
const publish = (slug: string, owner: string, description: string) =>
  world.cli("tool-server", "publish", slug, "--owner", owner, "--description", description);

describe("the registry", () => {
  test("lists what was published and nothing else, to anybody, from any page", async () => {
    verifies("registry.published");
    expect(await listed()).toEqual([]);
    await publish("files", EVE, "Reads shared documents");
    await publish("crm", EVE, "Customers");
    await until(listed, (titles) => titles.length === 2);
    const { status, headers, body } = await read("/v0.1/servers");
    expect([status, headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect(body.metadata).toEqual({ count: 2 });
    const [crm, files] = body.servers;
    expect(crm.server.title).toBe("crm");
    expect(files).toEqual({
      server: {
        $schema: expect.stringMatching(/^https:\/\/.*server\.schema\.json$/),
        name: "127.0.0.1/files",
        title: "files",
        description: "Reads shared documents",
        version: expect.stringMatching(SEMVER),
        remotes: [{ type: "streamable-http", url: `${world.hub.url}/mcp/gateway` }],
      },
      _meta: {
        [OFFICIAL]: {
          status: "active",
          statusChangedAt: expect.stringMatching(/Z$/),
          publishedAt: expect.stringMatching(/Z$/),
          updatedAt: expect.stringMatching(/Z$/),
          isLatest: true,
        },
      },
    });
    // Neither where a server is nor whose it is.
    expect(JSON.stringify(body)).not.toContain(fixture.url);
    expect(JSON.stringify(body)).not.toContain(EVE);
  });

  test("gives single servers by encoded name, by version and as the latest", async () => {
    verifies("registry.api");
    const name = encodeURIComponent("127.0.0.1/files");
    const versions = await read(`/v0.1/servers/${name}/versions`);
    expect(versions.body.metadata.count).toBe(1);
    const latest = await read(`/v0.1/servers/${name}/versions/latest`);
    expect(latest.body).toEqual(versions.body.servers[0]);
    const { version } = latest.body.server;
    expect((await read(`/v0.1/servers/${name}/versions/${version}`)).body).toEqual(latest.body);
    for (const path of [`${name}/versions/9.9.9`, `${encodeURIComponent("127.0.0.1/mail")}/versions/latest`]) {
      expect((await read(`/v0.1/servers/${path}`)).status).toBe(404);
    }
    for (const path of ["/v0.1/servers", `/v0.1/servers/${name}/versions/latest`]) {
      const preflight = await world.hub.fetch(path, { method: "OPTIONS", headers: { origin: "https://ide.example" } });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(preflight.headers.get("access-control-allow-methods")).toContain("GET");
      expect(preflight.headers.get("access-control-allow-headers")).toContain("Authorization");
    }
  });

  test("every answer fits the registry's own schema, and pages read refusals too", async () => {
    verifies("registry.schema");
    const name = encodeURIComponent("127.0.0.1/files");
    // What VS Code asks first, then for a page, then for one server.
    for (const path of ["?limit=1", "?limit=50&version=latest", `/${name}/versions`]) {
      expect(faultsInList((await read(`/v0.1/servers${path}`)).body)).toEqual([]);
    }
    expect(faultsInEntry((await read(`/v0.1/servers/${name}/versions/latest`)).body)).toEqual([]);
    for (const path of [`/${name}/versions/9.9.9`, "/127.0.0.1%2Fnone/versions", "?limit=0", "?updated_since=never"]) {
      const { status, headers, body } = await read(`/v0.1/servers${path}`);
      expect([path, status >= 400, headers.get("access-control-allow-origin")]).toEqual([path, true, "*"]);
      expect([typeof body.error, faultsInFailure(body)]).toEqual(["string", []]);
    }
  });

  test("pages, searches, and filters by time and version", async () => {
    verifies("registry.api");
    const first = await read("/v0.1/servers?limit=1");
    expect(serversIn(first.body).map(({ title }) => title)).toEqual(["crm"]);
    const cursor = encodeURIComponent(first.body.metadata.nextCursor);
    const second = await read(`/v0.1/servers?limit=1&cursor=${cursor}`);
    expect(serversIn(second.body).map(({ title }) => title)).toEqual(["files"]);
    expect(second.body.metadata).toEqual({ count: 1 });
    expect(await listed("?search=FIL")).toEqual(["files"]);
    expect(await listed("?version=latest&include_deleted=true")).toEqual(["crm", "files"]);
    expect(await listed("?version=0.0.1")).toEqual([]);
    expect(await listed(`?updated_since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect((await read("/v0.1/servers?updated_since=yesterday")).status).toBe(400);
  });

  test("one server of a name; taken out, switched off or without an approved tool it is gone", async () => {
    verifies("registry.published");
    const other = await world.hub.cli("tool-server", "publish", "files", "--owner", BOB, "--description", "Mine");
    expect([other.code, other.stderr]).toEqual([expect.any(Number), expect.stringContaining("is published")]);
    expect(other.code).not.toBe(0);
    await world.cli("tool-server", "disable", "files", "--owner", EVE);
    await until(listed, (titles) => titles.join() === "crm");
    await world.cli("tool-server", "enable", "files", "--owner", EVE);
    await until(listed, (titles) => titles.join() === "crm,files");
    await world.cli("tool-server", "unpublish", "files", "--owner", EVE);
    await until(listed, (titles) => titles.join() === "crm");
    await publish("files", BOB, "Now Bob's");
    await until(listed, (titles) => titles.join() === "crm,files");
  });

  test("administrators publish over the API, and nobody else; who did it is on record", async () => {
    verifies("registry.published");
    const { hub } = world;
    await hub.createUser("ada@example.com", "--role", "admin");
    const key = async (email: string) => Object((await hub.cli("session", "create", email)).json()).key;
    const [admin, owner] = [await key("ada@example.com"), await key(EVE)];
    const { body } = { body: await (await hub.fetch("/api/tool-servers", { token: owner })).json() };
    const id = body.data.find(({ slug }: { slug: string }) => slug === "mail").id;
    const path = `/api/tool-servers/${id}/publication`;
    const put = (token: string, description: string) =>
      hub.fetch(path, { method: "PUT", token, json: { description } });
    expect((await put(owner, "Mail")).status).toBe(403);
    for (const wrong of ["", "x".repeat(101), "two\nlines"]) expect((await put(admin, wrong)).status).toBe(400);
    const published = await put(admin, "Mail");
    expect([published.status, (await published.json()).published.description]).toEqual([200, "Mail"]);
    expect(await listed()).toContain("mail");
    const gone = await hub.fetch(path, { method: "DELETE", token: admin });
    expect([gone.status, (await gone.json()).published]).toEqual([200, null]);
    expect(await listed()).not.toContain("mail");
    const tail = await hub.cli("audit", "tail", "-n", "50");
    expect(tail.stdout).toContain("tool_server.publish");
    expect(tail.stdout).toContain("tool_server.unpublish");
  });
});

test("switched off, as it is unless an operator says otherwise, nothing is told", async () => {
  verifies("registry.off");
  await using other = await ToolWorld.open({
    before: async (hub) => {
      await hub.addToolServer("files", { owner: EVE, url: fixture.url });
    },
  });
  await other.cli("tool-server", "publish", "files", "--description", "Reads");
  const answer = await other.hub.fetch("/v0.1/servers");
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("tool_gateway.registry");
});
