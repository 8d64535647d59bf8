import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { verifies } from "#test/support/verifies";
import { EVE, ToolWorld } from "./tools-world";

const EVERYTHING = join(import.meta.dir, "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const KEY = "variable-value-for-tests-only";

test("stdio variables from a file are encrypted and never shown", async () => {
  verifies("tools.stdio-variables");
  await using world = await ToolWorld.open({
    before: async (hub) => {
      const file = await hub.writeFile(`# made for the test\nMOTTO=${KEY}\nEMPTY=\n`);
      const place = ["--owner", EVE, "--env-file", file, "--stdio", "--", process.execPath, EVERYTHING];
      const added = await hub.cli("tool-server", "add", "keyed", ...place);
      expect(added.json()).toMatchObject({ ok: true, credentials: { kind: "environment" } });
      expect(added.stdout).not.toContain(KEY);
    },
  });
  const given = JSON.parse(await world.text("keyed__get-env"));
  expect(given).toMatchObject({ MOTTO: KEY, EMPTY: "" });
  expect(given).not.toHaveProperty("GUARDHOUSE_TOOL_GATEWAY__LIST_FRESH_MS");
  const kept = readdirSync(world.hub.dataDir, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(kept.length).toBeGreaterThan(2);
  for (const { parentPath, name } of kept) expect(readFileSync(join(parentPath, name)).includes(KEY)).toBe(false);
});
