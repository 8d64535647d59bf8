import { describe, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import {
  answers,
  fails,
  failureIn,
  type Got,
  legacy,
  modern,
  never,
  type Reply,
  type Script,
  ScriptedMcp,
  upstreamTo,
} from "./scripted-mcp.ts";

describe("a list", () => {
  const page = (got: Got, next: unknown): Response =>
    answers(got, { tools: [{ name: `after ${got.params["cursor"] ?? "start"}` }], nextCursor: next });

  test("is read page by page", async () => {
    verifies("tools.upstream-list");
    const next: Record<string, string> = { undefined: "a", a: "b" };
    await using server = new ScriptedMcp({
      ...legacy(),
      "tools/list": (got) => page(got, next[String(got.params["cursor"])]),
    });
    const upstream = upstreamTo(server.url);
    const { tools, instructions } = await upstream.list(never);
    expect(tools).toEqual([{ name: "after start" }, { name: "after a" }, { name: "after b" }]);
    expect(instructions).toBe("be kind");
    await upstream.close();
  });

  test("that goes round, never ends or grows without measure comes to an end", async () => {
    verifies("tools.upstream-list");
    let pages = 0;
    const many = Array.from({ length: 4_000 }, () => ({ name: "t" }));
    const endless: readonly [Reply, number, number][] = [
      [(got) => page(got, "same"), 2, 2],
      [(got) => page(got, `${pages}`), 100, 100],
      [(got) => answers(got, { tools: many, nextCursor: `${pages}` }), 10_000, 3],
    ];
    for (const [reply, tools, asked] of endless) {
      pages = 0;
      await using server = new ScriptedMcp({
        ...legacy(),
        "tools/list": (got) => {
          pages += 1;
          return reply(got);
        },
      });
      const upstream = upstreamTo(server.url);
      expect((await upstream.list(never)).tools).toHaveLength(tools);
      expect(pages).toBe(asked);
      await upstream.close();
    }
  });

  test("has one size, however many pages it has", async () => {
    verifies("tools.upstream-list", "tools.upstream-limits");
    let pages = 0;
    await using server = new ScriptedMcp({
      ...legacy(),
      "tools/list": (got) => {
        pages += 1;
        return answers(got, { tools: [{ name: "x".repeat(10_000) }], nextCursor: `${pages}` });
      },
    });
    const upstream = upstreamTo(server.url, { resultBytes: 100_000 });
    expect(await failureIn(upstream.list(never))).toMatchObject({ reason: "too_large" });
    expect(pages).toBe(10);
    await upstream.close();
  });

  test("may be empty for want of tools, and is otherwise one or an error", async () => {
    await using server = new ScriptedMcp({ ...legacy(null, { prompts: {} }) });
    const upstream = upstreamTo(server.url);
    expect((await upstream.list(never)).tools).toEqual([]);
    for (const reply of [
      (got: Got) => fails(got, -32603, "?"),
      (got: Got) => answers(got, { tools: "none" }),
      (got: Got) => answers(got, {}),
    ]) {
      server.script = { ...server.script, "tools/list": reply };
      expect(await failureIn(upstream.list(never))).toMatchObject({ reason: "garbage" });
    }
    await upstream.close();
  });

  test("leaves out tools that declare headers wrongly, where headers matter", async () => {
    verifies("tools.upstream-headers");
    const tools = [
      { name: "good", inputSchema: { type: "object", properties: { a: { type: "string", "x-mcp-header": "A" } } } },
      { name: "bad", inputSchema: { type: "object", properties: { a: { type: "string", "x-mcp-header": "A\r\nb" } } } },
      { name: "odd", inputSchema: "none" },
      "no tool",
    ];
    const list: Script = { "tools/list": (got) => answers(got, { tools }) };
    await using now = new ScriptedMcp({ ...modern(), ...list });
    await using then = new ScriptedMcp({ ...legacy(), ...list });
    const upstreams = [upstreamTo(now.url), upstreamTo(then.url)] as const;
    expect((await upstreams[0].list(never)).tools).toEqual([tools[0], tools[2], tools[3]]);
    expect((await upstreams[1].list(never)).tools).toEqual(tools);
    for (const upstream of upstreams) await upstream.close();
  });
});
