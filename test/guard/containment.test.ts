import { expect, jest, test } from "bun:test";
import { Containment } from "#guard/containment";
import type { OpenCall } from "#guard/open-calls";
import type { KillSwitch, Receipt, Restriction } from "#policy/restrictions/restriction";
import type { NodeStore } from "#store/node-port";
import { QUIET } from "#test/guard/call-fixture";
import { Place } from "#test/store/directory";
import { KILLED, SLOWED } from "#test/store/governed";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

/** What is confirmed, of calls that a test opens and ends. */
class Post {
  readonly open = new Set<OpenCall>();
  readonly confirmed: string[] = [];
  now = 50;
  fails = false;
  readonly containment: Containment;

  constructor() {
    const store = {
      confirm: async (id: string, receipts: readonly Receipt[]) => {
        if (this.fails) throw new Error("disk full");
        for (const { point } of receipts) this.confirmed.push(`${id} ${point}`);
        return true;
      },
    };
    this.containment = new Containment({
      openCalls: () => this.open,
      restrictions: store,
      killSwitches: store,
      now: () => this.now,
      ids: () => crypto.randomUUID(),
      log: QUIET,
    });
  }

  call(subject: Partial<OpenCall["subject"]>): OpenCall {
    const call = { subject: { user_id: "u1", agent_id: null, model: null, server_id: null, ...subject } };
    this.open.add(call);
    return call;
  }

  async apply(news: { restrictions?: readonly Restriction[]; kill_switches?: readonly KillSwitch[] }): Promise<void> {
    this.containment.apply({ restrictions: [], kill_switches: [], ...news });
    await this.tick();
  }

  async tick(): Promise<void> {
    this.containment.confirmDue();
    await Bun.sleep(0);
  }
}

const RESTRICTED: Restriction = { ...SLOWED, id: "r1", agent_id: "a1", starts_at: 0, expires_at: null, receipts: [] };
const STOPPED: KillSwitch = { ...KILLED, id: "k1", level: "model", target: "gpt-*", lifted_at: null, receipts: [] };
const ALL = (id: string) => ["calls", "tools", "streams"].map((point) => `${id} ${point}`);

test("a kill switch is contained when no call is left that it stops", async () => {
  verifies("restriction.receipts");
  const post = new Post();
  const call = post.call({ model: "gpt-4" });
  post.call({ model: "other" });
  const contained = post.containment.contained("k1");
  await post.apply({ kill_switches: [STOPPED] });
  expect(post.confirmed).toEqual(ALL("k1").slice(0, 2));
  post.open.delete(call);
  await post.tick();
  expect(post.confirmed).toEqual(ALL("k1"));
  await contained;
  // Taken in again, as a restart or its own receipts make it be: nothing more is written.
  await post.apply({ kill_switches: [{ ...STOPPED, receipts: ALL("k1").map(asReceipt) }] });
  expect(post.confirmed).toEqual(ALL("k1"));
});

const asReceipt = (text: string): Receipt => ({
  point: text.endsWith("calls") ? "calls" : text.endsWith("tools") ? "tools" : "streams",
  confirmed_at: 1,
});

test("receipts: restrictions wait for earlier calls, suspensions for all calls of the agent", async () => {
  verifies("restriction.receipts");
  const post = new Post();
  const before = post.call({ agent_id: "a1" });
  post.call({ agent_id: "a2" });
  await post.apply({ restrictions: [RESTRICTED, { ...RESTRICTED, id: "r2", kind: "suspended", params: {} }] });
  const after = post.call({ agent_id: "a1" });
  post.open.delete(before);
  await post.tick();
  expect(post.confirmed.filter((one) => one.endsWith("streams"))).toEqual(["r1 streams"]);
  post.open.delete(after);
  await post.tick();
  expect(post.confirmed.filter((one) => one.endsWith("streams"))).toEqual(["r1 streams", "r2 streams"]);
});

test("a write that fails is made again a little later; what is over by then is left alone", async () => {
  const post = new Post();
  post.fails = true;
  await post.apply({ restrictions: [RESTRICTED], kill_switches: [STOPPED] });
  post.fails = false;
  await post.tick();
  expect(post.confirmed).toEqual([]);
  await post.apply({ kill_switches: [{ ...STOPPED, lifted_at: 51 }] });
  post.now += 1_000;
  await post.tick();
  expect(post.confirmed).toEqual(ALL("r1"));
});

test("receipts are waited for at most a second, and not for ended restrictions", async () => {
  const post = new Post();
  post.call({ agent_id: "a1" });
  await post.apply({ restrictions: [RESTRICTED] });
  jest.useFakeTimers();
  let isAnswered = false;
  const contained = post.containment.contained("r1").then(() => {
    isAnswered = true;
  });
  try {
    jest.advanceTimersByTime(999);
    await Promise.resolve();
    expect(isAnswered).toBe(false);
    jest.advanceTimersByTime(1);
  } finally {
    jest.useRealTimers();
  }
  await contained;
  const over = post.containment.contained("r2");
  await post.apply({ restrictions: [{ ...RESTRICTED, id: "r2", expires_at: 10 }] });
  await over;
  expect(post.confirmed).toEqual(ALL("r1").slice(0, 2));
});

test("where several processes serve, a point holds once it does in each that lives", async () => {
  verifies("restriction.receipts");
  await using place = new Place();
  const clock = { at: KILLED.set_at };
  const records: string[] = [];
  const opened = async (id: string) => {
    const node = { id, version: "test", leaseMs: 10_000, isAlone: false };
    const store = await place.open({ node, now: () => clock.at });
    const open = new Set<OpenCall>();
    const asked: Promise<unknown>[] = [];
    const confirm = (subject: string, receipts: readonly Receipt[], record: string) => {
      records.push(record);
      const confirmed = store.killSwitches.confirm(subject, receipts, record);
      asked.push(confirmed);
      return confirmed;
    };
    const contains: NodeStore["contains"] = (...given) => {
      const contained = store.nodes.contains(...given);
      asked.push(contained);
      return contained;
    };
    const nodes = { self: store.nodes.self, contains };
    const containment = new Containment({
      ...{ openCalls: () => open, restrictions: store.restrictions, killSwitches: { confirm }, nodes },
      ...{ now: () => clock.at, ids: () => crypto.randomUUID(), log: QUIET },
    });
    const tick = async () => {
      containment.apply(await store.changes.changesSince(0));
      clock.at += 100;
      containment.confirmDue();
      for (let next = asked.shift(); next; next = asked.shift()) {
        await next;
        await Promise.resolve(); // what follows from it has begun
      }
      const [it] = await store.killSwitches.list();
      return it?.receipts.map(({ point }) => point).toSorted();
    };
    return { store, open, tick };
  };
  const [one, other] = [await opened("0"), await opened("1")];
  const dead = await opened("2");
  await one.store.killSwitches.on({ ...STOPPED, set_by: null, set_at: clock.at }, someRecord());
  const call = { subject: { user_id: "u1", agent_id: null, model: "gpt-4", server_id: null } };
  other.open.add(call);
  expect(await one.tick()).toEqual([]);
  expect(await other.tick()).toEqual([]);
  await dead.tick();
  // Two points hold in all three. The next process that looks says so; the third waits for a call.
  expect(await one.tick()).toEqual(["calls", "tools"]);
  clock.at += 9_000;
  for (const { store } of [one, other]) await store.nodes.renew();
  clock.at += 2_000;
  expect(await one.tick()).toEqual(["calls", "tools"]);
  other.open.delete(call);
  // The third process is dead by now: nobody waits for it.
  expect(await other.tick()).toEqual(["calls", "streams", "tools"]);
  const told = records.map((line) => JSON.parse(line).change.detail);
  expect(told.at(-1)).toEqual({ points: ["streams"], nodes: ["0", "1"] });
});
