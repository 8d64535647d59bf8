import { expect, test } from "bun:test";
import type { Invitation } from "#store/sign-in-port";
import { ANN, BOB, bodies, type ContractStore, type Lend } from "#test/store/contract";
import { someRecord } from "#test/store/records";

const LINK: Invitation = { id: "i1", token_hash: "link-1", user_id: "u2", created_at: 1, expires_at: 100 };

/** How people get in: the first administrator, disabling, passwords, links. */
export const signInContract = (name: string, lend: Lend): void => {
  const it = (title: string, use: (store: ContractStore) => Promise<void>) =>
    test(`${name}: ${title}`, () => lend(use));
  it("makes one first administrator, however many try at once", async (store) => {
    const tries = Array.from({ length: 8 }, (_, at) =>
      store.users.createFirstAdmin({ ...ANN, id: `a${at}`, email: `a${at}@example.com` }, "hash", someRecord()),
    );
    const outcomes = await Promise.all(tries);
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["created", "not_the_first"]));
    expect(await store.users.list()).toHaveLength(1);
    expect(await bodies(store)).toHaveLength(1);
  });

  it("makes no first administrator of an address that is taken, and one again when the last was never active", async (store) => {
    await store.users.create({ ...ANN, state: "disabled" }, null, someRecord());
    expect(await store.users.createFirstAdmin({ ...ANN, id: "u9" }, "hash", someRecord())).toBe("taken");
    expect(await store.users.createFirstAdmin({ ...BOB, role: "admin" }, "hash", someRecord())).toBe("created");
  });

  it("disables and enables, but never the last administrator", async (store) => {
    await store.users.create(ANN, null, someRecord());
    await store.users.create(BOB, null, someRecord());
    expect(await store.users.update("u1", { state: "disabled" }, someRecord())).toBe("last_admin");
    expect(await store.users.update("u1", { role: "member" }, someRecord())).toBe("last_admin");
    expect(await store.users.update("u9", { state: "disabled" }, someRecord())).toBe("missing");
    expect(await store.users.update("u2", { role: "admin" }, someRecord())).toBe("done");
    const before = await store.changes.revision();
    expect(await store.users.update("u1", { state: "disabled" }, someRecord())).toBe("done");
    expect(await store.changes.changesSince(before)).toMatchObject({ users: [{ ...ANN, state: "disabled" }] });
    expect(await store.users.update("u2", { state: "disabled" }, someRecord())).toBe("last_admin");
    expect(await store.users.byId("u1")).toEqual({ ...ANN, state: "disabled" });
    expect(await store.users.update("u1", { state: "active" }, someRecord())).toBe("done");
    expect(await bodies(store)).toHaveLength(5);
  });

  it("ends session keys and links with a new password, except the one it was set with", async (store) => {
    await store.users.create(ANN, null, someRecord());
    const key = { user_id: "u1", state: "active", expires_at: 99, created_at: 6 } as const;
    await store.sessions.create({ ...key, id: "x1", hash: "h1" }, someRecord());
    await store.sessions.create({ ...key, id: "x2", hash: "h2" }, someRecord());
    await store.signIn.invite({ ...LINK, user_id: "u1" }, someRecord());
    expect(await store.signIn.passwordHash("u1")).toBeNull();
    expect(await store.signIn.setPassword("u1", "new", "x2", someRecord())).toBe(true);
    expect(await store.signIn.setPassword("u9", "new", null, someRecord())).toBe(false);
    expect(await store.signIn.passwordHash("u1")).toBe("new");
    const states = (await store.sessions.list()).map(({ id, state }) => [id, state]);
    expect(Object.fromEntries(states)).toEqual({ x1: "revoked", x2: "active" });
    expect(await store.signIn.invited("link-1", 5)).toBeNull();
  });

  it("takes a link once, in time, from somebody who is not disabled; a new one takes its place", async (store) => {
    await store.users.create(BOB, null, someRecord());
    await store.users.create(ANN, null, someRecord());
    await store.signIn.invite(LINK, someRecord());
    expect(await store.signIn.invited("link-1", 99)).toEqual(BOB);
    expect(await store.signIn.invited("link-1", 100)).toBeNull();
    await store.signIn.invite({ ...LINK, id: "i2", token_hash: "link-2" }, someRecord());
    expect(await store.signIn.invited("link-1", 5)).toBeNull();
    await store.users.update("u2", { state: "disabled" }, someRecord());
    expect(await store.signIn.accept("link-2", 5, "hash", () => someRecord())).toBeNull();
    await store.users.update("u2", { state: "active" }, someRecord());
    const records = (await bodies(store)).length;
    const tries = [1, 2, 3].map(() => store.signIn.accept("link-2", 5, "hash", () => someRecord()));
    expect((await Promise.all(tries)).filter((user) => user !== null)).toEqual([BOB]);
    expect(await bodies(store)).toHaveLength(records + 1);
    expect(await store.signIn.passwordHash("u2")).toBe("hash");
  });

  it("clears out links that are too old", async (store) => {
    await store.users.create(BOB, null, someRecord());
    await store.signIn.invite(LINK, someRecord());
    await store.signIn.sweep(99);
    expect(await store.signIn.invited("link-1", 5)).toEqual(BOB);
    await store.signIn.sweep(100);
    expect(await store.signIn.invited("link-1", 5)).toBeNull();
  });
};
