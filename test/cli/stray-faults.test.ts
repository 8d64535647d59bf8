import { expect, test } from "bun:test";
import { join } from "node:path";
import { verifies } from "#test/support/verifies";

test("what fails where nobody waits for it is logged without its text, and the process goes on", async () => {
  verifies("hub.stray-faults");
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "children/stray.ts")], { stderr: "ignore" });
  const stdout = await new Response(child.stdout).text();
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { level: "error", event: "stray.fault", kind: "unhandledRejection", cause: "TypeError" },
    { level: "error", event: "stray.fault", kind: "uncaughtException", cause: "TypeError" },
    { event: "alive" },
  ]);
  for (const { at, places } of lines.slice(0, 2))
    expect([at.length, places]).toEqual([24, expect.stringContaining("failing")]);
  expect(stdout).not.toContain("somebody");
  expect(stdout).not.toContain("example.org");
  // Only while the hub serves: a command that fails ends as such.
  expect(await child.exited).not.toBe(0);
});
