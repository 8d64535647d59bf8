import { expect, test } from "bun:test";
import { BOT, type ContractStore, failure, type Lend, OWN, TOKEN, withPeople } from "#test/store/contract";
import { someRecord } from "#test/store/records";

/** What every store must do for tokens, and for who stops what can go on again. */
const FIRST = { after: null, limit: 100 } as const;

export const tokenContract = (name: string, lend: Lend): void => {
  const it = (title: string, use: (store: ContractStore) => Promise<void>) =>
    test(`${name}: ${title}`, () => lend(use));
  it("keeps tokens, each hash once", async (store) => {
    await withPeople(store);
    expect(await store.tokens.create(TOKEN, someRecord())).toBe("done");
    expect(await store.tokens.create({ ...TOKEN, id: "t2" }, someRecord())).toBe("taken");
    expect(await store.tokens.byId("t1")).toEqual(TOKEN);
    expect(await store.tokens.list()).toEqual([TOKEN]);
  });

  it("disables a token, and again only by a right above its owner's; enables it only by the rights named", async (store) => {
    await withPeople(store);
    await store.tokens.create(TOKEN, someRecord());
    const above = { right: "administrator", by: "u2", at: 60 } as const;
    expect(await store.tokens.enable("t1", ["owner"], someRecord())).toBe(false);
    expect(await store.tokens.disable("t1", OWN, someRecord())).toBe(true);
    expect(await store.tokens.disable("t1", OWN, someRecord())).toBe(false);
    expect(await store.tokens.kept("t1")).toMatchObject({ state: "disabled", suspension: OWN });
    expect(await store.tokens.disable("t1", above, someRecord())).toBe(true);
    expect(await store.tokens.disable("t1", { ...above, right: "operator" }, someRecord())).toBe(false);
    expect(await store.tokens.kept("t1")).toMatchObject({ state: "disabled", suspension: above });
    expect(await store.tokens.enable("t1", ["owner"], someRecord())).toBe(false);
    expect(await store.tokens.enable("t1", ["owner", "administrator"], someRecord())).toBe(true);
    expect(await store.tokens.kept("t1")).toMatchObject({ state: "active", suspension: null });
    expect(await store.tokens.revoke("t1", someRecord())).toBe(true);
    expect(await store.tokens.revoke("t1", someRecord())).toBe(false);
    expect(await store.tokens.revoke("none", someRecord())).toBe(false);
    expect(await store.tokens.disable("t1", above, someRecord())).toBe(false);
    expect((await store.tokens.byId("t1"))?.state).toBe("revoked");
  });

  it("suspends an agent, and resumes it only by the rights named", async (store) => {
    await withPeople(store);
    const above = { right: "operator", by: null, at: 60 } as const;
    expect(await store.agents.suspend("a1", OWN, someRecord())).toBe(true);
    expect(await store.agents.suspend("a1", OWN, someRecord())).toBe(false);
    expect(await store.agents.suspend("a1", above, someRecord())).toBe(true);
    expect(await store.agents.byId("a1")).toEqual({ ...BOT, lifecycle: "suspended", suspension: above });
    expect(await store.agents.resume("a1", ["owner"], someRecord())).toBe(false);
    expect(await store.agents.resume("a1", ["owner", "operator"], someRecord())).toBe(true);
    expect(await store.agents.byId("a1")).toEqual(BOT);
    await store.agents.update("a1", { lifecycle: "retired" }, someRecord());
    expect(await store.agents.suspend("a1", above, someRecord())).toBe(false);
  });

  it("gives nobody more tokens than there is room for", async (store) => {
    await withPeople(store);
    const made = (id: string, at: number, more: object = {}) =>
      store.tokens.create({ ...TOKEN, id, hash: id, expires_at: null, ...more }, someRecord(), { most: 2, at });
    const ids = ["t1", "t2", "t3"];
    const outcomes = await Promise.all(ids.map((id) => made(id, 50)));
    expect(outcomes.toSorted()).toEqual(["done", "done", "full"]);
    const [one = ""] = ids.filter((_, n) => outcomes[n] === "done");
    const [left = ""] = ids.filter((_, n) => outcomes[n] === "full");
    await store.tokens.disable(one, OWN, someRecord());
    expect(await made(left, 50)).toBe("full");
    await store.tokens.revoke(one, someRecord());
    expect(await made(left, 50, { expires_at: 60 })).toBe("done");
    expect([await made("t4", 59), await made("t4", 60)]).toEqual(["full", "done"]);
  });

  it("rotates an active token once, both halves or none", async (store) => {
    await withPeople(store);
    await store.tokens.create(TOKEN, someRecord());
    const next = { ...TOKEN, id: "t2", hash: "hash-2" };
    const clash = { ...next, hash: "hash-1" };
    expect(await failure(store.tokens.rotate("t1", 99, clash, someRecord()))).toBeInstanceOf(Error);
    expect(await store.tokens.byId("t1")).toEqual(TOKEN);
    expect(await store.tokens.rotate("t1", 99, next, someRecord())).toBe(true);
    expect(await store.tokens.byId("t1")).toEqual({ ...TOKEN, state: "rotated", expires_at: 99 });
    expect(await store.tokens.byId("t2")).toEqual(next);
    for (const at of [70, 60]) await store.tokens.noteUses([{ token_id: "t2", at }]);
    const kept = await store.tokens.page({ user_id: "u1", now: 50 }, FIRST);
    expect(kept).toEqual([
      { ...next, rotated_to: null, last_used_at: 70, suspension: null },
      { ...TOKEN, state: "rotated", expires_at: 99, rotated_to: "t2", last_used_at: null, suspension: null },
    ]);
    expect([
      await store.tokens.page({ now: 50 }, FIRST),
      await store.tokens.page({ user_id: "u2", now: 50 }, FIRST),
    ]).toEqual([kept, []]);
    expect(await store.tokens.rotate("t1", 99, { ...next, id: "t3", hash: "hash-3" }, someRecord())).toBe(false);
  });
};
