import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonRecord } from "#core/json/json";
import { ToolCatalogue } from "#guard/tools/catalogue";
import { ToolConnections } from "#guard/tools/connections";
import { ToolDiscovery } from "#guard/tools/discovery";
import { ToolRegistryCache } from "#guard/tools/registry-cache";
import { ResourceLists } from "#guard/tools/resource-lists";
import type { ToolPin, ToolServer } from "#model/tools/tool";
import { jsonLog } from "#platform/log";
import { sortedSliced } from "#platform/sliced-sort";
import { Slices } from "#platform/slices";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import { LABELS } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { answers, legacy, ScriptedMcp, upstreamTo } from "#test/upstream/scripted-mcp";

const POLICY = compilePolicy(DEFAULT_POLICY, 1, DETECTORS);
const serverAt = (url: string, id: string): ToolServer => ({
  id,
  owner_id: "0197f000-0000-7000-8000-000000000002",
  slug: "notes",
  transport: "streamable-http",
  url,
  command: null,
  given_by: "operator",
  active: true,
  credential_kind: "none",
  sealed_credentials: null,
  credential_version: 0,
  call_ms: null,
  list_ms: null,
  published_at: null,
  published_as: null,
  protocol: null,
  elicitation_hosts: [],
  created_at: 0,
});

const serving = (capabilities: JsonRecord) =>
  new ScriptedMcp({
    ...legacy(null, capabilities),
    "tools/list": (got) => answers(got, { tools: [] }),
    "resources/list": (got) => answers(got, { resources: [{ uri: "note://1", name: "One" }] }),
  });

let plain: ScriptedMcp;
let notes: ScriptedMcp;
beforeAll(() => {
  plain = serving({ tools: {} });
  notes = serving({ tools: {}, resources: {} });
});
afterAll(() => Promise.all([plain?.stop(), notes?.stop()]));

const listsOf = (server: ToolServer) => {
  const now = () => Date.now();
  const log = jsonLog("error", () => undefined, now);
  const store = { pins: async (): Promise<ToolPin[]> => [], see: async () => false };
  const toolRegistry = new ToolRegistryCache();
  toolRegistry.apply({ servers: [server], changed: new Set([server.id]), pins: [], assignments: [] }, 1);
  const connections = new ToolConnections({
    connect: ({ url }) => upstreamTo(url ?? ""),
    now,
    idleMs: 60_000,
    maxConcurrent: 8,
    onListChanged: () => undefined,
  });
  const basics = { policy: () => POLICY, newTools: "pin", labels: LABELS, now, ids: () => "id" } as const;
  const discovery = new ToolDiscovery({ tools: store, ...basics });
  const parts = { connections, discovery, now, log, freshMs: 60_000, listMs: 10_000, discoveryMs: 10_000 };
  const catalogue = new ToolCatalogue({ toolRegistry, ...parts });
  const lists = new ResourceLists({ serverOf: (id) => toolRegistry.server(id), catalogue, ...parts });
  return { catalogue, lists, connections };
};

test("a server that announces no resources is not asked for them", async () => {
  verifies("tools.resources");
  const server = serverAt(plain.url, "0197f000-0000-7000-8000-000000000001");
  const { catalogue, lists, connections } = listsOf(server);
  await catalogue.ready([server]);
  await lists.ready([server]);
  expect(plain.methods).toContain("tools/list");
  expect(plain.methods).not.toContain("resources/list");
  expect([lists.of(server), lists.failureOf(server)]).toEqual([[], null]);
  await connections.closeAll();
});

test("a server that says every moment that its resources have changed is asked twice a second", async () => {
  verifies("tools.offer-changes");
  const server = serverAt(notes.url, "0197f000-0000-7000-8000-000000000003");
  const { catalogue, lists, connections } = listsOf(server);
  await catalogue.ready([server]);
  await lists.ready([server]);
  expect(lists.of(server).map(({ uri }) => uri)).toEqual(["note://1"]);
  const from = performance.now();
  for (let count = 0; count < 50; count += 1) lists.changed(server.id);
  await notes.until("resources/list", 2);
  // Less than the 500 ms by what the clock may be off.
  expect(performance.now() - from).toBeGreaterThan(400);
  lists.changed(server.id);
  await notes.until("resources/list", 3);
  expect(performance.now() - from).toBeGreaterThan(800);
  await connections.closeAll();
});

test("sorting in slices gives the order that sorting in one go gives", async () => {
  verifies("tools.offer-pages");
  const compare = (one: readonly number[], other: readonly number[]) => (one[0] ?? 0) - (other[0] ?? 0);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(20), { maxLength: 1_000 }), async (keys) => {
      const items = keys.map((key, at) => [key, at]);
      expect(await sortedSliced(items, compare, new Slices(0).begin())).toEqual(items.toSorted(compare));
    }),
    { numRuns: 20 },
  );
});
