import { expect, test } from "bun:test";
import { McpFixture } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { ScriptedOAuth } from "#test/upstream/scripted-oauth";
import { EVE, ToolHouse } from "./tools-house";

const TOOL = "mail__test_simple_text";

test("a person signs in at a tool server by command line and browser; calls go through, and on when the token ends", async () => {
  verifies("tools.oauth-sign-in", "tools.oauth-renewal", "tools.oauth-secrets");
  await using fixture = McpFixture.start();
  await using remote = new ScriptedOAuth();
  remote.tools = fixture.url;
  await using house = await ToolHouse.open({
    before: (hub) => hub.addToolServer("mail", { owner: EVE, url: remote.url, flags: ["--oauth"] }),
  });
  const { hub } = house;
  const env = { GUARDHOUSE_PUBLIC_URL: hub.url };
  const begun = await hub.cliWith({ env }, "tool-server", "authorize", "mail", "--owner", EVE);
  expect(begun.code).toBe(0);
  const url = String(Object(begun.json()).url);
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(page.url.startsWith(`${hub.url}/api/tool-servers/oauth/callback?`)).toBe(true);
  expect(remote.grants("authorization_code")).toHaveLength(1);

  await house.listed((names) => names.includes(TOOL));
  expect(await house.call(TOOL)).not.toHaveProperty("isError", true);
  const issued = remote.access;
  // The server ends the token before its time: the hub renews it within the call.
  remote.access = "revoked";
  expect(await house.call(TOOL)).not.toHaveProperty("isError", true);
  expect(remote.access).not.toBe("revoked");

  await hub.kill("SIGTERM");
  const written = await hub.written();
  for (const secret of [issued, remote.access]) expect(written).not.toContain(secret);
});
