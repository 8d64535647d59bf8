import { describe, expect, test } from "bun:test";
import { pagesOf } from "#guard/tools/pages";
import { verifies } from "#test/support/verifies";
import { ToolFailure } from "#upstream/tool-port";

/** Asks a server that answers with these pages, and with the last one over and over. */
const listOf = async (...pages: readonly (readonly unknown[])[]) => {
  let asked = 0;
  const items = await pagesOf(
    {
      slug: "files",
      ask: async () => {
        const page = pages[Math.min(asked, pages.length - 1)] ?? [];
        asked += 1;
        const nextCursor = asked < pages.length || pages.length === 1 ? `${asked}` : undefined;
        return { kind: "result", result: { prompts: page, nextCursor } };
      },
      silenceMs: 1_000,
      signal: AbortSignal.timeout(60_000),
    },
    "prompts/list",
    "prompts",
  );
  return { items, asked };
};

describe("pages of a server's lists", () => {
  test("are one list", async () => {
    verifies("tools.resources");
    expect((await listOf([{ name: "a" }], [{ name: "b" }], [])).items).toEqual([{ name: "a" }, { name: "b" }]);
  });

  test("have one size for all of them: what goes on beyond it ends there", async () => {
    verifies("tools.resources");
    const page = Array.from({ length: 30 }, (_, at) => ({ name: `${at}`, description: "x".repeat(100_000) }));
    const { items, asked } = await listOf(page);
    expect(asked).toBe(3);
    expect(JSON.stringify(items).length).toBeLessThan(8_500_000);
    expect(items.length).toBeGreaterThan(80);
  });

  test("have their cursors counted", async () => {
    verifies("tools.resources");
    let asked = 0;
    await pagesOf(
      {
        slug: "files",
        ask: async () => {
          asked += 1;
          return { kind: "result", result: { prompts: [], nextCursor: `${asked}${"c".repeat(3_000_000)}` } };
        },
        silenceMs: 1_000,
        signal: AbortSignal.timeout(60_000),
      },
      "prompts/list",
      "prompts",
    );
    expect(asked).toBe(3);
  });

  test("with more than any list may have are refused before they are looked at", async () => {
    verifies("tools.resources");
    await expect(listOf(Array.from({ length: 10_001 }, () => 1))).rejects.toThrow(ToolFailure);
  });

  test("are kept without what is too large for a definition", async () => {
    verifies("tools.resources");
    const large = { name: "large", description: "x".repeat(140_000) };
    expect((await listOf([{ name: "a" }, large, { name: "b" }], [])).items).toEqual([{ name: "a" }, { name: "b" }]);
  });

  test("are measured in slices", async () => {
    verifies("tools.resources");
    const page = Array.from({ length: 60 }, () => ({ name: "a", parts: Array.from({ length: 100_000 }, () => 1) }));
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const { items } = await listOf(page, []);
    isOver = true;
    expect(items).toHaveLength(60);
    expect(turns).toBeGreaterThan(5);
  });
});
