import { expect, test } from "bun:test";
import { Browser } from "#test/flow/browser";
import { OAuthWorld } from "#test/flow/oauth-world";
import { McpFixture } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { ScriptedOAuth } from "#test/upstream/scripted-oauth";
import { EVE, ToolWorld } from "./tools-world";

const TOOL = "mail__test_simple_text";

test("a person signs in at a tool server by command line and browser; calls go through, and on when the token ends", async () => {
  verifies("tools.oauth-sign-in", "tools.oauth-renewal", "tools.oauth-secrets");
  await using fixture = McpFixture.start();
  await using remote = new ScriptedOAuth();
  remote.tools = fixture.url;
  await using world = await ToolWorld.open({
    before: (hub) => hub.addToolServer("mail", { owner: EVE, url: remote.url, flags: ["--oauth"] }),
  });
  const { hub } = world;
  const env = { GUARDHOUSE_PUBLIC_URL: hub.url };
  const begun = await hub.cliWith({ env }, "tool-server", "authorize", "mail", "--owner", EVE);
  expect(begun.code).toBe(0);
  const url = String(Object(begun.json()).url);
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(page.url.startsWith(`${hub.url}/api/tool-servers/oauth/callback?`)).toBe(true);
  expect(remote.grants("authorization_code")).toHaveLength(1);

  await world.listed((names) => names.includes(TOOL));
  expect(await world.call(TOOL)).not.toHaveProperty("isError", true);
  const issued = remote.access;
  // The server ends the token before its time: the hub renews it within the call.
  remote.access = "revoked";
  expect(await world.call(TOOL)).not.toHaveProperty("isError", true);
  expect(remote.access).not.toBe("revoked");

  await hub.kill("SIGTERM");
  const written = await hub.written();
  for (const secret of [issued, remote.access]) expect(written).not.toContain(secret);
});

/** Goes where the address leads, and gives the path the hub's own browser is sent back to. */
const back = async (url: string): Promise<string> => {
  const { pathname, search } = new URL((await fetch(url, { redirect: "manual" })).headers.get("location") ?? "");
  return pathname + search;
};

test("tool server sign-in ends only in the browser that began it", async () => {
  verifies("tools.oauth-sign-in", "oauth.isolation");
  await using remote = new ScriptedOAuth();
  await using world = await OAuthWorld.open();
  const ada = await world.signedIn();
  const bob = await world.member("bob@example.org");
  await world.hub.addToolServer("mail", { owner: "bob@example.org", url: remote.url, flags: ["--oauth"] });
  const servers = (await (await bob.send("/api/tool-servers")).json()) as { data: { id: string }[] };
  const begin = async (): Promise<string> => {
    const path = `/api/tool-servers/${servers.data[0]?.id}/authorize`;
    return ((await (await bob.send(path, { method: "POST" })).json()) as { url: string }).url;
  };
  // Bob gives the link to Ada, who is signed in at the hub, and to somebody who is not.
  for (const other of [ada, new Browser(world.hub)]) {
    const link = await back(await begin());
    const refused = await other.send(link);
    expect([refused.status, (await refused.text()).includes("they wanted to act as you")]).toEqual([403, true]);
    // It is over then: what was another's is not taken by him later either.
    expect((await bob.send(link)).status).toBe(400);
  }
  expect(remote.grants("authorization_code")).toEqual([]);
  await bob.send(await back(await begin()));
  expect(remote.grants("authorization_code")).toHaveLength(1);
});
