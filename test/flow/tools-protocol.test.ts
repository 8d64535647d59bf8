import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { type Answer, EVE, ToolWorld, until } from "./tools-world";

const EVERYTHING = Bun.resolveSync("@modelcontextprotocol/server-everything/dist/index.js", import.meta.dir);

const FORM = { message: "Which city?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } };
const asks = tool("ask", async ({ ask }) => text(JSON.stringify(await ask("elicitation/create", FORM))));

let world: ToolWorld;
let both: McpFixture;
let old: McpFixture;
let silent: McpFixture;
beforeAll(async () => {
  both = McpFixture.start();
  old = McpFixture.start({ era: "2025" });
  silent = McpFixture.start();
  old.set(asks);
  world = await ToolWorld.open({
    env: {
      GUARDHOUSE_TOOL_GATEWAY__ELICITATION_MS: "3000",
      GUARDHOUSE_TOOL_GATEWAY__TOTAL_MS: "2000",
      GUARDHOUSE_TOOL_GATEWAY__CALL_MS: "1000",
    },
    before: (hub) => hub.addToolServer("old", { owner: EVE, url: old.url }),
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  for (const fixture of [both, old, silent]) await fixture?.[Symbol.asyncDispose]();
});

const add = async (slug: string, protocol: string, ...place: readonly string[]): Promise<JsonRecord> => {
  const report = await world.cli(
    "tool-server",
    "add",
    slug,
    "--owner",
    EVE,
    "--protocol",
    protocol,
    "--json",
    ...place,
  );
  if (!isRecord(report)) throw new Error("no report");
  return report;
};

describe("a server pinned to a version", () => {
  test.each(["2026-07-28", "2025-11-25", "2025-06-18", "2024-11-05"])("is spoken to in %s alone", async (version) => {
    verifies("tool-servers.protocol");
    const slug = `v${version.replaceAll("-", "")}`;
    const before = both.requests.length;
    expect(await add(slug, version, "--url", both.url)).toMatchObject({
      ok: true,
      protocol: version,
      protocol_pin: version,
    });
    await world.listed((names) => names.includes(`${slug}__add`));
    expect(await world.text(`${slug}__add`, { a: 1, b: 2 })).toBe("3");
    const methods = new Set(both.requests.slice(before).map(({ method }) => method));
    expect(methods.has("server/discover")).toBe(version === "2026-07-28");
    expect(methods.has("initialize")).toBe(version !== "2026-07-28");
  });

  test("that it does not speak is refused in words that say so", async () => {
    verifies("tool-servers.protocol");
    const words = "does not speak MCP 2026-07-28, which it is pinned to";
    expect(await add("pinned", "2026-07-28", "--url", old.url)).toMatchObject({
      ok: false,
      problem: `pinned ${words}.`,
    });
  });

  test("can be a program", async () => {
    verifies("tool-servers.protocol");
    const program = ["--stdio", "--", process.execPath, EVERYTHING, "stdio"];
    expect(await add("all", "2025-06-18", ...program)).toMatchObject({ ok: true, protocol: "2025-06-18" });
    const newer = await add("newer", "2026-07-28", ...program);
    expect(newer).toMatchObject({ ok: false });
  });

  test("is pinned to a version of MCP, or not at all", async () => {
    verifies("tool-servers.protocol");
    const { code, stderr } = await world.hub.cli(
      "tool-server",
      "add",
      "x",
      "--owner",
      EVE,
      "--url",
      both.url,
      "--protocol",
      "1.0",
    );
    expect([code, stderr.includes("2025-11-25")]).toEqual([2, true]);
  });
});

describe("a first list", () => {
  const goesWithout = ({ body }: Answer): boolean => {
    const result = isRecord(body["result"]) ? body["result"] : body;
    const leftOut = isRecord(result["_meta"]) ? result["_meta"]["guardhouse/left_out"] : [];
    return Array.isArray(leftOut) && leftOut.includes("silent");
  };

  test("waits once for a server that is still starting, and says that it goes without it", async () => {
    verifies("tools.left-out");
    expect(goesWithout(await world.minimal("tools/list"))).toBe(false);
    silent.fault("*", { kind: "hang" });
    const added = world.hub.cli(
      "tool-server",
      "add",
      "silent",
      "--owner",
      EVE,
      "--url",
      silent.url,
      "--list-timeout",
      "2s",
    );
    await silent.until(() => silent.requests.length > 0);
    const lists = async () => [
      await world.minimal("tools/list"),
      await world.legacy("tools/list"),
      await world.modern("tools/list"),
    ];
    await until(lists, (answers) => answers.every(goesWithout));
    const begun = performance.now();
    await lists();
    // It has had its two seconds: three more lists do not wait for it again.
    expect(performance.now() - begun).toBeLessThan(2_000);
    silent.heal();
    await added;
  }, 60_000);
});

describe("a question that nobody answers", () => {
  test("ends with its own time, not with the call's, and the server is told", async () => {
    verifies("elicitation.bound");
    const headers = { "mcp-session-id": `hub.f-00000000-${crypto.randomUUID()}` };
    const answer = await world.legacy("tools/call", { name: "old__ask", arguments: {} }, { headers });
    expect(answer.news.map(({ method }) => method)).toEqual(["elicitation/create", "notifications/cancelled"]);
    expect(answer.result.content[0]?.text).toBe('{"action":"cancel"}');
    const { call } = await world.recordOf(answer);
    expect(call.tool.questions).toMatchObject([{ mode: "form", outcome: "timeout" }]);
  });

  test("holds a call of 2026-07-28 no longer than that", async () => {
    verifies("elicitation.bound");
    const _meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
    const params = { name: "old__ask", arguments: {}, _meta };
    const answers = () => old.requests.filter(({ text: body }) => body.includes('"action":"cancel"')).length;
    const before = answers();
    const { body } = await world.modern("tools/call", params);
    expect(body["result"]).toMatchObject({ resultType: "input_required" });
    await old.until(() => answers() > before);
  });
});
