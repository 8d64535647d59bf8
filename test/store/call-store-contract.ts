import { expect, test } from "bun:test";
import type { Hold } from "#model/hold";
import { BOB, type ContractStore, failure, type It, type Lend } from "#test/store/contract";
import {
  APPROVAL,
  APPROVED,
  COMMENT,
  DRAFT,
  HELD,
  KEPT,
  KILLED,
  profileOf,
  SLOWED,
  withAgents,
} from "#test/store/governed";
import { someRecord } from "#test/store/records";
import { traces } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

/** What every store must do where calls of governed agents are served. */
export const callStoreContract = (name: string, lend: Lend): void => {
  const it: It = (title, use) =>
    test(`${name}: ${title}`, () =>
      lend(async (store) => {
        await withAgents(store);
        await use(store);
      }));
  holds(it);
  usage(it);
  watch(it);
  content(it);
  records(it);
};

const approve = { state: "approved", by: "u2", at: 50 } as const;

const holds = (it: It): void => {
  it("decides a waiting hold once, and never one that has run out", async (store) => {
    verifies("agents.hold-once");
    await store.holds.create(HELD, someRecord());
    expect(await store.holds.use("h1", 45, someRecord())).toBe(false);
    expect(await store.holds.decide("h1", { ...approve, at: 100 }, someRecord())).toBe(false);
    expect(await store.holds.decide("h1", approve, someRecord())).toBe(true);
    expect(await store.holds.decide("h1", { ...approve, state: "denied" }, someRecord())).toBe(false);
    expect(await store.holds.byId("h1")).toEqual({ ...HELD, state: "approved", decided_by: "u2", decided_at: 50 });
    expect(await store.holds.decide("none", approve, someRecord())).toBe(false);
  });

  it("lets one call pass on an approval, and none once it has run out", async (store) => {
    verifies("agents.hold-once");
    await store.holds.create(HELD, someRecord());
    await store.holds.decide("h1", approve, someRecord());
    expect(await store.holds.use("h1", 100, someRecord())).toBe(false);
    const before = await traces(store);
    const uses = await Promise.all(Array.from({ length: 8 }, () => store.holds.use("h1", 99, someRecord())));
    expect(uses.filter((used) => used)).toHaveLength(1);
    expect(await traces(store)).toEqual([before[0] + 1, before[1] + 1]);
    await store.holds.create({ ...HELD, id: "h2" }, someRecord());
    await store.holds.decide("h2", { ...approve, state: "denied" }, someRecord());
    expect(await store.holds.use("h2", 60, someRecord())).toBe(false);
  });

  it("lets one answer through on an approval, and then one call while that is allowed", async (store) => {
    verifies("hold.once-for-both");
    const { holds } = store;
    await holds.create(HELD, someRecord());
    expect(await holds.release("h1", 45, 200, someRecord())).toBe(false);
    await holds.decide("h1", approve, someRecord());
    const released = await Promise.all(Array.from({ length: 4 }, () => holds.release("h1", 60, 200, someRecord())));
    expect(released.filter((done) => done)).toHaveLength(1);
    expect(await holds.releasedOf("a1", "cafe", 199)).toMatchObject({ id: "h1", state: "released", expires_at: 200 });
    expect([await holds.releasedOf("a1", "cafe", 200), await holds.releasedOf("a1", "other", 60)]).toEqual([
      null,
      null,
    ]);
    expect([await holds.approvedOf("a1", 60), await holds.releasedOf("a2", "cafe", 60)]).toEqual([[], null]);
    const listed = (state: Hold["state"], now: number) =>
      holds.page({ state, now }, FIRST).then((all) => all.map(({ id }) => id));
    expect([await listed("released", 199), await listed("used", 199)]).toEqual([["h1"], []]);
    // What was not called for passed all the same.
    expect([await listed("released", 200), await listed("used", 200)]).toEqual([[], ["h1"]]);
    const uses = await Promise.all(Array.from({ length: 4 }, () => holds.use("h1", 199, someRecord())));
    expect(uses.filter((used) => used)).toHaveLength(1);
  });

  it("finds the newest hold of a call that has not run out", async (store) => {
    await store.holds.create({ ...HELD, id: "h9", created_at: 30, expires_at: 300 }, someRecord());
    await store.holds.create(HELD, someRecord());
    await store.holds.create({ ...HELD, id: "h0" }, someRecord());
    await store.holds.create({ ...HELD, id: "h3", agent_id: "a2", user_id: "u2", created_at: 60 }, someRecord());
    expect((await store.holds.ofCall("a1", "cafe", 99))?.id).toBe("h0");
    expect((await store.holds.ofCall("a1", "cafe", 100))?.id).toBe("h9");
    expect(await store.holds.ofCall("a1", "cafe", 300)).toBeNull();
    expect(await store.holds.ofCall("a1", "other", 50)).toBeNull();
    expect((await store.holds.page({ user_id: "u1", now: 0 }, FIRST)).map(({ id }) => id)).toEqual(["h0", "h1", "h9"]);
    expect((await store.holds.page({ now: 0 }, FIRST)).map(({ id }) => id)).toEqual(["h3", "h0", "h1", "h9"]);
  });

  it("knows an agent's approvals that are open", async (store) => {
    for (const id of ["h1", "h2", "h3", "h4"]) await store.holds.create({ ...HELD, id }, someRecord());
    await store.holds.create({ ...HELD, id: "h5", agent_id: "a2", user_id: "u2" }, someRecord());
    const approved = { state: "approved", by: "u2", at: 40 } as const;
    for (const id of ["h1", "h2", "h5"]) await store.holds.decide(id, approved, someRecord());
    await store.holds.decide("h3", { ...approved, state: "denied" }, someRecord());
    await store.holds.use("h2", 50, someRecord());
    expect((await store.holds.approvedOf("a1", 99)).map(({ id }) => id)).toEqual(["h1"]);
    expect(await store.holds.approvedOf("a1", 100)).toEqual([]);
  });
};

const usage = (it: It): void => {
  it("adds up usage by subject and hour, without a record", async (store) => {
    verifies("agents.usage-sums");
    const before = await traces(store);
    const hour = (subject_id: string, at: number, counts: Record<string, number>) => ({ subject_id, hour: at, counts });
    await store.usage.add([
      hour("a1", 0, { calls: 1, blocked: 1 }),
      hour("a1", 0, { calls: 2 }),
      hour("u1", 0, { calls: 5 }),
    ]);
    await store.usage.add([hour("a1", 10, { calls: 7 }), hour("a1", 0, { tokens: 0.5 })]);
    await store.usage.add([]);
    const first = { calls: 3, blocked: 1, tokens: 0.5 };
    expect(await store.usage.read("a1", 0, 11)).toEqual([
      { hour: 0, counts: first },
      { hour: 10, counts: { calls: 7 } },
    ]);
    expect(await store.usage.read("a1", 1, 10)).toEqual([]);
    expect(await store.usage.readAll(0, 10)).toEqual([hour("a1", 0, first), hour("u1", 0, { calls: 5 })]);
    expect(await failure(store.usage.add([hour("a1", 0, { calls: Number.NaN })]))).toBeInstanceOf(Error);
    expect(await store.usage.dropBefore(10)).toBe(2);
    expect(await store.usage.dropBefore(10)).toBe(0);
    expect(await store.usage.readAll(0, 99)).toEqual([hour("a1", 10, { calls: 7 })]);
    expect(await traces(store)).toEqual(before);
  });
};

const FIRST = { after: null, limit: 100 } as const;

const watch = (it: It): void => {
  it("keeps an agent's newest state, without a record", async (store) => {
    const before = await traces(store);
    expect(await store.watch.get("a1")).toBeNull();
    const told = { band: null, drift_status: "stable" };
    await store.watch.put([
      { ...told, agent_id: "a1", state: { score: 80, trend: [1, 2] }, at: 5 },
      { ...told, agent_id: "a2", state: "any JSON", at: 5, drift_status: "drifting" },
    ]);
    await store.watch.put([{ ...told, agent_id: "a1", state: { score: 90 }, at: 6, band: "healthy" }]);
    await store.watch.put([{ ...told, agent_id: "a1", state: { score: 10 }, at: 4, band: "critical" }]);
    expect(await store.watch.get("a1")).toEqual({ score: 90 });
    expect(await store.watch.bands()).toEqual([{ agent_id: "a1", band: "healthy" }]);
    expect(await store.watch.drifting()).toEqual([{ agent_id: "a2", state: "any JSON" }]);
    expect(await traces(store)).toEqual(before);
  });
};

const content = (it: It): void => {
  it("keeps content until it expires, and no longer", async (store) => {
    verifies("agents.content-expires");
    const before = await traces(store);
    const retained = {
      ...KEPT,
      id: "n0",
      event_id: null,
      purpose: "retained",
      created_at: 51,
      expires_at: 90,
    } as const;
    await store.content.keep([KEPT, retained]);
    await store.content.keep([]);
    expect(await store.content.ofCall("call-1")).toEqual([KEPT, retained]);
    expect(await store.content.ofEvent("e1")).toEqual([KEPT]);
    expect(await store.content.dropExpired(59)).toBe(0);
    expect(await store.content.dropExpired(60)).toBe(1);
    expect(await store.content.ofCall("call-1")).toEqual([retained]);
    const many = Array.from({ length: 1_203 }, (_, n) => ({ ...KEPT, id: `m${n}` }));
    await store.content.keep(many);
    expect(await store.content.dropExpired(60)).toBe(many.length);
    expect(await store.content.ofCall("call-1")).toEqual([retained]);
    expect(await traces(store)).toEqual(before);
  });

  it("deletes what is kept of one call, with a record, and nothing of others", async (store) => {
    verifies("content.rights");
    const other = { ...KEPT, id: "n2", call_id: "call-2" };
    await store.content.keep([KEPT, { ...KEPT, id: "n0" }, other]);
    const before = await traces(store);
    expect(await store.content.remove("call-3", someRecord())).toBe(0);
    expect(await traces(store)).toEqual(before);
    expect(await store.content.remove("call-1", someRecord())).toBe(2);
    expect(await traces(store)).not.toEqual(before);
    expect(await store.content.ofCall("call-1")).toEqual([]);
    expect(await store.content.ofCall("call-2")).toEqual([other]);
  });

  it("keeps all of a call's content or none", async (store) => {
    expect(await failure(store.content.keep([KEPT, KEPT]))).toBeInstanceOf(Error);
    expect(await store.content.ofCall("call-1")).toEqual([]);
  });
};

const bad = "{}";
const receipt = { point: "calls", confirmed_at: 1 } as const;
const lifted = { at: 1, by: null, reason: "x" };
const publication = { profile: profileOf(1), agent: { profile_version: 1 } };
const attempts: Record<string, (store: ContractStore) => Promise<unknown>> = {
  "agents.update": ({ agents }) => agents.update("a1", { description: "x" }, bad),
  "reviews.create": ({ reviews }) => reviews.create({ ...DRAFT, id: "r9", agent_id: "a2" }, { name: "x" }, bad),
  "reviews.save": ({ reviews }) => reviews.save(APPROVED, 1, { decision: APPROVAL, publish: publication, record: bad }),
  "reviews.comment": ({ reviews }) => reviews.comment(COMMENT, bad),
  "profiles.publish": ({ profiles }) => profiles.publish("a1", publication, bad),
  "restrictions.set": ({ restrictions }) => restrictions.set({ ...SLOWED, id: "x9" }, bad),
  "restrictions.lift": ({ restrictions }) => restrictions.lift("x1", lifted, bad),
  "restrictions.confirm": ({ restrictions }) => restrictions.confirm("x1", [receipt], bad),
  "killSwitches.on": ({ killSwitches }) => killSwitches.on({ ...KILLED, id: "k9", target: "a9" }, bad),
  "killSwitches.off": ({ killSwitches }) => killSwitches.off("k1", lifted, bad),
  "killSwitches.confirm": ({ killSwitches }) => killSwitches.confirm("k1", [receipt], bad),
  "holds.create": ({ holds }) => holds.create({ ...HELD, id: "h9" }, bad),
  "holds.decide": ({ holds }) => holds.decide("h1", approve, bad),
  "holds.use": ({ holds }) => holds.use("h2", 60, bad),
  "content.remove": ({ content }) => content.remove("call-1", bad),
};

/** All that governs agents. */
const everything = async (store: ContractStore) => ({
  changes: await store.changes.changesSince(0),
  reviews: [await store.reviews.ofAgent("a1"), await store.reviews.ofAgent("a2")],
  said: [await store.reviews.decisions("r1"), await store.reviews.comments("r1")],
  holds: await store.holds.page({ now: 0 }, FIRST),
  content: await store.content.ofCall("call-1"),
  traces: await traces(store),
});

const records = (it: It): void => {
  for (const [what, attempt] of Object.entries(attempts)) {
    it(`changes nothing without its record: ${what}`, async (store) => {
      verifies("agents.no-change-without-record");
      await store.reviews.create(DRAFT, {}, someRecord());
      await store.restrictions.set(SLOWED, someRecord());
      await store.killSwitches.on(KILLED, someRecord());
      await store.holds.create(HELD, someRecord());
      await store.holds.create({ ...HELD, id: "h2" }, someRecord());
      await store.content.keep([KEPT]);
      await store.holds.decide("h2", approve, someRecord());
      const before = await everything(store);
      expect(await failure(attempt(store))).toBeInstanceOf(Error);
      expect(await everything(store)).toEqual(before);
      // Not kept inside a transaction: the next change works.
      const zoe = { ...BOB, id: "u9", email: "zoe@example.com" };
      expect(await store.users.create(zoe, null, someRecord())).toBe(true);
    });
  }
};
