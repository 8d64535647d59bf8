import { expect, test } from "bun:test";
import type { Assignee, Notice } from "#model/triage";
import type { It, Lend } from "#test/store/contract";
import { REPORT, withPolicy } from "#test/store/looped";
import { someRecord } from "#test/store/records";
import { traces } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

const MINE: Assignee = { kind: "report", subject_id: "rep1", user_id: "u1", at: 1_000 };

const NOTICE: Notice = {
  ...{ id: "n1", user_id: "u1", type: "report.resolved", subject: "report", subject_id: "rep1", agent_id: "a1" },
  ...{ outcome: "false_positive", at: 1_000, seen_at: null },
};

/** What every store must do for people who decide, and for those who wait for it. */
export const triageContract = (name: string, lend: Lend): void => {
  const it: It = (title, use) =>
    test(`${name}: ${title}`, () =>
      lend(async (store) => {
        await withPolicy(store);
        await use(store);
      }));

  it("keeps one assignee of a thing, with a record each, and finds reports by them", async (store) => {
    verifies("inbox.assigned");
    const limit = { most: 5, since: 0 };
    for (const n of [1, 2, 3]) {
      const report = { ...REPORT, id: `rep${n}`, event_id: `e${n}`, status: "needs_human", created_at: n } as const;
      await store.reports.open(report, limit, null, someRecord());
    }
    const before = await traces(store);
    expect(await store.assignees.put({ ...MINE, user_id: "u2", at: 900 }, someRecord())).toBe(true);
    expect(await store.assignees.put(MINE, someRecord())).toBe(true);
    expect(await store.assignees.put({ ...MINE, kind: "review", at: 1_001 }, someRecord())).toBe(true);
    expect(await store.assignees.list(10)).toEqual([{ ...MINE, kind: "review", at: 1_001 }, MINE]);
    expect(await store.assignees.list(1)).toHaveLength(1);
    expect(await store.assignees.of("report", [MINE.subject_id, MINE.subject_id, "rep9"])).toEqual([MINE]);
    expect(await store.assignees.of("report", [])).toEqual([]);
    expect(await traces(store)).toEqual([before[0] + 3, before[1] + 3]);
    const found = async (assignee: string | null | undefined) =>
      (await store.reports.page({ assignee }, { after: null, limit: 10 })).map(({ id }) => id);
    expect([await found("u1"), await found("u2"), await found(null), await found(undefined)]).toEqual([
      ["rep1"],
      [],
      ["rep3", "rep2"],
      ["rep3", "rep2", "rep1"],
    ]);
    expect(await store.assignees.remove({ kind: "report", subject_id: "rep2" }, someRecord())).toBe(false);
    expect(await store.assignees.remove(MINE, someRecord())).toBe(true);
    expect(await traces(store)).toEqual([before[0] + 4, before[1] + 4]);
    expect(await store.assignees.dropBefore(1_001)).toBe(0);
    expect(await store.assignees.dropBefore(1_002)).toBe(1);
    expect(await store.assignees.list(10)).toEqual([]);
  });

  it("lists reports that wait for a person, oldest first, without what was said in them", async (store) => {
    verifies("inbox.pages");
    const limit = { most: 5, since: 0 };
    for (const n of [3, 1, 2]) {
      const status = n === 2 ? "submitted" : "needs_human";
      const report = { ...REPORT, id: `rep${n}`, event_id: `e${n}`, fingerprint: "0f".repeat(8), created_at: n };
      await store.reports.open({ ...report, status }, limit, null, someRecord());
    }
    const { direction, user_id, agent_id, flag_types } = REPORT;
    const row = (n: number) => ({ id: `rep${n}`, created_at: n, fingerprint: "0f".repeat(8) });
    const rest = { direction, user_id, agent_id, flag_types };
    expect(await store.reports.waiting(10)).toEqual([
      { ...row(1), ...rest },
      { ...row(3), ...rest },
    ]);
    expect(await store.reports.waiting(1)).toHaveLength(1);
    expect(await store.reports.countWaiting()).toBe(2);
  });

  it("tells a notice once, until it is seen, and to nobody else", async (store) => {
    verifies("notices.told");
    const other: Notice = { ...NOTICE, id: "n2", subject_id: "rep2", at: 1_001 };
    expect(await store.notices.add([NOTICE, { ...NOTICE, id: "n3", user_id: "u2" }])).toHaveLength(2);
    expect(await store.notices.add([NOTICE, other])).toEqual([other]);
    const page = (isUnseen: boolean, after: string | null = null) =>
      store.notices.page({ user_id: "u1", isUnseen }, { after, limit: 10 });
    expect(await page(true)).toEqual([other, NOTICE]);
    expect(await page(true, "n2")).toEqual([NOTICE]);
    expect(await store.notices.unseen("u1")).toBe(2);
    expect(await store.notices.see("u1", "rep1", 2_000)).toBe(1);
    expect(await store.notices.see("u1", "rep1", 2_001)).toBe(0);
    expect(await page(true)).toEqual([other]);
    expect(await page(false)).toEqual([other, { ...NOTICE, seen_at: 2_000 }]);
    expect(await store.notices.see("u1", null, 2_002)).toBe(1);
    expect([await store.notices.unseen("u1"), await store.notices.unseen("u2")]).toEqual([0, 1]);
    expect(await store.notices.dropBefore(1_001)).toBe(2);
    expect(await page(false)).toHaveLength(1);
  });
};
