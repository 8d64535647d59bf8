import { describe, expect, test } from "bun:test";
import { entriesAt, entriesIn } from "#features/registry/reading";
import { verifies } from "#test/support/verifies";

const entry = (name: string) => ({ name: `com.example/${name}`, description: `About ${name}`, version: "1.0.0" });

/** Reads a registry that answers with the same entries on every page, and counts the pages. */
const reading = async (servers: readonly unknown[], name: string | null = null) => {
  let pages = 0;
  const fetch = async () => {
    pages += 1;
    return { kind: "document", document: { servers, metadata: { nextCursor: `${pages}` } } } as const;
  };
  const problem = await entriesAt(fetch, "https://mcp.example.com/v0.1/servers", name, () => 0).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : null),
  );
  return { pages, problem };
};

describe("reading another registry", () => {
  test("ends with the page on which there are too many entries, whether or not they are any", async () => {
    verifies("registry.proposals");
    const { pages, problem } = await reading(Array.from({ length: 4_000 }, () => 1));
    expect(pages).toBe(3);
    expect(problem).toBe("More than 10000 servers are listed: choose fewer by name.");
  });

  test("ends with the page on which too many match", async () => {
    verifies("registry.proposals");
    const { pages, problem } = await reading(Array.from({ length: 201 }, (_, at) => entry(`${at}`)));
    expect(pages).toBe(1);
    expect(problem).toBe("More than 200 servers match: choose fewer by name.");
  });

  test("checks entries in slices, and does not walk through what is too large", async () => {
    verifies("registry.proposals");
    const large = { ...entry("large"), _meta: { parts: Array.from({ length: 70_000 }, () => ["x"]) } };
    const servers = Array.from({ length: 9_000 }, (_, at) => ({ ...entry(`${at}`), version: 1 }));
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const { refused } = await entriesIn([{ servers: [large, ...servers] }], null);
    isOver = true;
    expect(refused).toHaveLength(50);
    expect(refused[0]).toEqual({ name: "com.example/large", problem: "is too large" });
    expect(turns).toBeGreaterThan(3);
  });
});
