import { expect, test } from "bun:test";
import { join } from "node:path";
import { walked } from "#test/support/repository";

const FOLDER = join(import.meta.dir, "../../src/dashboard");

// The checks of accessibility look at the dark theme for colours only.
test("the themes differ in colours and nothing else", async () => {
  const paths = (await walked(FOLDER)).filter((path) => /\.(css|html|tsx?)$/.test(path));
  const sources = await Promise.all(paths.map((path) => Bun.file(join(FOLDER, path)).text()));
  const blocks = sources.flatMap((source) => [...source.matchAll(/\[data-theme="?dark"?\] \{([^}]*)\}/g)]);
  expect(blocks.length).toBeGreaterThan(0);
  const lines = blocks.flatMap(([, block = ""]) => block.trim().split(/;\s*/)).filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(15);
  const isColour = /^(--[\w-]+: (#[0-9a-f]{6}|0 \d+px \d+px rgb\([^()]+\))|color-scheme: dark)$/;
  expect(lines.filter((line) => !isColour.test(line))).toEqual([]);
  // Besides that block, only the line that declares Tailwind's variant names the theme in style sheets; nothing uses it.
  const named = sources.join("\n").match(/\[data-theme=/g) ?? [];
  expect(named.length).toBe(blocks.length + 2);
  expect(sources.filter((source) => /["'`\s]dark:[\w[-]/.test(source))).toEqual([]);
});
