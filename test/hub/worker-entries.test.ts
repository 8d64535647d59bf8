import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "../..");

test("every worker the compiled executable starts is an entrypoint of its build", async () => {
  const build = await Bun.file(join(ROOT, ".ci/build.ts")).text();
  const entries: string[] = [];
  for await (const path of new Glob("src/**/*.ts").scan(ROOT)) {
    const source = await Bun.file(join(ROOT, path)).text();
    for (const [, entry] of source.matchAll(/compiled \? "\.\/([^"]+)\.js"/g)) entries.push(`src/${entry}.ts`);
  }
  expect(entries.length).toBeGreaterThan(0);
  for (const entry of entries) expect(build).toContain(`"${entry}"`);
});
