import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { EXAMPLES } from "#clients/examples";
import type { Use } from "#clients/programs";
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
const SHAPE: Use = { hub: "http://hub.example", token: "gw-live-x", model: "m", words: "Hello" };
/** Those that can be run as they are, and those that are files. */
const examples = EXAMPLES.filter(({ uses, snippets }) =>
  snippets(SHAPE).every(({ place, language }) => uses === "models" && place === null && language in RUN),
);
const files = EXAMPLES.flatMap(({ label, snippets }) =>
  snippets(SHAPE).flatMap(({ place, language }, index) =>
    language === "json" || language === "toml"
      ? [{ label, place, language, text: () => snippets(use())[index]?.text ?? "" }]
      : [],
  ),
);

describe("the settings that the page and docs/clients.md show", () => {
  test.each(examples)(
    "$label: the example is answered",
    async ({ snippets }) => {
      verifies("clients.settings");
      const [{ language, text } = { language: "sh", text: "exit 1" }] = snippets(use());
      const child = Bun.spawn([...(RUN[language] ?? []), text], {
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

  test.each(files)("$label, $place: a file that the client can read", ({ language, text: textOf }) => {
    verifies("clients.settings");
    const text = textOf();
    const read = language === "json" ? JSON.parse(text) : Bun.TOML.parse(text);
    expect(JSON.stringify(read)).toContain(world.hub.url);
    expect(text).not.toContain("undefined");
  });

  test("each names the hub, and none another address that is called", () => {
    verifies("clients.settings");
    for (const { id, snippets } of EXAMPLES) {
      const text = snippets(use())
        .map((snippet) => snippet.text)
        .join("\n");
      const hosts = [...text.matchAll(/https?:\/\/[^\s"/]+/g)].map(([address]) => address);
      expect([id, hosts.filter((address) => address !== world.hub.url && !address.includes("opencode.ai"))]).toEqual([
        id,
        [],
      ]);
      expect([id, hosts.includes(world.hub.url)]).toEqual([id, true]);
    }
  });
});
