import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { PAGES } from "#documentation/contents";
import { verifies } from "#test/support/verifies";
import { Workbench } from "./workbench";

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench[Symbol.asyncDispose]());

test("docs lists the pages by task, and shows one as Markdown, without a hub or data", async () => {
  verifies("cli.docs");
  const { code, stdout, stderr } = await bench.run(["docs"]);
  expect([code, stderr]).toEqual([0, ""]);
  for (const { name, about, group } of PAGES) {
    expect(stdout).toContain(name);
    expect(stdout).toContain(about);
    expect(stdout).toContain(group);
  }
  const page = await bench.run(["docs", "webhooks"]);
  expect([page.code, page.stderr]).toEqual([0, ""]);
  expect(page.stdout).toStartWith("# Webhooks\n");
  expect(page.stdout).not.toContain("<!-- reference");
  const value: unknown = JSON.parse((await bench.run(["docs", "nginx", "--json"])).stdout);
  expect(value).toMatchObject({ topic: "recipes/nginx", title: "nginx" });
  expect(existsSync(bench.dataDir)).toBe(false);
});

test("docs names the nearest page for one that does not exist", async () => {
  verifies("cli.docs");
  const { code, stderr } = await bench.run(["docs", "webhoks"]);
  expect(code).toBe(2);
  expect(stderr).toContain("did you mean webhooks?");
});
