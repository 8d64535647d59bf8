import { describe, expect, test } from "bun:test";
import { BOB, EVE, ToolWorld } from "#test/flow/tools-world";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";

const ROUNDS = 10;
const ENV = {
  GUARDHOUSE_TOOL_GATEWAY__LIST_FRESH_MS: "600000",
  GUARDHOUSE_GUARD__SCAN_THREADS: "1",
};

const PHONES = "+1 415 555 2671 ";

/** A hub with Bob's small tool, and Eve's server with whatever is dear to handle. */
const openHouse = async (dear: McpFixture, small: McpFixture): Promise<{ world: ToolWorld; bob: string }> => {
  const world = await ToolWorld.open({
    processes: "hub",
    env: ENV,
    before: async (hub) => {
      await hub.createUser(BOB);
      await hub.addToolServer("dear", { owner: EVE, url: dear.url });
      await hub.addToolServer("small", { owner: BOB, url: small.url });
    },
  });
  const { token: bob } = await world.hub.createToken(BOB);
  expect(await world.names(bob)).toContain("small__echo");
  return { world, bob };
};

/** Health checks and small calls of Bob's, one after the other. */
const smallCalls = async (world: ToolWorld, token: string): Promise<void> => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [health, said] = await Promise.all([
      world.hub.fetch("/healthz"),
      world.text("small__echo", { message: "hello" }, { token }),
    ]);
    expect(health.status).toBe(200);
    expect(said).toBe("hello");
  }
};

describe("beside a tool server that sends much", () => {
  test("others are answered before its long list is taken in, and all of the list is", async () => {
    verifies("fairness.tool-lists");
    // Each of them is a text of its own, as in a list that a server makes up.
    const tools = Array.from({ length: 330 }, (_, at) =>
      tool(`tool${at}`, () => text("ran"), undefined, { description: `${at} ${PHONES.repeat(750)}` }),
    );
    // Known with one tool, so that the hub looks at the rest while it serves.
    await using dear = McpFixture.start({ tools: tools.slice(0, 1), pageSize: tools.length });
    await using small = McpFixture.start();
    const { world, bob } = await openHouse(dear, small);
    await using _house = world;
    dear.set(...tools);
    const looks = dear.of("tools/list").length;
    let isListed = false;
    const list = world
      .listed((names) => names.length > 1)
      .then((names) => {
        isListed = true;
        return names;
      });
    await dear.until(() => dear.of("tools/list").length > looks);
    await smallCalls(world, bob);
    expect(isListed).toBe(false);
    expect((await list).length).toBe(tools.length);
  });

  test("others are answered before its long result is handled, which arrives as it was", async () => {
    verifies("fairness.tool-results");
    // Values too small to be scanned, so that nothing is sent to the scan pool: they are read, walked and written.
    const rows = Array.from({ length: 150_000 }, (_, at) => ({ id: at, state: "open", total: (at % 1_000) / 8 }));
    const result = { content: [{ type: "text", text: "All rows." }], structuredContent: { rows } };
    await using dear = McpFixture.start({ tools: [tool("rows", () => result)] });
    await using small = McpFixture.start();
    const { world, bob } = await openHouse(dear, small);
    await using _house = world;
    let isAnswered = false;
    const args = { rows: rows.slice(0, 100_000) };
    const long = world.call("dear__rows", args).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await dear.until(() => dear.calls("rows").length > 0);
    await smallCalls(world, bob);
    expect(isAnswered).toBe(false);
    expect(await long).toEqual(result);
    expect(dear.calls("rows")[0]?.params["arguments"]).toEqual(args);
  });
});
