import { expect, test } from "bun:test";
import fc from "fast-check";
import { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { Store } from "#store/port";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { approved, FILES, MAIL, NOTHING_ELSE, someTool, withServers } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

const SERVERS = ["s1", "s2"] as const;
const AGENT = "a1";
const TOOLS = ["read", "write", "list"];

type Step = (store: Store) => Promise<unknown>;

const server = fc.constantFrom(...SERVERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(server, fc.subarray(TOOLS), fc.boolean()).map(
    ([id, names, pinIfNew]): Step =>
      ({ tools }) => {
        const seen = names.map((tool) => someTool(tool, { server_id: id, name: `${id}__${tool}`, pinIfNew }));
        return tools.see(id, seen, someRecord());
      },
  ),
  fc.tuple(server, fc.constantFrom(...TOOLS)).map(
    ([id, tool]): Step =>
      ({ tools }) =>
        tools.pin(id, [{ tool, hash: `hash of ${tool}` }], someRecord()),
  ),
  server.map(
    (server_id): Step =>
      async ({ tools }) => {
        if (await tools.byId(server_id))
          await tools.assign({ agent_id: AGENT, server_id, tools: null, ...NOTHING_ELSE }, someRecord());
      },
  ),
  server.map(
    (id): Step =>
      ({ tools }) =>
        tools.unassign(AGENT, id, someRecord()),
  ),
  server.map(
    (id): Step =>
      ({ tools }) =>
        tools.remove(id, someRecord()),
  ),
  fc.constantFrom(FILES, MAIL).map(
    (one): Step =>
      ({ tools }) =>
        tools.add(one, someRecord()),
  ),
);

const shown = (toolRegistry: ToolRegistryCache) => ({
  all: [...toolRegistry.all()],
  pins: SERVERS.map((id) => toolRegistry.pinsOf(id)),
  assigned: [...toolRegistry.assignmentsOf(AGENT)],
});

test("tool registry: incremental updates equal a full reload", async () => {
  verifies("sync.only-changes");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 12 }), async (steps) => {
      await using place = new Place();
      const store = await place.open();
      await withServers(store);
      const toolRegistry = new ToolRegistryCache();
      let since = 0;
      const look = async (): Promise<void> => {
        const { tools, revision } = await store.changes.changesSince(since);
        if (tools) toolRegistry.apply(tools, revision);
        since = revision;
      };
      await look();
      // Several changes may come in one look.
      for (const [change, isLooked] of steps) {
        await change(store);
        if (isLooked) await look();
      }
      await look();
      const whole = new ToolRegistryCache();
      const { tools, revision } = await store.changes.changesSince(0);
      if (tools) whole.apply(tools, revision);
      expect(shown(toolRegistry)).toEqual(shown(whole));
    }),
    { numRuns: 25 },
  );
});

test("tool registry: a model means a tool by its public name, with or without its client's prefix, and by no other", () => {
  verifies("trace.nested");
  const toolRegistry = new ToolRegistryCache();
  const changed = new Set([FILES.id]);
  const pins = [approved(someTool("read")), approved(someTool("a__b"))];
  toolRegistry.apply({ servers: [FILES, MAIL], changed, pins, assignments: [] }, 1);
  const nameOf = (asked: string, user = FILES.owner_id) => toolRegistry.nameOf(user, asked);
  for (const asked of ["files__read", "mcp__files__read", "mcp__hub__files__read"]) {
    expect(nameOf(asked)).toBe("files__read");
    expect(nameOf(asked, "somebody else")).toBeNull();
  }
  expect(nameOf("mcp__hub__files__a__b")).toBe("files__a__b");
  for (const asked of [
    "",
    "read",
    "__",
    "files__",
    "files__write",
    "xfiles__read",
    "mail__read",
    "a__b__c__d__files__read",
  ])
    expect([asked, nameOf(asked)]).toEqual([asked, null]);
});
