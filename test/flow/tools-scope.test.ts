import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { BOB, EVE, ToolWorld, WHOAMI } from "./tools-world";

const say = (name: string) => tool(name, () => text(`${name} of this server`));

let world: ToolWorld;
let fixture: McpFixture;
const tokens: Record<"eve" | "bob" | "all" | "some" | "none", string> = {
  eve: "",
  bob: "",
  all: "",
  some: "",
  none: "",
};

beforeAll(async () => {
  fixture = McpFixture.start({ tools: [say("read"), say("write"), say("delete")] });
  world = await ToolWorld.open({
    // Agents here ask for what is not theirs, again and again.
    env: { GUARDHOUSE_GUARD__AUTOMATIC_RESTRICTIONS: "off" },
    before: async (hub) => {
      await hub.createUser(BOB);
      for (const slug of ["files", "web"]) await hub.addToolServer(slug, { owner: EVE, url: fixture.url });
      await hub.addToolServer("files", { owner: BOB, url: fixture.url });
      await hub.addToolServer("secret", { owner: BOB, url: fixture.url });
      for (const name of ["all", "some", "none"]) await hub.createAgent(name, EVE);
      await hub.assignTools("files", EVE, "all");
      await hub.assignTools("web", EVE, "all");
      await hub.assignTools("files", EVE, "some", ["read", "write"]);
      tokens.bob = (await hub.createToken(BOB)).token;
      tokens.all = (await hub.createToken(EVE, "all")).token;
      tokens.some = (await hub.createToken(EVE, "some")).token;
      tokens.none = (await hub.createToken(EVE, "none")).token;
    },
  });
  tokens.eve = world.token;
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

const namesOf = (slug: string, ...tools: string[]) => tools.map((name) => `${slug}__${name}`);
const FILES = namesOf("files", "delete", "read", "write");
const WEB = namesOf("web", "delete", "read", "write");

describe("tool lists by caller", () => {
  test("a user's token: all tool servers of that user only", async () => {
    verifies("tools.scope-human");
    expect(await world.names(tokens.eve)).toEqual([...FILES, ...WEB]);
    expect(await world.names(tokens.bob)).toEqual([...FILES, ...namesOf("secret", "delete", "read", "write")]);
  });

  test("an agent token: the agent's assigned tools", async () => {
    verifies("tools.scope-agent");
    expect(await world.names(tokens.all)).toEqual([...FILES, ...WEB]);
    expect(await world.names(tokens.some)).toEqual(namesOf("files", "read", "write"));
    expect(await world.names(tokens.none)).toEqual([]);
  });

  test("parameters of the list change nothing", async () => {
    verifies("tools.scope-agent");
    const params = { server: "web", owner: EVE, agent: null, all: true };
    const { body } = await world.minimal("tools/list", params, { token: tokens.some });
    const names = Array.isArray(body["tools"]) ? body["tools"].map(({ name }) => name) : [];
    expect(names.filter((name) => name !== WHOAMI)).toEqual(namesOf("files", "read", "write"));
  });
});

describe("exactly the listed tools can be called", () => {
  test("every name for every caller", async () => {
    verifies("tools.scope-agrees");
    const all = [...FILES, ...WEB, ...namesOf("secret", "read"), "files__no_such", "no-such__read", "read", "__", ""];
    for (const token of Object.values(tokens)) {
      const listed = await world.names(token);
      for (const name of all) {
        const { status } = await world.minimal("tools/call", { name, arguments: {} }, { token });
        expect([name, status]).toEqual([name, listed.includes(name) ? 200 : 404]);
      }
    }
  });

  test("unknown and forbidden look alike outside, in every dialect", async () => {
    verifies("tools.scope-alike");
    const token = tokens.some;
    const strangers = ["files__delete", "web__read", "secret__read", "files__no_such", "no-such__read"];
    const asking = [
      (name: string) => world.minimal("tools/call", { name, arguments: {} }, { token }),
      (name: string) => world.legacy("tools/call", { name, arguments: {} }, { token }),
      (name: string) => world.modern("tools/call", { name, arguments: {} }, { token }),
    ];
    for (const ask of asking) {
      const answers = await Promise.all(strangers.map(ask));
      const shown = answers.map(({ status, raw }) => [status, raw]);
      expect(new Set(shown.map((one) => JSON.stringify(one))).size).toBe(1);
    }
  });

  test("and differ on record", async () => {
    verifies("tools.scope-recorded");
    const token = tokens.some;
    const denied = async (name: string) => {
      const answer = await world.minimal("tools/call", { name, arguments: {} }, { token });
      const { outcome, call } = await world.recordOf(answer);
      return [outcome, call.tool.denied_by, call.tool.server, call.tool.tool, call.code];
    };
    const code = "tool_not_found";
    expect(await denied("files__delete")).toEqual(["refused", "agent", "files", "delete", code]);
    expect(await denied("web__read")).toEqual(["refused", "agent", "web", "read", code]);
    // Nothing of a name that means nothing is written down: it is content.
    expect(await denied("files__no_such")).toEqual(["refused", "unknown", null, null, code]);
    expect(await denied("secret__read")).toEqual(["refused", "unknown", null, null, code]);
    expect(fixture.calls("no_such")).toEqual([]);
  });

  test("a server switched off is gone for everybody, and back when it is on again", async () => {
    verifies("tools.scope-server");
    await world.cli("tool-server", "disable", "web", "--owner", EVE);
    expect(await world.listed((names) => !names.includes("web__read"))).toEqual(FILES);
    const answer = await world.minimal("tools/call", { name: "web__read", arguments: {} });
    expect(answer.status).toBe(404);
    expect((await world.recordOf(answer)).call.tool.denied_by).toBe("server");
    await world.cli("tool-server", "enable", "web", "--owner", EVE);
    expect(await world.listed((names) => names.includes("web__read"))).toEqual([...FILES, ...WEB]);
  });

  test("an assignment that is changed or taken holds from then on", async () => {
    verifies("tools.scope-agent");
    await world.hub.assignTools("files", EVE, "none", ["delete"]);
    expect(await world.listed((names) => names.length > 0, tokens.none)).toEqual(["files__delete"]);
    await world.hub.assignTools("files", EVE, "none", ["read"]);
    expect(await world.listed((names) => names.includes("files__read"), tokens.none)).toEqual(["files__read"]);
    await world.cli("tool-server", "unassign", "files", "--owner", EVE, "--agent", "none");
    expect(await world.listed((names) => names.length === 0, tokens.none)).toEqual([]);
  });
});

test("whoami counts what is hidden and names none of it", async () => {
  verifies("tools.whoami");
  const some = await world.call(WHOAMI, {}, { token: tokens.some });
  expect(some["structuredContent"]).toMatchObject({
    user: EVE,
    agent: "some",
    listed: 2,
    hidden: { server: 0, definition: 0, agent: 4, profile: 0, restriction: 0, client: 0 },
  });
  expect(JSON.stringify(some)).not.toContain("files__delete");
  const eve = await world.call(WHOAMI, {}, { token: tokens.eve });
  expect(eve["structuredContent"]).toMatchObject({ user: EVE, agent: null, listed: 6, hidden: { agent: 0 } });
});
