import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Fault, McpFixture, text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { EVE, ToolWorld, until } from "./tools-world";

const RESULT_BYTES = 100_000;

/** Longer than the hub waits in silence, and never silent that long. */
const slow = tool("slow", async ({ progress, gone }) => {
  for (let step = 1; step <= 12 && !gone.aborted; step += 1) {
    await Bun.sleep(450);
    progress(step, 12);
  }
  return text("slow but sure");
});

const count = tool("count", ({ memory }) => {
  const next = (memory.get("count") ?? 0) + 1;
  memory.set("count", next);
  return text(`${next}`);
});

const TOOLS = [tool("ping", () => text("pong")), slow, count];

let world: ToolWorld;
let good: McpFixture;
let old: McpFixture;
let bad: McpFixture;
beforeAll(async () => {
  good = McpFixture.start({ tools: TOOLS });
  old = McpFixture.start({ tools: TOOLS, era: "2025" });
  bad = McpFixture.start({ tools: TOOLS, era: "2026" });
  world = await ToolWorld.open({
    env: {
      GUARDHOUSE_TOOL_GATEWAY__LIST_MS: "4000",
      GUARDHOUSE_TOOL_GATEWAY__CALL_MS: "4000",
      GUARDHOUSE_TOOL_GATEWAY__RESULT_BYTES: `${RESULT_BYTES}`,
    },
    before: async (hub) => {
      await hub.addToolServer("good", { owner: EVE, url: good.url });
      await hub.addToolServer("old", { owner: EVE, url: old.url });
      await hub.addToolServer("bad", { owner: EVE, url: bad.url });
    },
  });
});
afterEach(() => {
  for (const fixture of [good, old, bad]) fixture.heal();
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  for (const fixture of [good, old, bad]) await fixture?.[Symbol.asyncDispose]();
});

const ALL = ["bad", "good", "old"].flatMap((slug) => ["count", "ping", "slow"].map((name) => `${slug}__${name}`));
const FLOOD: Fault = { kind: "flood", bytes: RESULT_BYTES * 20 };
const GARBAGE: Fault = { kind: "garbage" };

describe("a call that fails is a result a model can act on", () => {
  test.each([
    { what: "dies mid-call", fault: { kind: "die" }, code: "upstream_error", may: true },
    { what: "never answers", fault: { kind: "hang" }, code: "upstream_timeout", may: true },
    { what: "answers a web page", fault: GARBAGE, code: "upstream_error", may: true },
    {
      what: "answers broken JSON",
      fault: { ...GARBAGE, body: "{", type: "application/json" },
      code: "upstream_error",
      may: true,
    },
    { what: "floods", fault: FLOOD, code: "upstream_error", may: true },
    { what: "fails with 500", fault: { kind: "status", status: 500 }, code: "upstream_error", may: true },
    { what: "refuses the hub", fault: { kind: "status", status: 401 }, code: "upstream_auth_failed", may: false },
  ] as const)("$what", async ({ fault, code, may }) => {
    verifies("tools.faults-call");
    for (const [slug, fixture] of [
      ["bad", bad],
      ["old", old],
    ] as const) {
      const before = fixture.calls("ping").length;
      fixture.fault("tools/call", fault);
      const answer = await world.legacy("tools/call", { name: `${slug}__ping`, arguments: {} });
      fixture.heal();
      expect(answer.status).toBe(200);
      expect(answer.result.isError).toBe(true);
      const said = answer.result.content[0]?.text ?? "";
      expect(said).toContain(slug);
      expect(said.includes("may have run")).toBe(may);
      expect(said).not.toContain("It works!");
      expect(said.length).toBeLessThan(1000);
      const { outcome, call } = await world.recordOf(answer);
      expect([outcome, call.code, call.tool.is_error]).toEqual(["upstream_error", code, true]);
      // Nothing is asked twice that may have run once.
      expect(fixture.calls("ping")).toHaveLength(before + 1);
      // And the next one is served: a fault is over when it is over.
      expect(await world.text(`${slug}__ping`)).toBe("pong");
    }
  });

  test("progress ends a silence", async () => {
    verifies("tools.faults-silence");
    const call = { arguments: {}, _meta: { progressToken: 1 } };
    for (const slug of ["bad", "old"]) {
      const answer = await world.legacy("tools/call", { name: `${slug}__slow`, ...call });
      expect(answer.result.content[0]?.text).toBe("slow but sure");
      expect(answer.news).toHaveLength(12);
    }
  });

  test("a call that hangs is cancelled at its server", async () => {
    verifies("tools.faults-call");
    const before = bad.cancelled.length;
    bad.fault("tools/call", { kind: "hang" });
    expect(await world.call("bad__ping")).toMatchObject({ isError: true });
    await bad.until(() => bad.cancelled.length > before);
  });
});

describe("one bad server costs its own tools only", () => {
  test.each([
    { what: "hangs", fault: { kind: "hang" } },
    { what: "answers garbage", fault: GARBAGE },
    { what: "floods", fault: FLOOD },
    { what: "breaks off", fault: { kind: "die" } },
  ] as const)("$what: what was listed last is listed on, and at once", async ({ fault }) => {
    verifies("tools.faults-list");
    expect(await world.listed(({ length }) => length === ALL.length)).toEqual(ALL);
    const looks = bad.of("tools/list").length;
    bad.fault("tools/list", fault);
    const [list] = await until(
      async () => [await world.minimal("tools/list")] as const,
      () => bad.of("tools/list").length > looks,
    );
    expect(list.status).toBe(200);
    expect(await world.names()).toEqual(ALL);
    expect(await world.text("good__ping")).toBe("pong");
  });

  test("a list with odd tools loses those alone", async () => {
    verifies("tools.faults-odd-tools");
    const fine = { name: "fine", description: "Is as it should be.", inputSchema: { type: "object" } };
    const odd = [null, 7, "tool", [], {}, { name: "" }, { name: 3 }, { ...fine, name: "no_schema", inputSchema: 5 }];
    const tools = [...odd, fine, fine];
    bad.fault("tools/list", {
      kind: "result",
      result: { tools, resultType: "complete", ttlMs: 0, cacheScope: "private" },
    });
    bad.announce();
    const names = await world.listed((all) => all.includes("bad__fine"));
    expect(names.filter((name) => name.startsWith("bad__"))).toEqual(["bad__fine"]);
    bad.heal();
    bad.announce();
    expect(await world.listed((all) => all.includes("bad__ping"))).toEqual(ALL);
  });

  test("a list without end ends", async () => {
    verifies("tools.faults-list");
    const page = { tools: [], nextCursor: "again", resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const looks = bad.of("tools/list").length;
    bad.fault("tools/list", { kind: "result", result: page });
    await until(
      () => world.names(),
      () => bad.of("tools/list").length > looks,
    );
    expect(await world.names()).toEqual(expect.arrayContaining(ALL.filter((name) => !name.startsWith("bad__"))));
    const asked = async () => bad.of("tools/list").length;
    const soon = await asked();
    expect(soon - looks).toBeLessThan(5_000);
  });
});

describe("a server that comes back", () => {
  test("a session that is lost is begun again, and the caller sees nothing of it", async () => {
    verifies("tools.faults-session");
    await world.text("old__count");
    expect(Number(await world.text("old__count"))).toBeGreaterThan(1);
    const before = old.calls("count").length;
    old.dropSessions();
    expect(await world.text("old__count")).toBe("1");
    expect(old.calls("count").length - before).toBeLessThanOrEqual(2);
    expect(await world.text("old__count")).toBe("2");
  });

  test("a server that is started anew is found again", async () => {
    verifies("tools.faults-restart");
    for (const [slug, fixture] of [
      ["good", good],
      ["old", old],
    ] as const) {
      expect(await world.text(`${slug}__ping`)).toBe("pong");
      await world.listed(({ length }) => length === ALL.length);
      await fixture.down();
      expect(await world.call(`${slug}__ping`)).toMatchObject({ isError: true });
      expect(await world.names()).toEqual(ALL);
      fixture.up();
      expect(await world.text(`${slug}__ping`)).toBe("pong");
    }
  });
});

test("all down and nothing known of any is an error, not an empty list", async () => {
  verifies("tools.faults-all-down");
  const down = McpFixture.start({ tools: TOOLS });
  await down.down();
  await using dark = await ToolWorld.open({
    before: (hub) => hub.addToolServer("down", { owner: EVE, url: down.url }),
  });
  const minimal = await dark.minimal("tools/list");
  expect([minimal.status, minimal.error["code"]]).toEqual([502, "upstream_error"]);
  expect(minimal.raw).toContain("down");
  const legacy = await dark.legacy("tools/list");
  expect(legacy.error["code"]).toBe(-32603);
  down.up();
  expect(await dark.listed(({ length }) => length === 3)).toContain("down__ping");
  await down.down();
});

test("a server that is slow when nothing is known of it is waited for no longer than its time", async () => {
  verifies("tools.faults-slow-list");
  const late = McpFixture.start({ tools: TOOLS });
  await late.down();
  await using other = await ToolWorld.open({
    env: { GUARDHOUSE_TOOL_GATEWAY__LIST_MS: "500" },
    before: async (hub) => {
      await hub.addToolServer("late", { owner: EVE, url: late.url, flags: ["--list-timeout", "1s"] });
      await hub.addToolServer("good", { owner: EVE, url: good.url });
      late.fault("*", { kind: "hang" });
      late.up();
    },
  });
  const since = performance.now();
  expect(await other.names()).toEqual(["good__count", "good__ping", "good__slow"]);
  expect(performance.now() - since).toBeLessThan(30_000);
  late.heal();
  expect(await other.listed(({ length }) => length === 6)).toContain("late__ping");
  await late[Symbol.asyncDispose]();
});
