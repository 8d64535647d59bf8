import { expect, test } from "bun:test";
import type { Report } from "#model/report";
import type { ConfigStore } from "#store/repositories/all";
import { failure, type It, type Lend } from "#test/store/contract";
import { APPLIED, APPROVED, JOB, REPORT, REVIEWED, RULE, STRICTER, SUGGESTION, withPolicy } from "#test/store/looped";
import { someRecord } from "#test/store/records";
import { traces } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

/** What every store must do from a report to a rule. `lend` opens an empty one, and takes it away afterwards. */
export const loopContract = (name: string, lend: Lend): void => {
  const it: It = (title, use) =>
    test(`${name}: ${title}`, () =>
      lend(async (store) => {
        await withPolicy(store);
        await use(store);
      }));
  opening(it);
  reports(it);
  suggestions(it);
  applying(it);
  rules(it);
};

const LIMIT = { most: 5, since: 0 };

const nth = (n: number, change: Partial<Report> = {}): Report => ({
  ...REPORT,
  id: `rep${n}`,
  event_id: `e${n}`,
  created_at: REPORT.created_at + n,
  ...change,
});

const opening = (it: It): void => {
  it("takes five of a hundred reports that come at once, with their jobs and records", async (store) => {
    verifies("reports.limit");
    const before = await traces(store);
    const job = (n: number) => ({ ...JOB, id: `j${n}`, ref: `rep${n}` });
    const all = Array.from({ length: 100 }, (_, n) => store.reports.open(nth(n), LIMIT, job(n), someRecord()));
    const kinds = (await Promise.all(all)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "created")).toHaveLength(5);
    expect(kinds.filter((kind) => kind === "over_limit")).toHaveLength(95);
    expect(await store.reports.list({})).toHaveLength(5);
    expect(await store.jobs.lease("report.review", "w", 5_000, 6_000, 100)).toHaveLength(5);
    expect(await traces(store)).toEqual([before[0] + 5, before[1] + 5]);
    // Which of them come first is the database's to say.
    const made = kinds.flatMap((kind, n) => (kind === "created" ? [1_000 + n] : []));
    expect(await store.reports.recent("u1", 0)).toEqual(made);
  });

  it("counts by user, over both directions, and tells when there is room again", async (store) => {
    verifies("reports.limit");
    for (const n of [1, 2, 3, 4, 5]) {
      const direction = n % 2 === 0 ? "false_negative" : "false_positive";
      const opened = await store.reports.open(nth(n, { direction }), { most: 5, since: 0 }, null, someRecord());
      expect(opened).toEqual({ kind: "created", report: nth(n, { direction }) });
    }
    const sixth = nth(6);
    // The window is as long as the time between `since` and the report.
    const limit = { most: 5, since: 906 };
    expect(await store.reports.open(sixth, limit, null, someRecord())).toEqual({ kind: "over_limit", until: 1_101 });
    expect((await store.reports.open({ ...sixth, user_id: "u2" }, limit, null, someRecord())).kind).toBe("created");
    expect((await store.reports.open(nth(7), { most: 5, since: 1_001 }, null, someRecord())).kind).toBe("created");
  });

  it("knows the same report again, and counts it once", async (store) => {
    verifies("reports.same-once");
    await store.reports.open(REPORT, LIMIT, JOB, someRecord());
    const before = await traces(store);
    const again = { ...REPORT, id: "rep2", created_at: 1_001, user_reason: "Once more." };
    const full = { most: 1, since: 0 };
    const job = { ...JOB, id: "j2" };
    expect(await store.reports.open(again, full, job, someRecord())).toEqual({ kind: "known", report: REPORT });
    expect(await traces(store)).toEqual(before);
    expect(await store.jobs.lease("report.review", "w", 5_000, 6_000, 100)).toHaveLength(1);
    const others = [
      { ...again, direction: "false_negative" },
      { ...again, id: "rep3", user_id: "u2" },
      { ...again, id: "rep4", event_id: null },
      { ...again, id: "rep5", event_id: null },
    ] as const;
    for (const other of others) {
      expect((await store.reports.open(other, LIMIT, null, someRecord())).kind).toBe("created");
    }
  });

  it("makes report, job and record together, or none of them", async (store) => {
    verifies("reports.limit");
    await store.jobs.add(JOB);
    const before = await traces(store);
    expect(await failure(store.reports.open(REPORT, LIMIT, JOB, someRecord()))).toBeInstanceOf(Error);
    const nobody = { ...REPORT, user_id: "nobody" };
    expect(await failure(store.reports.open(nobody, LIMIT, null, someRecord()))).toBeInstanceOf(Error);
    expect(await store.reports.list({})).toEqual([]);
    expect(await traces(store)).toEqual(before);
  });
};

const reports = (it: It): void => {
  it("finds reports by what is asked, newest first", async (store) => {
    const all = [
      nth(1),
      nth(2, { user_id: "u2", agent_id: null, token_id: null }),
      nth(3, { direction: "false_negative", event_id: null }),
    ];
    for (const one of all) await store.reports.open(one, LIMIT, null, someRecord());
    const ids = async (filter: Parameters<ConfigStore["reports"]["list"]>[0]) =>
      (await store.reports.list(filter)).map(({ id }) => id);
    expect(await ids({})).toEqual(["rep3", "rep2", "rep1"]);
    expect(await ids({ user_id: "u1" })).toEqual(["rep3", "rep1"]);
    expect(await ids({ agent_id: "a1", direction: "false_positive" })).toEqual(["rep1"]);
    expect(await ids({ statuses: ["submitted", "closed"] })).toHaveLength(3);
    expect(await ids({ statuses: [] })).toEqual([]);
    expect(await store.reports.byId("rep2")).toEqual(all[1] ?? null);
    expect(await store.reports.byId("none")).toBeNull();
  });

  it("saves a report only on the revision that was read, with its suggestion or not at all", async (store) => {
    verifies("reports.cas");
    await store.reports.open(REPORT, LIMIT, null, someRecord());
    const change = { suggestion: SUGGESTION, record: someRecord() };
    expect(await store.reports.save(REVIEWED, 1, change)).toBe(true);
    expect(await store.reports.byId("rep1")).toEqual(REVIEWED);
    expect(await store.suggestions.byId("sug1")).toEqual(SUGGESTION);
    const before = await traces(store);
    const late = { ...REVIEWED, status: "withdrawn", tuning_suggestion_id: "sug2" } as const;
    const other = { suggestion: { ...SUGGESTION, id: "sug2" }, record: someRecord() };
    expect(await store.reports.save(late, 1, other)).toBe(false);
    // It names a suggestion that is not there.
    const lost = store.reports.save({ ...late, revision: 3 }, 2, { record: someRecord() });
    expect(await failure(lost)).toBeInstanceOf(Error);
    expect(await failure(store.reports.save(late, 2, other))).toBeInstanceOf(Error);
    expect(await store.reports.byId("rep1")).toEqual(REVIEWED);
    expect(await store.suggestions.list({})).toEqual([SUGGESTION]);
    expect(await traces(store)).toEqual(before);
  });

  it("forgets the content of what was closed long ago, and takes it back from nobody", async (store) => {
    verifies("reports.content-goes");
    await store.reports.open(REPORT, LIMIT, null, someRecord());
    await store.reports.open(nth(2), LIMIT, null, someRecord());
    const closed = { ...REPORT, status: "closed", closed_at: 1_500, revision: 2 } as const;
    await store.reports.save(closed, 1, { record: someRecord() });
    expect(await store.reports.dropContent(1_500)).toBe(0);
    expect(await store.reports.dropContent(1_501)).toBe(1);
    expect(await store.reports.dropContent(1_501)).toBe(0);
    expect(await store.reports.byId("rep1")).toEqual({ ...closed, sealed_content: null, revision: 3 });
    expect((await store.reports.byId("rep2"))?.sealed_content).toBe(REPORT.sealed_content);
    expect(await store.reports.save({ ...closed, revision: 3 }, 2, { record: someRecord() })).toBe(false);
  });
};

const suggestions = (it: It): void => {
  it("saves a suggestion only on the revision that was read", async (store) => {
    verifies("loop.suggestion-cas");
    await store.suggestions.create(SUGGESTION, someRecord());
    const saves = await Promise.all([1, 2].map(() => store.suggestions.save(APPROVED, 1, someRecord())));
    expect(saves.toSorted()).toEqual([false, true]);
    expect(await store.suggestions.byId("sug1")).toEqual(APPROVED);
    expect(await failure(store.suggestions.save(APPROVED, 2, someRecord()))).toBeInstanceOf(Error);
    expect(await store.suggestions.save({ ...APPROVED, id: "none" }, 1, someRecord())).toBe(false);
    const rejected = { by: "u2", reason: "No.", comment: null };
    const over = { ...APPROVED, status: "rejected", rejected, revision: 3 } as const;
    expect(await store.suggestions.save(over, 2, someRecord())).toBe(true);
    expect(await store.suggestions.byId("sug1")).toEqual(over);
  });

  it("finds suggestions by what is asked, newest first", async (store) => {
    await store.suggestions.create(SUGGESTION, someRecord());
    await store.suggestions.create({ ...APPROVED, id: "sug2", agent_id: null, created_at: 1_101 }, someRecord());
    const ids = async (filter: Parameters<ConfigStore["suggestions"]["list"]>[0]) =>
      (await store.suggestions.list(filter)).map(({ id }) => id);
    expect(await ids({ user_id: "u1" })).toEqual(["sug2", "sug1"]);
    expect(await ids({ agent_id: "a1" })).toEqual(["sug1"]);
    expect(await ids({ states: ["approved", "applied"] })).toEqual(["sug2"]);
    expect(await ids({ user_id: "u2" })).toEqual([]);
  });
};

const applying = (it: It): void => {
  const from = { next: APPLIED, expected: 2 };

  it("applies a suggestion once, as a new policy revision that everybody learns of", async (store) => {
    verifies("loop.apply-once", "loop.rule-feed");
    await store.suggestions.create(APPROVED, someRecord());
    const since = await store.changes.revision();
    const recordOf = (revision: number) => someRecord({ id: `applied ${revision}` });
    const attempts = [1, 2].map(() => store.tuning.apply(RULE, from, 1, recordOf));
    const made = (await Promise.all(attempts)).filter((one) => one !== null);
    expect(made).toEqual([{ ...RULE, revision: 2 }]);
    expect(await store.tuning.active()).toEqual(made);
    expect(await store.suggestions.byId("sug1")).toEqual(APPLIED);
    expect(await store.policies.latest()).toMatchObject({ revision: 2, source: '{"rules":[]}' });
    const news = { revision: since + 1, tuning: made, policy: { revision: 2 }, agents: [], users: [] };
    expect(await store.changes.changesSince(since)).toMatchObject(news);
    expect(JSON.parse((await store.audit.tail(1))[0]?.body ?? "")).toMatchObject({ id: "applied 2" });
  });

  it("applies nothing on another policy than it was made for, nothing stale, and nothing by halves", async (store) => {
    verifies("loop.apply-whole");
    await store.suggestions.create(APPROVED, someRecord());
    const everything = [await traces(store), await store.policies.latest()];
    const record = () => someRecord();
    expect(await store.tuning.apply(RULE, from, 0, record)).toBeNull();
    expect(await store.tuning.apply(RULE, from, 2, record)).toBeNull();
    expect(await store.tuning.apply(RULE, { ...from, expected: 1 }, 1, record)).toBeNull();
    const broken = () => {
      throw new Error("no record");
    };
    expect(await failure(store.tuning.apply(RULE, from, 1, broken))).toBeInstanceOf(Error);
    const homeless = { ...RULE, agent_id: "nobody" };
    expect(await failure(store.tuning.apply(homeless, from, 1, record))).toBeInstanceOf(Error);
    expect(await failure(store.tuning.apply({ ...RULE, id: "x" }, from, 1, record))).toBeInstanceOf(Error);
    expect([await traces(store), await store.policies.latest()]).toEqual(everything);
    expect(await store.tuning.active()).toEqual([]);
    expect(await store.suggestions.byId("sug1")).toEqual(APPROVED);
    await store.policies.append(1, '{"rules":[1]}', 2, someRecord());
    expect(await store.tuning.apply(RULE, from, 2, record)).toEqual({ ...RULE, revision: 3 });
    expect(await store.policies.latest()).toMatchObject({ revision: 3, source: '{"rules":[1]}' });
    // A rule is not made twice either.
    expect(await failure(store.tuning.apply(RULE, null, 3, record))).toBeInstanceOf(Error);
  });
};

const rules = (it: It): void => {
  const record = () => someRecord();

  it("changes a rule while it is active, and reverts it with its suggestion", async (store) => {
    verifies("loop.revert-once", "loop.rule-feed");
    await store.suggestions.create(APPROVED, someRecord());
    await store.tuning.apply({ ...RULE, mode: "monitor" }, { next: APPLIED, expected: 2 }, 1, record);
    expect(await store.tuning.change("rule1", { mode: "enforce" }, null, record)).toEqual({ ...RULE, revision: 3 });
    const since = await store.changes.revision();
    const reverted = { next: { ...APPLIED, status: "reverted", revision: 4 }, expected: 3 } as const;
    const end = { status: "reverted", ended_at: 2_000 } as const;
    expect(await store.tuning.change("rule1", end, { ...reverted, expected: 2 }, record)).toBeNull();
    const ended = { ...RULE, ...end, revision: 4 };
    const ends = [1, 2].map(() => store.tuning.change("rule1", end, reverted, record));
    expect((await Promise.all(ends)).filter((one) => one !== null)).toEqual([ended]);
    expect(await store.suggestions.byId("sug1")).toEqual(reverted.next);
    expect(await store.tuning.byId("rule1")).toEqual(ended);
    expect(await store.tuning.active()).toEqual([]);
    const news = { revision: since + 1, tuning: [ended], policy: { revision: 4 } };
    expect(await store.changes.changesSince(since)).toMatchObject(news);
    expect(await store.changes.changesSince(since + 1)).toMatchObject({ tuning: [], policy: null });
    expect((await store.changes.changesSince(0)).tuning).toEqual([ended]);
    expect(await store.tuning.change("none", end, null, record)).toBeNull();
    const before = await traces(store);
    for (const patch of [end, { status: "active" }, { mode: "enforce" }] as const) {
      expect(await store.tuning.change("rule1", patch, null, record)).toBeNull();
    }
    expect(await traces(store)).toEqual(before);
  });

  it("tells an agent's rules from its owner's own", async (store) => {
    await store.suggestions.create(APPROVED, someRecord());
    await store.tuning.apply(RULE, { next: APPLIED, expected: 2 }, 1, record);
    await store.tuning.apply(STRICTER, null, 2, record);
    const ids = async (subject: Parameters<ConfigStore["tuning"]["ofSubject"]>[0]) =>
      (await store.tuning.ofSubject(subject)).map(({ id }) => id);
    expect(await ids({ agent_id: "a1" })).toEqual(["rule1"]);
    expect(await ids({ user_id: "u1" })).toEqual(["rule2"]);
    expect(await ids({ agent_id: "a2" })).toEqual([]);
    expect((await store.tuning.active()).map(({ id }) => id)).toEqual(["rule2", "rule1"]);
    expect(await store.tuning.byId("rule2")).toEqual({ ...STRICTER, revision: 3 });
  });

  it("counts hits, and that is no change", async (store) => {
    await store.tuning.apply(STRICTER, null, 1, record);
    const before = await traces(store);
    await store.tuning.hit([
      { id: "rule2", hits: 2, at: 50 },
      { id: "none", hits: 1, at: 60 },
    ]);
    await Promise.all([1, 2, 3].map((hits) => store.tuning.hit([{ id: "rule2", hits, at: 40 + hits }])));
    await store.tuning.hit([]);
    expect(await store.tuning.byId("rule2")).toMatchObject({ hits: 8, last_hit_at: 50 });
    expect(await traces(store)).toEqual(before);
    // A change keeps them.
    const mode = await store.tuning.change("rule2", { mode: "monitor" }, null, record);
    expect(mode).toMatchObject({ hits: 8, mode: "monitor" });
    expect(await store.tuning.byId("rule2")).toEqual(mode);
  });
};
