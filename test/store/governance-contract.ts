import { expect, test } from "bun:test";
import type { Restriction } from "#policy/restrictions/restriction";
import type { ConfigStore } from "#store/repositories/all";
import { BOT, failure, type It, type Lend } from "#test/store/contract";
import {
  ANSWERS,
  APPROVAL,
  APPROVED,
  COMMENT,
  DRAFT,
  KILLED,
  profileOf,
  SLOWED,
  SUBMITTED,
  withAgents,
} from "#test/store/governed";
import { someRecord } from "#test/store/records";
import { traces } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

/** What every store must do to govern agents. `lend` opens an empty one, and takes it away afterwards. */
export const governanceContract = (name: string, lend: Lend): void => {
  const it: It = (title, use) =>
    test(`${name}: ${title}`, () =>
      lend(async (store) => {
        await withAgents(store);
        await use(store);
      }));
  agents(it);
  reviews(it);
  profiles(it);
  restrictions(it);
  killSwitches(it);
};

const agents = (it: It): void => {
  it("changes what is given of an agent, and nothing else", async (store) => {
    const patch = {
      description: "Answers.",
      sponsor_id: "u2",
      environment: "production",
      lifecycle: "suspended",
    } as const;
    expect(await store.agents.update("a1", patch, someRecord())).toBe(true);
    expect(await store.agents.byId("a1")).toEqual({ ...BOT, ...patch });
    expect(await store.agents.update("a1", { description: null }, someRecord())).toBe(true);
    expect(await store.agents.byId("a1")).toEqual({ ...BOT, ...patch, description: null });
    expect(await store.agents.update("none", patch, someRecord())).toBe(false);
  });

  it("lets no change give an owner two agents of a name", async (store) => {
    await store.agents.create({ ...BOT, id: "b1", owner_id: "u2" }, someRecord());
    const before = await traces(store);
    expect(await store.agents.update("a2", { name: "bot" }, someRecord())).toBe(false);
    expect(await store.agents.update("b1", { owner_id: "u1" }, someRecord())).toBe(false);
    expect(await traces(store)).toEqual(before);
    expect(await store.agents.update("b1", { owner_id: "u1", name: "fourth" }, someRecord())).toBe(true);
    expect(await store.agents.update("a1", { name: "bot" }, someRecord())).toBe(true);
    expect(await failure(store.agents.update("a1", { sponsor_id: "nobody" }, someRecord()))).toBeInstanceOf(Error);
  });
};

const reviews = (it: It): void => {
  it("has one review going on for each agent", async (store) => {
    verifies("agents.one-review");
    expect(await store.reviews.create(DRAFT, { description: "new" }, someRecord())).toBe(true);
    expect((await store.agents.byId("a1"))?.description).toBe("new");
    const second = { ...DRAFT, id: "r2", number: 2 };
    const before = await traces(store);
    expect(await store.reviews.create(second, { description: "newer" }, someRecord())).toBe(false);
    expect(await traces(store)).toEqual(before);
    expect((await store.agents.byId("a1"))?.description).toBe("new");
    expect(await store.reviews.create({ ...DRAFT, id: "r3", agent_id: "a2" }, {}, someRecord())).toBe(true);
    const over = { ...DRAFT, status: "withdrawn", revision: 2 } as const;
    expect(await store.reviews.save(over, 1, { record: someRecord() })).toBe(true);
    expect(await store.reviews.create(second, {}, someRecord())).toBe(true);
    expect((await store.reviews.ofAgent("a1")).map(({ id }) => id)).toEqual(["r2", "r1"]);
    expect((await store.reviews.inStates(["draft"])).map(({ id }) => id)).toEqual(["r3", "r2"]);
    expect(await store.reviews.inStates(["submitted", "approved"])).toEqual([]);
  });

  it("numbers an agent's reviews, each once", async (store) => {
    await store.reviews.create({ ...DRAFT, status: "withdrawn" }, {}, someRecord());
    expect(await failure(store.reviews.create({ ...DRAFT, id: "r2" }, {}, someRecord()))).toBeInstanceOf(Error);
  });

  it("saves a review only on the revision that was read", async (store) => {
    verifies("agents.review-cas");
    await store.reviews.create({ ...DRAFT, answers: { purpose: ANSWERS.purpose } }, {}, someRecord());
    expect(await store.reviews.save(SUBMITTED, 1, { record: someRecord() })).toBe(true);
    expect(await store.reviews.byId("r1")).toEqual(SUBMITTED);
    const before = await traces(store);
    const late = { ...DRAFT, status: "withdrawn", revision: 2 } as const;
    const publish = { profile: profileOf(1), agent: { profile_version: 1 } };
    expect(await store.reviews.save(late, 1, { decision: APPROVAL, publish, record: someRecord() })).toBe(false);
    expect(await store.reviews.byId("r1")).toEqual(SUBMITTED);
    expect(await store.reviews.decisions("r1")).toEqual([]);
    expect(await store.profiles.ofAgent("a1")).toEqual([]);
    expect(await traces(store)).toEqual(before);
    expect(await failure(store.reviews.save(SUBMITTED, 2, { record: someRecord() }))).toBeInstanceOf(Error);
    expect(await store.reviews.save({ ...APPROVED, id: "none" }, 2, { record: someRecord() })).toBe(false);
    expect(await store.reviews.byId("none")).toBeNull();
  });

  it("keeps a draft with gaps", async (store) => {
    const gappy = { ...DRAFT, answers: { models: { models: ["m"] }, tools: ANSWERS.tools } };
    await store.reviews.create(gappy, {}, someRecord());
    expect(await store.reviews.byId("r1")).toEqual(gappy);
  });

  it("puts decision, profile and agent in force in one step, or none of them", async (store) => {
    verifies("agents.publish-whole");
    await store.reviews.create(DRAFT, {}, someRecord());
    await store.reviews.save(SUBMITTED, 1, { record: someRecord() });
    const agent = { review_status: "approved", profile_version: 1, review_due_at: 999 } as const;
    const publish = { profile: profileOf(1, { review_id: "r1" }), agent };
    const [before, everything] = [await traces(store), await store.changes.changesSince(0)];
    const attempts = [
      { ...publish, agent: { ...agent, sponsor_id: "nobody" } },
      { ...publish, agent: { ...agent, name: "other" } },
      { ...publish, profile: profileOf(1, { agent_id: "a2" }) },
    ];
    for (const wrong of attempts) {
      const change = { decision: APPROVAL, publish: wrong, record: someRecord() };
      expect(await failure(store.reviews.save(APPROVED, 2, change))).toBeInstanceOf(Error);
    }
    const skipped = { profile: profileOf(2), agent };
    expect(await store.reviews.save(APPROVED, 2, { publish: skipped, record: someRecord() })).toBe(false);
    expect(await store.reviews.byId("r1")).toEqual(SUBMITTED);
    expect(await store.reviews.decisions("r1")).toEqual([]);
    expect(await store.changes.changesSince(0)).toEqual(everything);
    expect(await traces(store)).toEqual(before);

    const change = { decision: APPROVAL, publish, record: someRecord() };
    expect(await store.reviews.save(APPROVED, 2, change)).toBe(true);
    expect(await store.reviews.byId("r1")).toEqual(APPROVED);
    expect(await store.reviews.decisions("r1")).toEqual([APPROVAL]);
    const [revision, records] = await traces(store);
    expect([revision, records]).toEqual([before[0] + 1, before[1] + 1]);
    const changes = await store.changes.changesSince(before[0]);
    expect(changes).toMatchObject({ revision, agents: [{ ...BOT, ...agent }], profiles: [publish.profile], users: [] });
  });

  it("keeps what reviewers said, oldest first", async (store) => {
    await store.reviews.create(DRAFT, {}, someRecord());
    const later = { ...COMMENT, id: "c0", by: "u1", section: null, at: 20 };
    await store.reviews.comment(later, someRecord());
    await store.reviews.comment(COMMENT, someRecord());
    expect(await store.reviews.comments("r1")).toEqual([COMMENT, later]);
    expect(await store.reviews.comments("none")).toEqual([]);
    const homeless = { ...COMMENT, id: "c2", review_id: "none" };
    expect(await failure(store.reviews.comment(homeless, someRecord()))).toBeInstanceOf(Error);
  });
};

const profiles = (it: It): void => {
  const publish = (store: ConfigStore, version: number, agentId = "a1"): Promise<boolean> => {
    const profile = profileOf(version, { id: `${agentId}-${version}`, agent_id: agentId });
    return store.profiles.publish(agentId, { profile, agent: { profile_version: version } }, someRecord());
  };

  it("numbers an agent's profiles from 1 without a gap, and each number once", async (store) => {
    verifies("agents.profile-versions");
    const steps = [2, 1, 1, 3, 2, 3, 0, -1];
    const accepted = [false, true, false, false, true, true, false, false];
    for (const [at, version] of steps.entries()) expect(await publish(store, version)).toBe(accepted[at] ?? false);
    expect(await publish(store, 1, "a2")).toBe(true);
    expect((await store.profiles.ofAgent("a1")).map(({ version }) => version)).toEqual([3, 2, 1]);
    expect((await store.agents.byId("a1"))?.profile_version).toBe(3);
    expect(await store.profiles.byVersion("a1", 2)).toEqual(profileOf(2, { id: "a1-2" }));
    expect(await store.profiles.byVersion("a1", 4)).toBeNull();
    // Four were made, and four agents were made or changed before: nothing else left a trace.
    expect(await traces(store)).toEqual([9, 9]);
  });

  it("takes a profile out of force, and keeps it", async (store) => {
    await publish(store, 1);
    const since = await store.changes.revision();
    const revoked = { profile: null, agent: { profile_version: null, review_status: "revoked" } } as const;
    expect(await store.profiles.publish("a1", revoked, someRecord())).toBe(true);
    expect(await store.agents.byId("a1")).toMatchObject(revoked.agent);
    expect(await store.profiles.ofAgent("a1")).toHaveLength(1);
    const changes = await store.changes.changesSince(since);
    expect(changes).toMatchObject({ agents: [{ id: "a1" }], profiles: [] });
    expect(await publish(store, 2)).toBe(true);
    expect(await failure(store.profiles.publish("none", revoked, someRecord()))).toBeInstanceOf(Error);
  });
};

const restrictions = (it: It): void => {
  const lifted = { at: 50, by: "u1", reason: "It is well again." };
  const liftedFields = { lifted_at: 50, lifted_by: "u1", lift_reason: "It is well again." };

  it("keeps restrictions of every kind, newest first", async (store) => {
    const some = { ...SLOWED, trigger: null, source: "manual", set_by: "u1" } as const;
    const all: Restriction[] = [
      SLOWED,
      { ...some, id: "x2", kind: "suspended", params: {}, expires_at: null, starts_at: 21 },
      { ...some, id: "x3", kind: "model_restricted", params: { models_allow: ["gpt-*"] }, starts_at: 22 },
      { ...some, id: "x4", kind: "tool_restricted", params: { read_only: true }, starts_at: 23 },
      { ...some, id: "x5", kind: "output_redaction", params: {}, starts_at: 24 },
      { ...some, id: "x6", kind: "human_approval", params: { tools: ["mail__*"] }, starts_at: 25 },
    ];
    for (const one of all) await store.restrictions.set(one, someRecord());
    expect(await store.restrictions.ofAgent("a1")).toEqual([...all].reverse());
    expect(await store.restrictions.ofAgent("a2")).toEqual([]);
    expect(await store.restrictions.byId("x3")).toEqual(all[2] ?? null);
    expect(await store.restrictions.byId("none")).toBeNull();
    expect((await store.changes.changesSince(0)).restrictions).toHaveLength(all.length);
  });

  it("lifts a restriction once", async (store) => {
    verifies("agents.lift-once");
    await store.restrictions.set(SLOWED, someRecord());
    const since = await store.changes.revision();
    expect(await store.restrictions.lift("x1", lifted, someRecord())).toBe(true);
    expect(await store.restrictions.lift("x1", { ...lifted, at: 60, by: null }, someRecord())).toBe(false);
    expect(await store.restrictions.lift("none", lifted, someRecord())).toBe(false);
    const after = { ...SLOWED, ...liftedFields };
    expect(await store.restrictions.byId("x1")).toEqual(after);
    expect(await store.changes.changesSince(since)).toMatchObject({ revision: since + 1, restrictions: [after] });
  });

  it("takes one receipt of each point", async (store) => {
    await store.restrictions.set(SLOWED, someRecord());
    const [calls, tools] = [
      { point: "calls", confirmed_at: 21 } as const,
      { point: "tools", confirmed_at: 22 } as const,
    ];
    expect(await store.restrictions.confirm("x1", [calls], someRecord())).toBe(true);
    const before = await traces(store);
    expect(await store.restrictions.confirm("x1", [{ ...calls, confirmed_at: 99 }], someRecord())).toBe(false);
    expect(await store.restrictions.confirm("x1", [], someRecord())).toBe(false);
    expect(await store.restrictions.confirm("none", [calls], someRecord())).toBe(false);
    expect(await traces(store)).toEqual(before);
    expect(await store.restrictions.confirm("x1", [calls, tools], someRecord())).toBe(true);
    expect((await store.restrictions.byId("x1"))?.receipts).toEqual([calls, tools]);
  });
};

const killSwitches = (it: It): void => {
  it("switches each level and target on once, and off once", async (store) => {
    verifies("agents.kill-once");
    const { killSwitches: switches } = store;
    const off = { at: 50, by: null, reason: "All clear." };
    const all = { ...KILLED, id: "k2", level: "all", target: null, set_by: null, set_at: 31 } as const;
    expect(await switches.on(KILLED, someRecord())).toBe(true);
    expect(await switches.on({ ...KILLED, id: "k9" }, someRecord())).toBe(false);
    expect(await switches.on(all, someRecord())).toBe(true);
    expect(await switches.on({ ...all, id: "k9" }, someRecord())).toBe(false);
    expect(await switches.on({ ...KILLED, id: "k3", target: "a2", set_at: 32 }, someRecord())).toBe(true);
    expect((await switches.list()).map(({ id }) => id)).toEqual(["k3", "k2", "k1"]);
    const since = await store.changes.revision();
    expect(await switches.off("k1", off, someRecord())).toBe(true);
    expect(await switches.off("k1", off, someRecord())).toBe(false);
    const after = { ...KILLED, lifted_at: 50, lifted_by: null, lift_reason: "All clear." };
    expect(await store.changes.changesSince(since)).toMatchObject({ revision: since + 1, kill_switches: [after] });
    expect(await switches.on({ ...KILLED, id: "k4", set_at: 33 }, someRecord())).toBe(true);
    expect((await store.changes.changesSince(0)).kill_switches).toHaveLength(4);
  });

  it("takes one receipt of each point for a kill switch", async (store) => {
    await store.killSwitches.on(KILLED, someRecord());
    const streams = { point: "streams", confirmed_at: 31 } as const;
    expect(await store.killSwitches.confirm("k1", [streams, { ...streams, confirmed_at: 99 }], someRecord())).toBe(
      true,
    );
    expect(await store.killSwitches.confirm("k1", [streams], someRecord())).toBe(false);
    expect(await store.killSwitches.confirm("none", [streams], someRecord())).toBe(false);
    expect(await store.killSwitches.list()).toEqual([{ ...KILLED, receipts: [streams] }]);
  });
};
