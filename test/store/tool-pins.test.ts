import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { ToolPin } from "#model/tools/tool";
import type { SeenTool } from "#store/port";
import type { SqliteStore } from "#store/sqlite/index";
import { ANN, BOT, bodies, failure } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { FILES, NOTHING_ELSE, someTool } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

let place: Place;
let store: SqliteStore;

beforeAll(async () => {
  place = new Place();
  store = await place.open();
  await store.users.create(ANN, null, someRecord());
});
afterAll(() => place[Symbol.asyncDispose]());

type Step =
  | { readonly kind: "see"; readonly tools: readonly SeenTool[] }
  /** `versions` are those that the approver has read. */
  | { readonly kind: "pin"; readonly versions: readonly { readonly tool: string; readonly hash: string }[] };

const TOOLS = ["read", "write", "délete", "exec"] as const;
const version = fc.constantFrom("1", "2", "3");

const seenTool: fc.Arbitrary<SeenTool> = fc
  .record({
    tool: fc.constantFrom(...TOOLS),
    hash: version,
    flags: fc.subarray(["a", "b"]),
    refused: fc.boolean(),
    pinIfNew: fc.boolean(),
    seen_at: fc.nat(1_000),
    other: fc.boolean(),
  })
  .map(({ tool, hash, other, ...rest }) =>
    // The name a list proposes counts only once.
    someTool(tool, {
      ...rest,
      seen: `{"v":${hash}}`,
      seen_hash: hash,
      name: other ? `files__${tool}_other` : `files__${tool}`,
    }),
  );

const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .uniqueArray(seenTool, { selector: ({ tool }) => tool, maxLength: TOOLS.length })
    .map((tools): Step => ({ kind: "see", tools })),
  fc
    .array(fc.record({ tool: fc.constantFrom(...TOOLS, "unknown"), hash: version }), { maxLength: 6 })
    .map((versions): Step => ({ kind: "pin", versions })),
);

/** What the store promises, in as few words as there are: one row a tool, changed in place. */
class Model {
  readonly #rows = new Map<string, ToolPin>();

  see(tools: readonly SeenTool[]): boolean {
    const before = this.#content();
    for (const [tool, row] of this.#rows) {
      if (!tools.some((it) => it.tool === tool)) this.#rows.set(tool, { ...row, present: false });
    }
    for (const { pinIfNew, ...it } of tools) {
      const row = this.#rows.get(it.tool);
      const isPinned = row === undefined && pinIfNew && !it.refused;
      const pinned = isPinned ? it.seen : (row?.pinned ?? null);
      const pinned_hash = isPinned ? it.seen_hash : (row?.pinned_hash ?? null);
      const next = { ...it, name: row?.name ?? it.name, pinned, pinned_hash, present: true };
      const isSame = row !== undefined && Bun.deepEquals(row, { ...next, seen_at: row.seen_at });
      if (!isSame) this.#rows.set(it.tool, next);
    }
    return this.#content() !== before;
  }

  pin(versions: readonly { readonly tool: string; readonly hash: string }[]): string[] {
    const approved = new Set<string>();
    for (const { tool, hash } of versions) {
      const row = this.#rows.get(tool);
      if (!row || row.refused || row.seen_hash !== hash) continue;
      this.#rows.set(tool, { ...row, pinned: row.seen, pinned_hash: row.seen_hash });
      approved.add(row.name);
    }
    return [...approved].sort();
  }

  rows(): ToolPin[] {
    return [...this.#rows.values()].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  }

  #content(): string {
    return JSON.stringify(this.rows().map(({ seen_at: _, ...row }) => row));
  }
}

test("whatever a server lists and whatever is approved, the rows are as promised, and so are records and revisions", async () => {
  verifies("tools.approve-as-read");
  let servers = 0;
  const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
    servers += 1;
    const server = { ...FILES, id: `s${servers}`, slug: `s-${servers}` };
    await store.tools.add(server, someRecord());
    const model = new Model();
    for (const it of steps) {
      const [revision, [last]] = [await store.changes.revision(), await store.audit.tail(1)];
      const record = someRecord();
      let isChange: boolean;
      if (it.kind === "see") {
        const tools = it.tools.map((tool) => ({ ...tool, server_id: server.id }));
        isChange = model.see(tools);
        expect(await store.tools.see(server.id, tools, record)).toBe(isChange);
      } else {
        const approved = model.pin(it.versions);
        isChange = approved.length > 0;
        expect((await store.tools.pin(server.id, it.versions, record)).sort()).toEqual(approved);
      }
      expect(await store.tools.pins(server.id)).toEqual(model.rows());
      expect(await store.changes.revision()).toBe(revision + (isChange ? 1 : 0));
      expect((await store.audit.tail(1))[0]?.body).toBe(isChange ? record : last?.body);
    }
    // Nothing that was not read, as it was read, can be pinned.
    for (const pin of await store.tools.pins(server.id)) expect(pin.pinned === null).toBe(pin.pinned_hash === null);
  });
  await fc.assert(property, { numRuns: 150 });
}, 120_000);

test("an unchanged tool list waits for no writer", async () => {
  const server = { ...FILES, id: "calm", slug: "calm" };
  await store.tools.add(server, someRecord());
  const list = [someTool("read")];
  await store.tools.see("calm", list, someRecord());
  using other = new Database(place.database);
  other.run("BEGIN IMMEDIATE");
  const began = performance.now();
  expect(await store.tools.see("calm", list, someRecord())).toBe(false);
  // Whoever waits here waits five seconds, and then fails.
  expect(performance.now() - began).toBeLessThan(4_000);
  other.run("ROLLBACK");
});

test("two processes that take in the same list write it once", async () => {
  const server = { ...FILES, id: "shared", slug: "shared" };
  await store.tools.add(server, someRecord());
  const command = await place.open();
  const before = (await bodies(store)).length;
  const list = [someTool("read"), someTool("write")];
  const outcomes = [
    await store.tools.see("shared", list, someRecord()),
    await command.tools.see("shared", list, someRecord()),
  ];
  expect(outcomes).toEqual([true, false]);
  expect((await bodies(store)).length).toBe(before + 1);
  expect((await command.changes.changesSince(0)).tools).toEqual((await store.changes.changesSince(0)).tools);
});

/** What somebody has damaged in the database is refused when it is read; above all, it does not come to mean more. */
const damages: Record<string, string> = {
  command: "UPDATE tool_server SET command = '{\"0\":\"sh\"}' WHERE id = 'damaged'",
  flags: "UPDATE tool_pin SET flags = '[1]' WHERE server_id = 'damaged'",
  tools: "UPDATE tool_assignment SET tools = '\"read\"' WHERE server_id = 'damaged'",
};
for (const [what, damage] of Object.entries(damages)) {
  test(`a damaged list is refused: ${what}`, async () => {
    await using own = new Place();
    const damaged = await own.open();
    await damaged.users.create(ANN, null, someRecord());
    await damaged.agents.create(BOT, someRecord());
    await damaged.tools.add({ ...FILES, id: "damaged" }, someRecord());
    await damaged.tools.see("damaged", [someTool("read")], someRecord());
    await damaged.tools.assign(
      { agent_id: "a1", server_id: "damaged", tools: ["read"], ...NOTHING_ELSE },
      someRecord(),
    );
    using db = new Database(own.database);
    db.run(damage);
    const refused = await failure(damaged.changes.changesSince(0));
    expect(refused?.message).toContain("are not a list of strings");
    // Not kept inside a transaction: the next change works.
    expect(await damaged.tools.update("damaged", { active: false }, someRecord())).toBe(true);
  });
}
