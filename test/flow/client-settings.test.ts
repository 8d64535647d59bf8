import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { CLIENTS, type Use } from "#dashboard/features/keys/key-clients";
import { verifies } from "#test/support/verifies";
import { ChatWorld } from "./chat-world";

const ROOT = join(import.meta.dir, "../..");
/** What the settings run with, of those that can be run here. */
const RUN: Readonly<Record<string, readonly string[]>> = { js: [process.execPath, "-e"], sh: ["sh", "-c"] };

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const use = (): Use => ({ hub: world.hub.url, token: world.token, model: "guardhouse/echo", words: "Hello" });
const examples = CLIENTS.filter(({ language, uses }) => uses === "models" && language in RUN);
const files = CLIENTS.filter(({ language }) => language === "json" || language === "toml");

describe("the settings that the page and docs/clients.md show", () => {
  test.each(examples)(
    "$label: the example is answered",
    async ({ language, settings }) => {
      verifies("clients.settings");
      const child = Bun.spawn([...(RUN[language] ?? []), settings(use())], {
        cwd: ROOT,
        env: { PATH: process.env["PATH"], HOME: "/nonexistent" },
        stderr: "pipe",
      });
      const [said, complaint, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      expect({ code, complaint: code === 0 ? "" : complaint }).toEqual({ code: 0, complaint: "" });
      expect(said).toContain("Echo: Hello");
    },
    60_000,
  );

  test.each(files)("$label: a file that the client can read", ({ language, settings }) => {
    verifies("clients.settings");
    const text = settings(use());
    const read = language === "json" ? JSON.parse(text) : Bun.TOML.parse(text);
    expect(JSON.stringify(read)).toContain(world.hub.url);
  });

  test("each names the hub, and none another address that is called", () => {
    verifies("clients.settings");
    for (const { id, settings } of CLIENTS) {
      const text = settings(use());
      const hosts = [...text.matchAll(/https?:\/\/[^\s"/]+/g)].map(([address]) => address);
      expect([id, hosts.filter((address) => address !== world.hub.url && !address.includes("opencode.ai"))]).toEqual([
        id,
        [],
      ]);
      expect([id, hosts.includes(world.hub.url)]).toEqual([id, true]);
    }
  });
});
