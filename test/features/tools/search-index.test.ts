import { expect, test } from "bun:test";
import fc from "fast-check";
import { ToolSearchIndex } from "#features/tools/search-index";
import type { ToolDefinition } from "#model/tools/tool";
import { verifies } from "#test/support/verifies";

const nothing = () => null;
const candidate = (name: string, more: Partial<ToolDefinition> = {}) => ({ name, definition: { name, ...more } });
const searched = (tools: readonly ReturnType<typeof candidate>[]) =>
  new Map(tools.map(({ name, definition }) => [name, { definition }]));
const names = async (tools: readonly ReturnType<typeof candidate>[], query: string, limit = 20) =>
  (await new ToolSearchIndex().find(searched(tools), query, limit, nothing)).map(({ name }) => name);

const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.lorem());
const definitions = fc
  .uniqueArray(fc.tuple(text, fc.option(text, { nil: undefined }), fc.jsonValue()), { selector: ([name]) => name })
  .map((all) =>
    all.map(([name, description, inputSchema]) =>
      candidate(name, { ...(description !== undefined && { description }), inputSchema }),
    ),
  );

test("whatever definitions hold and whatever is asked: some of the tools, each once, as many as wanted", async () => {
  verifies("tools.search");
  await fc.assert(
    fc.asyncProperty(definitions, text, fc.integer({ min: 1, max: 20 }), async (tools, query, limit) => {
      const found = await names(tools, query, limit);
      expect(found.length).toBeLessThanOrEqual(limit);
      expect(new Set(found).size).toBe(found.length);
      expect(found.every((name) => tools.some((tool) => tool.name === name))).toBe(true);
    }),
  );
});

test("the order of the tools changes nothing, and fewer wanted are the first of more", async () => {
  verifies("tools.search");
  await fc.assert(
    fc.asyncProperty(definitions, text, fc.integer({ min: 1, max: 20 }), async (tools, query, limit) => {
      const all = await names(tools, query);
      expect(await names(tools.toReversed(), query)).toEqual(all);
      expect(await names(tools, query, limit)).toEqual(all.slice(0, limit));
    }),
  );
});

test("a tool is found by each word of its name and description, in any case and script", async () => {
  verifies("tools.search");
  const tools = [
    candidate("crm__createInvoice", { description: "Rechnungen für Kunden erstellen" }),
    candidate("crm__list_HTTP_hosts", { title: "Wirte", description: "请求一个文件" }),
    candidate("mail__send", { inputSchema: { properties: { recipient: { description: "Who gets the letter" } } } }),
  ];
  for (const [query, name] of [
    ["CREATE", "crm__createInvoice"],
    ["invoices", "crm__createInvoice"],
    ["kunden", "crm__createInvoice"],
    ["http", "crm__list_HTTP_hosts"],
    ["文件", "crm__list_HTTP_hosts"],
    ["wirte", "crm__list_HTTP_hosts"],
    ["recipients", "mail__send"],
    ["letters", "mail__send"],
    ["sending", "mail__send"],
  ] as const) {
    expect([query, (await names(tools, query))[0]]).toEqual([query, name]);
  }
});

test("words of the name count more than words of what is said, rare words more than common ones", async () => {
  verifies("tools.search");
  const tools = [
    ...Array.from({ length: 50 }, (_, at) => candidate(`s__get_thing_${at}`, { description: "Gets a thing" })),
    candidate("s__archive", { description: "Sends a letter away" }),
    candidate("s__send_letter", { description: "By post" }),
    candidate("s__get_passport", { description: "Gets a passport" }),
  ];
  expect((await names(tools, "send a letter")).slice(0, 2)).toEqual(["s__send_letter", "s__archive"]);
  expect((await names(tools, "get passport"))[0]).toBe("s__get_passport");
});
