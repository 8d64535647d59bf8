import { afterAll, beforeAll, expect, test } from "bun:test";
import { found, foundBelow, needle } from "#test/hard/needles";
import { McpFixture } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { BOB, EVE, ToolWorld } from "./tools-world";

const letters = (length: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => "abcdefghijklmnopqrstuvwxyz"[byte % 26]).join(
    "",
  );

/** What the tool server asks for as a token. No detector knows its form. */
const CREDENTIAL = `cred_${letters(32)}`;
/** A word of an argument, of a result, of a name of no tool. */
const WORD = `quokka${letters(14)}`;

let world: ToolWorld;
let fixture: McpFixture;
let open: McpFixture;
let bob: string;
beforeAll(async () => {
  fixture = McpFixture.start({ bearer: CREDENTIAL });
  open = McpFixture.start({ era: "2025" });
  world = await ToolWorld.open({
    before: async (hub) => {
      await hub.createUser(BOB);
      bob = (await hub.createToken(BOB)).token;
      const headers = `Authorization: Bearer ${CREDENTIAL}\nX-Team: blue\n`;
      await hub.addToolServer("locked", { owner: EVE, url: fixture.url, headers });
      for (const owner of [EVE, BOB]) await hub.addToolServer("open", { owner, url: open.url });
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  for (const each of [fixture, open]) await each?.[Symbol.asyncDispose]();
});

test("a tool server is sent its own credentials, and never the caller's", async () => {
  verifies("tools.credentials");
  expect(await world.text("locked__echo", { message: "hi" })).toBe("hi");
  const { headers, text: body } = fixture.calls("echo").at(-1) ?? { headers: new Headers(), text: "" };
  expect(headers.get("authorization")).toBe(`Bearer ${CREDENTIAL}`);
  expect(headers.get("x-team")).toBe("blue");
  const everything = JSON.stringify([...fixture.requests, ...open.requests].map((one) => [[...one.headers], one.text]));
  expect(everything).not.toContain(world.token);
  expect(JSON.stringify([...headers])).not.toContain(EVE);
  expect(body).not.toContain(EVE);
});

test("two users of one server never share a session", async () => {
  verifies("tools.isolation");
  const counts = async (token: string) => Number(await world.text("open__counter", {}, { token }));
  const [eve, bobs] = [world.token, bob];
  for (const expected of [1, 2, 3]) {
    expect(await counts(eve)).toBe(expected);
    expect(await counts(bobs)).toBe(expected);
  }
  const many = await Promise.all(Array.from({ length: 20 }, (_, at) => counts(at % 2 === 0 ? eve : bobs)));
  const own = (parity: number) => many.filter((_, at) => at % 2 === parity).sort((one, other) => one - other);
  const next = Array.from({ length: 10 }, (_, at) => at + 4);
  expect(own(0)).toEqual(next);
  expect(own(1)).toEqual(next);
});

test("a list and a call leave their records", async () => {
  verifies("tools.audit");
  const list = await world.recordOf(await world.legacy("tools/list"));
  expect(list).toMatchObject({ kind: "tool.list", phase: "final", outcome: "answered", actor: { via: "token" } });
  const { tool } = list.call;
  expect(tool).toMatchObject({ dialect: "2025", server: null, tool: null, denied_by: null });
  expect(tool.listed).toBeGreaterThan(10);
  expect(tool.allowlist_revision).toBeGreaterThan(0);

  const answer = await world.modern(
    "tools/call",
    { name: "locked__add", arguments: { a: 1, b: 2 } },
    { headers: { "x-conversation-id": "talk-7" } },
  );
  const call = await world.recordOf(answer);
  expect(call).toMatchObject({
    kind: "tool.call",
    outcome: "answered",
    call: { conversation_id: "talk-7", status: 200 },
  });
  expect(call.call.tool).toEqual({
    dialect: "2026",
    allowlist_revision: tool.allowlist_revision,
    server: "locked",
    server_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tool: "add",
    name: "locked__add",
    denied_by: null,
    is_error: false,
    listed: null,
  });
  expect(call.call.coverage.input.texts).toBeGreaterThan(0);
  expect(call.call.coverage.output.texts).toBeGreaterThan(0);
  // What is told before the end is on record before it is told.
  const params = { name: "locked__slow", arguments: { steps: 2, gap_ms: 1 }, _meta: { progressToken: 1 } };
  const { call_id } = await world.recordOf(await world.legacy("tools/call", params));
  const request = (await world.records()).find((record) => record.call_id === call_id && record.phase === "request");
  expect(request).toMatchObject({ kind: "tool.call", outcome: "open", call: { tool: { name: "locked__slow" } } });

  const failed = await world.recordOf(await world.minimal("tools/call", { name: "locked__test_error_handling" }));
  expect([failed.outcome, failed.call.tool.dialect, failed.call.tool.is_error]).toEqual(["answered", "minimal", true]);
});

test("neither arguments nor results nor credentials are found in log, audit or database", async () => {
  verifies("tools.canary");
  expect(await world.text("open__echo", { message: `say ${WORD}` })).toContain(WORD);
  await world.minimal("tools/call", { name: `open__${WORD}`, arguments: { [WORD]: WORD } });
  await world.minimal("tools/call", { name: WORD, arguments: {} });
  await world.legacy("tools/call", { name: "open__add", arguments: { a: WORD, b: 1 } });
  await world.legacy(WORD, { [WORD]: WORD });
  open.fault("tools/call", { kind: "error", code: -32000, message: WORD });
  await world.legacy("tools/call", { name: "open__echo", arguments: {} });
  open.fault("tools/call", { kind: "garbage", body: WORD });
  await world.legacy("tools/call", { name: "open__echo", arguments: {} });
  open.heal();
  fixture.fault("tools/call", { kind: "status", status: 401 });
  await world.legacy("tools/call", { name: "locked__echo", arguments: { message: WORD } });
  fixture.heal();
  const needles = [needle("word", WORD), needle("credential", CREDENTIAL)];
  const listed = JSON.stringify(await world.cli("tool-server", "list"));
  expect(found(needles, listed)).toEqual([]);
  expect(found(needles, JSON.stringify(await world.cli("audit", "tail", "-n", "1000")))).toEqual([]);
  expect(await world.hub.kill("SIGTERM")).toBe(0);
  expect(found(needles, await world.hub.written())).toEqual([]);
  expect(await foundBelow(world.hub.dataDir, needles)).toEqual([]);
  await world.hub.start();
  // It is there all the same: the call still has its credential.
  expect(await world.text("locked__echo", { message: "back" })).toBe("back");
});

test("after all of it the log is whole", async () => {
  verifies("tools.audit");
  const { code, stdout } = await world.hub.cli("audit", "verify");
  expect([code, stdout]).toEqual([0, expect.stringContaining("{")]);
});
