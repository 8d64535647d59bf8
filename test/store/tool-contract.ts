import { expect, test } from "bun:test";
import type { PendingAuthorization } from "#store/port";
import { ANN, BOT, type ContractStore, failure, type It, type Lend } from "#test/store/contract";
import { someRecord } from "#test/store/records";
import { approving, seeing } from "#test/store/tool-pin-contract";
import { FILES, MAIL, NOTHING_ELSE, someTool, traces, withServers } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

/** What every store must do for the tool gateway. */
export const toolContract = (name: string, lend: Lend): void => {
  const it = (title: string, use: (store: ContractStore) => Promise<void>) =>
    test(`${name}: ${title}`, () => lend(use));
  servers(it);
  seeing(it);
  approving(it);
  assigning(it);
  grants(it);
  signIns(it);
  feed(it);
};

const servers = (it: It): void => {
  it("keeps tool servers, one of a slug for each owner, by slug, then owner", async (store) => {
    await withServers(store);
    const before = await traces(store);
    expect(await store.tools.add({ ...FILES, id: "s3" }, someRecord())).toBe("taken");
    expect(await traces(store)).toEqual(before);
    expect(await store.tools.add({ ...FILES, id: "s0", owner_id: "u2" }, someRecord())).toBe("done");
    expect((await store.tools.list()).map(({ id }) => id)).toEqual(["s1", "s0", "s2"]);
    expect(await store.tools.byId("s1")).toEqual(FILES);
    expect(await store.tools.byId("s2")).toEqual(MAIL);
    expect(await store.tools.byId("s3")).toBeNull();
    expect(
      await failure(store.tools.add({ ...FILES, owner_id: "nobody", slug: "x", id: "x" }, someRecord())),
    ).toBeInstanceOf(Error);
  });

  it("changes of a server what is named, and counts new credentials", async (store) => {
    await withServers(store);
    expect(await store.tools.update("s1", { active: false, call_ms: 5 }, someRecord())).toBe(true);
    expect(await store.tools.byId("s1")).toEqual({ ...FILES, active: false, call_ms: 5 });
    expect(await store.tools.update("s1", { call_ms: null, list_ms: null }, someRecord())).toBe(true);
    expect(await store.tools.byId("s1")).toEqual({ ...FILES, active: false, list_ms: null });
    const credentials = { credential_kind: "headers", sealed_credentials: "v1.a.b.c" } as const;
    expect(await store.tools.update("s1", { credentials }, someRecord())).toBe(true);
    expect(await store.tools.byId("s1")).toMatchObject({ ...credentials, credential_version: 2, active: false });
    const none = { credential_kind: "none", sealed_credentials: null } as const;
    expect(await store.tools.update("s1", { active: true, credentials: none }, someRecord())).toBe(true);
    expect(await store.tools.byId("s1")).toEqual({ ...FILES, list_ms: null, credential_version: 3 });
    expect(await store.tools.byId("s2")).toEqual(MAIL);
    const before = await traces(store);
    expect(await store.tools.update("none", { active: true }, someRecord())).toBe(false);
    expect(await store.tools.update("none", {}, someRecord())).toBe(false);
    expect(await traces(store)).toEqual(before);
    expect(await store.tools.update("s2", {}, someRecord())).toBe(true);
    expect(await store.tools.byId("s2")).toEqual(MAIL);
  });

  it("removes a server with all that belongs to it, and nothing of another", async (store) => {
    await withServers(store);
    for (const server of ["s1", "s2"]) {
      await store.tools.see(server, [someTool("read")], someRecord());
      await store.tools.assign({ agent_id: "a1", server_id: server, tools: null, ...NOTHING_ELSE }, someRecord());
      await store.tools.saveGrant(server, 0, "sealed");
      await store.tools.beginAuthorization({ ...PENDING, server_id: server, state_hash: `state of ${server}` });
    }
    expect(await store.tools.remove("s1", someRecord())).toBe(true);
    expect(await store.tools.byId("s1")).toBeNull();
    expect(await store.tools.pins("s1")).toEqual([]);
    expect(await store.tools.grant("s1")).toBeNull();
    expect(await store.tools.consumeAuthorization("state of s1", 0)).toBeNull();
    expect((await store.tools.assignments({ agent_id: "a1" })).map(({ server_id }) => server_id)).toEqual(["s2"]);
    expect(await store.tools.pins("s2")).toHaveLength(1);
    expect(await store.tools.grant("s2")).not.toBeNull();
    expect(await store.tools.consumeAuthorization("state of s2", 0)).not.toBeNull();
    const before = await traces(store);
    expect(await store.tools.remove("s1", someRecord())).toBe(false);
    expect(await traces(store)).toEqual(before);
    // Of the same slug and id, it begins with nothing.
    expect(await store.tools.add(FILES, someRecord())).toBe("done");
    expect(await store.tools.pins("s1")).toEqual([]);
    expect(await store.tools.grant("s1")).toBeNull();
  });
};

const assigning = (it: It): void => {
  it("sets what an agent may use of a server: some tools, none or all", async (store) => {
    await withServers(store);
    const some = { agent_id: "a1", server_id: "s1", tools: ["write", "read"], ...NOTHING_ELSE };
    const none = { agent_id: "a1", server_id: "s2", tools: [], ...NOTHING_ELSE };
    await store.tools.assign(none, someRecord());
    await store.tools.assign(some, someRecord());
    expect(await store.tools.assignments({ agent_id: "a1" })).toEqual([some, none]);
    await store.tools.assign({ ...some, tools: null }, someRecord());
    expect(await store.tools.assignments({ agent_id: "a1" })).toEqual([{ ...some, tools: null }, none]);
    await store.tools.assign({ ...some, tools: ["read"] }, someRecord());
    expect(await store.tools.assignments({ agent_id: "a1" })).toEqual([{ ...some, tools: ["read"] }, none]);
    expect(await store.tools.unassign("a1", "s1", someRecord())).toBe(true);
    expect(await store.tools.assignments({ agent_id: "a1" })).toEqual([none]);
    const before = await traces(store);
    expect(await store.tools.unassign("a1", "s1", someRecord())).toBe(false);
    expect(await failure(store.tools.assign({ ...some, agent_id: "nobody" }, someRecord()))).toBeInstanceOf(Error);
    expect(await failure(store.tools.assign({ ...some, server_id: "none" }, someRecord()))).toBeInstanceOf(Error);
    expect(await traces(store)).toEqual(before);
  });
};

const grants = (it: It): void => {
  it("lets one of two renewals of a grant win, from the first one on", async (store) => {
    await withServers(store);
    const before = await traces(store);
    expect(await store.tools.grant("s1")).toBeNull();
    expect(await store.tools.saveGrant("s1", 1, "early")).toBe(false);
    expect(await store.tools.saveGrant("s1", 0, "first")).toBe(true);
    expect(await store.tools.saveGrant("s1", 0, "late")).toBe(false);
    expect(await store.tools.grant("s1")).toEqual({ server_id: "s1", sealed: "first", version: 1 });
    const outcomes = await Promise.all(["a", "b", "c"].map((sealed) => store.tools.saveGrant("s1", 1, sealed)));
    expect(outcomes.filter((isSaved) => isSaved)).toHaveLength(1);
    const sealed = ["a", "b", "c"][outcomes.indexOf(true)];
    expect(await store.tools.grant("s1")).toMatchObject({ server_id: "s1", sealed, version: 2 });
    expect(await store.tools.saveGrant("s1", 3, "ahead")).toBe(false);
    expect(await store.tools.grant("s2")).toBeNull();
    expect(await store.tools.saveGrant("none", 0, "of a server that is gone")).toBe(false);
    expect(await traces(store)).toEqual(before);
  });
};

const PENDING: PendingAuthorization = {
  state_hash: "state",
  server_id: "s1",
  user_id: "u1",
  sealed: "v1.p.k.ce",
  expires_at: 1_000,
};

const signIns = (it: It): void => {
  it("gives a begun sign-in back once, and not after its time", async (store) => {
    verifies("tools.sign-in-once");
    await withServers(store);
    const before = await traces(store);
    await store.tools.beginAuthorization(PENDING);
    expect(await failure(store.tools.beginAuthorization(PENDING))).toBeInstanceOf(Error);
    expect(await store.tools.consumeAuthorization("another", 999)).toBeNull();
    const takes = await Promise.all([1, 2, 3].map(() => store.tools.consumeAuthorization("state", 999)));
    expect(takes.filter((taken) => taken !== null)).toEqual([PENDING]);
    await store.tools.beginAuthorization(PENDING);
    expect(await store.tools.consumeAuthorization("state", 1_000)).toBeNull();
    // What had expired is gone, whatever time it is then.
    expect(await store.tools.consumeAuthorization("state", 0)).toBeNull();
    expect(await traces(store)).toEqual(before);
  });

  it("clears out what has expired, whichever one is asked for", async (store) => {
    await withServers(store);
    const later = { ...PENDING, state_hash: "later", expires_at: 2_000 };
    await store.tools.beginAuthorization(PENDING);
    await store.tools.beginAuthorization(later);
    expect(await store.tools.consumeAuthorization("unknown", 1_500)).toBeNull();
    expect(await store.tools.consumeAuthorization("state", 0)).toBeNull();
    expect(await store.tools.consumeAuthorization("later", 1_500)).toEqual(later);
  });

  it("keeps the newest few sign-ins of a server, the one just begun in any case", async (store) => {
    await withServers(store);
    await store.tools.beginAuthorization({ ...PENDING, server_id: "s2", state_hash: "of another server" });
    const states = Array.from({ length: 30 }, (_, n) => `state ${n}`);
    const pending = (state: string, expires_at: number) => ({ ...PENDING, state_hash: state, expires_at });
    for (const [n, state] of states.entries()) await store.tools.beginAuthorization(pending(state, 1_000 + n));
    await store.tools.beginAuthorization(pending("clock set back", 1));
    const kept: string[] = [];
    for (const state of states) if (await store.tools.consumeAuthorization(state, 0)) kept.push(state);
    expect(kept).toEqual(states.slice(-7));
    expect(await store.tools.consumeAuthorization("clock set back", 0)).not.toBeNull();
    expect(await store.tools.consumeAuthorization("of another server", 0)).not.toBeNull();
  });
};

const feed = (it: It): void => {
  it("tells of the tools of a server whenever it changed, and of nothing else then", async (store) => {
    await withServers(store);
    const read = someTool("read", { pinIfNew: false });
    const assignment = { agent_id: "a1", server_id: "s1", tools: null, ...NOTHING_ELSE };
    const { tools } = store;
    /** And the server whose tools and assignments are given after it. */
    const steps: (readonly [() => Promise<unknown>, string | null])[] = [
      [() => tools.see("s1", [read], someRecord()), "s1"],
      [() => tools.see("s2", [someTool("send", { server_id: "s2", name: "mail__send" })], someRecord()), "s2"],
      [() => tools.pin("s1", [{ tool: "read", hash: read.seen_hash }], someRecord()), "s1"],
      [() => tools.assign(assignment, someRecord()), "s1"],
      [() => tools.update("s2", { active: false }, someRecord()), "s2"],
      [() => tools.unassign("a1", "s1", someRecord()), "s1"],
      [() => tools.remove("s1", someRecord()), null],
      [() => tools.remove("s2", someRecord()), null],
      [() => tools.add(FILES, someRecord()), "s1"],
    ];
    for (const [step, changed] of steps) {
      const since = await store.changes.revision();
      await step();
      const pins = [...(await tools.pins("s1")), ...(await tools.pins("s2"))];
      const servers = await tools.list();
      const assignments = await tools.assignments({ agent_id: "a1" });
      const registry = { servers, changed: new Set(servers.map(({ id }) => id)), pins, assignments };
      const news = {
        ...{ servers, changed: new Set(changed === null ? [] : [changed]) },
        pins: pins.filter((pin) => pin.server_id === changed),
        assignments: assignments.filter((one) => one.server_id === changed),
      };
      const rest = { tuning: [], policy: null, prices: null, budgets: null, hook_sources: null };
      const ungoverned = { profiles: [], restrictions: [], kill_switches: [], ...rest };
      const nothing = { users: [], agents: [], tokens: [], sessions: [], providers: null, ...ungoverned };
      expect(await store.changes.changesSince(since)).toEqual({ ...nothing, revision: since + 1, tools: news });
      expect((await store.changes.changesSince(0)).tools).toEqual(registry);
    }
    const since = await store.changes.revision();
    await store.users.create({ ...ANN, id: "u9", email: "zoe@example.com" }, null, someRecord());
    await store.providers.remove("none", someRecord());
    expect((await store.changes.changesSince(since)).tools).toBeNull();
  });

  const bad = "{}";
  const attempts: Record<string, (store: ContractStore) => Promise<unknown>> = {
    add: ({ tools }) => tools.add({ ...FILES, id: "s9", slug: "nine" }, bad),
    update: ({ tools }) => tools.update("s1", { active: false }, bad),
    remove: ({ tools }) => tools.remove("s1", bad),
    see: ({ tools }) => tools.see("s1", [someTool("new"), someTool("read", { seen: "{}" })], bad),
    pin: ({ tools }) => tools.pin("s1", [{ tool: "read", hash: "hash of read" }], bad),
    assign: ({ tools }) => tools.assign({ agent_id: "a1", server_id: "s1", tools: [], ...NOTHING_ELSE }, bad),
    unassign: ({ tools }) => tools.unassign("a1", "s1", bad),
    "sessions.create": ({ sessions }) =>
      sessions.create({ id: "x2", hash: "h2", user_id: "u1", state: "active", expires_at: 9, created_at: 1 }, bad),
    "sessions.revoke": ({ sessions }) => sessions.revoke("x1", bad),
  };
  for (const [what, attempt] of Object.entries(attempts)) {
    it(`changes nothing without its record: ${what}`, async (store) => {
      await withServers(store);
      await store.agents.create({ ...BOT, id: "a2", name: "other" }, someRecord());
      await store.tools.see("s1", [someTool("read", { pinIfNew: false })], someRecord());
      await store.tools.assign({ agent_id: "a1", server_id: "s1", tools: null, ...NOTHING_ELSE }, someRecord());
      await store.sessions.create(
        { id: "x1", hash: "h1", user_id: "u1", state: "active", expires_at: 9, created_at: 1 },
        someRecord(),
      );
      const [before, everything] = [await traces(store), await store.changes.changesSince(0)];
      expect(await failure(attempt(store))).toBeInstanceOf(Error);
      expect(await store.changes.changesSince(0)).toEqual(everything);
      expect(await traces(store)).toEqual(before);
    });
  }
};
