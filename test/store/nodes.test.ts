import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Joining } from "#store/node-port";
import type { SqliteStore } from "#store/sqlite/index";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

const CHILD = join(import.meta.dir, "children", "node.ts");
const LEASE_MS = 10_000;

const joining = (id: string, more: Partial<Joining> = {}): Joining => ({
  ...{ id, version: "test", leaseMs: LEASE_MS, isAlone: false },
  ...more,
});

/** Stores of one directory, whose clock the test moves. */
const nodesOf = async (place: Place, ids: readonly string[], clock = { at: 1_000_000 }) => {
  const open = (id: string) => place.open({ writer: "worker", node: joining(id), now: () => clock.at });
  const stores = [];
  for (const id of ids) stores.push(await open(id));
  return { clock, open, stores };
};

const ended = (request: string): string => JSON.stringify({ ...JSON.parse(request), phase: "final" });

const statesIn = async (store: SqliteStore): Promise<string[]> =>
  (await store.nodes.list()).map(({ id, epoch, state }) => `${id}/${epoch} ${state}`);

const finalsIn = async (store: SqliteStore): Promise<string[]> => {
  const calls: string[] = [];
  for await (const { body } of store.audit.read({})) {
    const { phase, call_id } = JSON.parse(body);
    if (phase === "final") calls.push(call_id);
  }
  return calls.toSorted();
};

const call = (id: string): string => someRecord({ call: id, phase: "request" });

test("the calls of a node whose lease has ended are ended once, and those of the others go on", async () => {
  verifies("node.take-over");
  await using place = new Place();
  place.broken = true; // the one that is held for dead cannot write its last checkpoint
  const { clock, stores } = await nodesOf(place, ["0", "1", "2"]);
  const [dead, one, other] = stores;
  if (!dead || !one || !other) throw new Error("no stores");
  const theirs = Array.from({ length: 250 }, (_, n) => `dead-${n}`);
  await Promise.all(theirs.map((id) => dead.audit.append(call(id))));
  await one.audit.append(call("alive"));
  clock.at += LEASE_MS - 1;
  for (const store of [one, other]) expect(await store.nodes.renew()).toBe(true);
  expect(await one.nodes.endSilent()).toEqual([]);
  expect(await one.audit.endAbandoned(ended)).toBe(0);
  clock.at += 1;
  const said = await Promise.all([one, other].map((store) => store.nodes.endSilent()));
  expect(said.flat()).toEqual([{ id: "0", epoch: 1 }]);
  const counts = await Promise.all([one, other].map((store) => store.audit.endAbandoned(ended)));
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(theirs.length);
  expect(await finalsIn(one)).toEqual(theirs.toSorted());
  expect(await one.audit.openCalls()).toHaveLength(1);
  expect(await statesIn(one)).toEqual(["0/1 ended", "1/1 live", "2/1 live"]);
  // It stood still and wakes up: what it would write now would contradict what is on record.
  expect(await dead.nodes.renew()).toBe(false);
  expect(dead.audit.append(someRecord({ call: "dead-0" }))).rejects.toThrow("holds this one for dead");
  expect(await one.audit.verify()).toMatchObject({ ok: true });
});

test("a start takes over what an earlier one of its own left, without waiting for a lease", async () => {
  verifies("node.take-over");
  await using place = new Place();
  const { open, stores } = await nodesOf(place, ["0", "1"]);
  const [first, beside] = stores;
  if (!first || !beside) throw new Error("no stores");
  await first.audit.append(call("left"));
  await beside.audit.append(call("alive"));
  await beside.audit.flush();
  const again = await open("0");
  expect(again.nodes.self).toMatchObject({ id: "0", epoch: 2 });
  expect(await again.audit.endAbandoned(ended)).toBe(1);
  expect(await finalsIn(again)).toEqual(["left"]);
  await again.close();
  expect(await statesIn(beside)).toEqual(["0/2 left", "1/1 live"]);
});

test("who serves alone holds everybody else for dead, and asks nobody for a lease", async () => {
  await using place = new Place();
  const { stores } = await nodesOf(place, ["0", "1"]);
  await stores[1]?.audit.append(call("left"));
  const alone = await place.open({ writer: "worker", node: joining("0", { isAlone: true }), now: () => 1_000_000 });
  expect(await statesIn(alone)).toEqual(["0/2 live", "1/1 ended"]);
  expect(await alone.audit.endAbandoned(ended)).toBe(1);
  expect(await alone.nodes.holds("anything")).toBe(true);
  expect(await alone.nodes.endSilent()).toEqual([]);
  place.broken = true;
});

test("a node that does not live can be removed, and comes back as it likes", async () => {
  await using place = new Place();
  const { clock, open, stores } = await nodesOf(place, ["0"]);
  const command = await place.open({ now: () => clock.at });
  expect(await command.nodes.remove("7", someRecord())).toBe("missing");
  expect(await command.nodes.remove("0", someRecord())).toBe("live");
  await stores[0]?.audit.append(call("left"));
  await stores[0]?.close();
  expect(await command.nodes.remove("0", someRecord())).toBe("done");
  expect(await command.nodes.list()).toEqual([]);
  // What it left is nobody's, and so not its namesake's, although that begins anew.
  const namesake = await open("0");
  expect(namesake.nodes.self?.epoch).toBe(1);
  expect(await namesake.audit.endAbandoned(ended)).toBe(1);
});

/** A process that joins, begins a call and then does what others leave behind, until it is told to end. */
const child = (dataDir: string, id: string) => {
  const process_ = Bun.spawn([process.execPath, CHILD, dataDir, id], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = process_.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const says = async (wanted: string): Promise<void> => {
    while (!text.includes(wanted)) {
      const { value, done } = await lines.read();
      if (done) throw new Error(`the process ended; it said ${text}`);
      text += value;
    }
  };
  return { process: process_, says, text: () => text };
};

test("of three processes one is killed: the two others end its call on record, once", async () => {
  verifies("node.take-over");
  await using place = new Place();
  await (await place.open()).close();
  const all = ["0", "1", "2"].map((id) => child(place.path, id));
  for (const one of all) await one.says("began\n");
  const [killed, ...left] = all;
  killed?.process.kill("SIGKILL");
  await killed?.process.exited;
  await Promise.any(left.map((one) => one.says("ended 1\n")));
  for (const { process: one } of left) {
    one.stdin.end();
    expect(await one.exited).toBe(0);
  }
  const store = await place.open();
  expect(await finalsIn(store)).toEqual(["0", "1", "2"]);
  expect(await statesIn(store)).toEqual(["0/1 ended", "1/1 left", "2/1 left"]);
  expect(await store.audit.openCalls()).toEqual([]);
  expect(await store.audit.verify()).toMatchObject({ ok: true });
}, 120_000);
