import { expect, test } from "bun:test";
import { join } from "node:path";
import { verifies } from "#test/support/verifies";

test("unhandled errors are logged without their message, and the process continues", async () => {
  verifies("hub.background-failures");
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "children/stray.ts")], { stderr: "ignore" });
  const stdout = await new Response(child.stdout).text();
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { level: "error", event: "unhandled.error", kind: "unhandledRejection", cause: "TypeError" },
    { level: "error", event: "unhandled.error", kind: "uncaughtException", cause: "TypeError" },
    { event: "alive" },
  ]);
  for (const { at, places } of lines.slice(0, 2))
    expect([at.length, places]).toEqual([24, expect.stringContaining("failing")]);
  expect(stdout).not.toContain("somebody");
  expect(stdout).not.toContain("example.org");
  // Only while the hub serves: a command that fails ends as such.
  expect(await child.exited).not.toBe(0);
});
