import { afterAll, beforeAll, expect, test } from "bun:test";
import { Hub } from "#test/support/hub";
import { McpFixture } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";

const EVE = "eve@example.com";
const SAM = "sam@example.com";

let hub: Hub;
let fixture: McpFixture;
beforeAll(async () => {
  fixture = McpFixture.start();
  hub = await Hub.create({ env: { GUARDHOUSE_TOOL_GATEWAY__ALLOW_PRIVATE: "127.0.0.1/32" } });
  for (const email of [EVE, SAM]) await hub.createUser(email);
  await hub.start();
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

const signIn = async (email: string): Promise<{ id: string; key: string }> =>
  Object(await hub.cli("session", "create", email).then((result) => result.json()));

const statusOf = async (path: string, token: string): Promise<number> => {
  const response = await hub.fetch(path, { token });
  await response.body?.cancel();
  return response.status;
};

/** The public names of the tools a gateway token is listed, without the hub's own. */
const listed = async (token: string): Promise<string[]> => {
  const response = await hub.fetch("/mcp/gateway", { token, json: { method: "tools/list" } });
  const { tools } = Object(await response.json());
  return tools.map(({ name }: { name: string }) => name).filter((name: string) => !name.startsWith("guardhouse__"));
};

test("a session holds from the moment it is made, and no longer than revoking it takes", async () => {
  verifies("session.scope", "session.end");
  const { id, key } = await signIn(EVE);
  const { token } = await hub.createToken(EVE);
  expect(await statusOf("/api/tool-servers", key)).toBe(200);
  expect(await statusOf("/v1/models", key)).toBe(401);
  expect(await statusOf("/api/tool-servers", token)).toBe(403);
  expect((await hub.cli("session", "revoke", id)).code).toBe(0);
  expect(await statusOf("/api/tool-servers", key)).toBe(401);
});

test("a new tool server is listed to its owner's tokens only", async () => {
  verifies("tools.manage-own");
  const { key } = await signIn(EVE);
  const eve = (await hub.createToken(EVE)).token;
  const sam = (await hub.createToken(SAM)).token;
  const made = await hub.fetch("/api/tool-servers", { token: key, json: { slug: "mine", url: fixture.url } });
  const server = Object(await made.json());
  expect([made.status, server.status, server.problem]).toEqual([201, "active", null]);
  const names = server.tools.map(({ name }: { name: string }) => name);
  expect((await listed(eve)).toSorted()).toEqual(names.toSorted());
  expect(await listed(sam)).toEqual([]);
  const at = `/api/tool-servers/${server.id}`;
  const hide = await hub.fetch(at, { token: key, method: "PATCH", json: { active: false } });
  expect(hide.status).toBe(200);
  expect(await listed(eve)).toEqual([]);
  expect((await hub.fetch(at, { token: key, method: "DELETE" })).status).toBe(200);
  expect(await statusOf(at, key)).toBe(404);
});

test("an address given through the API is not connected to where it is private; an operator's is", async () => {
  verifies("tools.manage-checks");
  const { key } = await signIn(EVE);
  const metadata = "http://169.254.169.254/latest/meta-data";
  const made = await hub.fetch("/api/tool-servers", { token: key, json: { slug: "cloud", url: metadata } });
  const server = Object(await made.json());
  expect([made.status, server.ok, server.status]).toEqual([201, false, "unreachable"]);
  expect(server.problem).not.toContain("latest");
  const operators = await hub.addToolServer("operators", { owner: EVE, url: fixture.url });
  expect(operators.status).toBe("active");
});
