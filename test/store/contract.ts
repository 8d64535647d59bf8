import { expect, test } from "bun:test";
import type { Agent } from "#model/agent";
import type { User } from "#model/person";
import type { Session } from "#model/session";
import type { Suspension } from "#model/suspension";
import type { Token } from "#model/token";
import type { AuditLog, ProviderRow, Store } from "#store/port";
import type { ConfigStore } from "#store/repositories/all";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

export const ANN: User = {
  id: "u1",
  email: "Ann@Example.com",
  name: "Ann",
  role: "admin",
  state: "active",
  created_at: 1,
};
export const BOB: User = {
  id: "u2",
  email: "bob@example.com",
  name: null,
  role: "member",
  state: "active",
  created_at: 2,
};
export const BOT: Agent = {
  id: "a1",
  name: "bot",
  owner_id: "u1",
  sponsor_id: null,
  description: null,
  environment: null,
  review_status: "draft",
  lifecycle: "active",
  suspension: null,
  profile_version: null,
  review_due_at: null,
  created_at: 3,
};
/** Ann stopped what is hers. */
export const OWN: Suspension = { right: "owner", by: "u1", at: 50 };
export const TOKEN: Token = {
  id: "t1",
  hash: "hash-1",
  display: "gw-live-…abcd",
  name: null,
  user_id: "u1",
  agent_id: "a1",
  state: "active",
  expires_at: null,
  created_at: 4,
};
const SESSION: Session = {
  id: "x1",
  hash: "session-1",
  user_id: "u1",
  state: "active",
  expires_at: 99,
  created_at: 6,
};
export const OPENAI: ProviderRow = {
  id: "p1",
  name: "openai",
  base_url: "https://api.example/v1",
  models: ["gpt-*", "o*"],
  sealed_key: "v1.x.y.z",
  priority: 10,
  created_at: 5,
  given_by: "operator",
  ...{ kind: "openai", apis: null, aliases: {}, credential: { source: "key" } },
};

/** A store, and the records of its changes. */
export type ContractStore = ConfigStore & { readonly audit: Pick<AuditLog, "tail"> };

export type Lend<T = ContractStore> = (use: (store: T) => Promise<void>) => Promise<void>;

/** What every store must do. `lend` opens an empty one, and takes it away afterwards. */
export const storeContract = (name: string, lend: Lend): void => {
  const it: It = (title, use) => test(`${name}: ${title}`, () => lend(use));
  people(it);
  byWords(it);
  texts(it);
  sessions(it);
  providersAndPolicies(it);
  changes(it);
};

/** What a store must do that keeps the whole audit log. */
export const auditContract = (name: string, lend: Lend<Store>): void => {
  audit((title, use) => test(`${name}: ${title}`, () => lend(use)));
};

/**
 * Why it failed; null when it did not. Bun's `rejects` holds the thread until the promise settles, and one that
 * another thread is to settle then never does.
 */
export const failure = (promise: Promise<unknown>): Promise<Error | null> =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );

export type It<T = ContractStore> = (title: string, use: (store: T) => Promise<void>) => void;

export const bodies = async (store: ContractStore): Promise<string[]> =>
  (await store.audit.tail(1_000)).map((row) => row.body).reverse();

const people = (it: It): void => {
  it("keeps people, and compares e-mail addresses without case", async (store) => {
    expect(await store.users.create(ANN, "secret", someRecord())).toBe(true);
    expect(await store.users.create(BOB, null, someRecord())).toBe(true);
    const refused = { ...BOB, id: "u3", email: "ANN@example.COM" };
    expect(await store.users.create(refused, null, someRecord())).toBe(false);
    expect(await store.users.byEmail("ann@EXAMPLE.com")).toEqual(ANN);
    expect(await store.users.byEmail("nobody@example.com")).toBeNull();
    expect(await store.users.list()).toEqual([ANN, BOB]);
  });

  it("compares letters beyond ASCII without case too", async (store) => {
    await store.users.create({ ...ANN, email: "Ünal@example.com" }, null, someRecord());
    expect(await store.users.create({ ...BOB, email: "ÜNAL@example.com" }, null, someRecord())).toBe(false);
  });

  it("keeps agents, one of a name for each owner", async (store) => {
    await store.users.create(ANN, null, someRecord());
    await store.users.create(BOB, null, someRecord());
    expect(await store.agents.create(BOT, someRecord())).toBe(true);
    expect(await store.agents.create({ ...BOT, id: "a2" }, someRecord())).toBe(false);
    expect(await store.agents.create({ ...BOT, id: "a3", owner_id: "u2" }, someRecord())).toBe(true);
    expect(await store.agents.byId("a1")).toEqual(BOT);
    expect(await store.agents.byId("a2")).toBeNull();
    expect((await store.agents.byName("u2", "bot"))?.id).toBe("a3");
    expect((await store.agents.list()).map((agent) => agent.id)).toEqual(["a1", "a3"]);
  });

  it("refuses an agent nobody owns, and leaves no trace of it", async (store) => {
    expect(await failure(store.agents.create({ ...BOT, owner_id: "nobody" }, someRecord()))).toBeInstanceOf(Error);
    expect(await store.agents.list()).toEqual([]);
    expect(await bodies(store)).toEqual([]);
    expect(await store.changes.revision()).toBe(0);
  });
};

export const withPeople = async (store: ConfigStore): Promise<void> => {
  await store.users.create(ANN, null, someRecord());
  await store.agents.create(BOT, someRecord());
};

const byWords = (it: It): void => {
  it("finds users and agents by a part of a name or address, whatever the case of its letters, as it is written", async (store) => {
    verifies("lists.by-name");
    await store.users.create({ ...ANN, name: "Keeper 100%" }, null, someRecord());
    await store.users.create({ ...BOB, name: null }, null, someRecord());
    await store.agents.create({ ...BOT, name: "Mail_Sorter" }, someRecord());
    await store.agents.create({ ...BOT, id: "a3", name: "other", owner_id: BOB.id }, someRecord());
    const all = { after: null, limit: 10 };
    const users = async (words: string) => (await store.users.page(all, words)).map(({ id }) => id);
    const agents = async (words: string, owner: string | null = null) =>
      (await store.agents.page(owner, all, words)).map(({ id }) => id);
    expect([await users("KEEPER"), await users("0%"), await users("%"), await users("_")]).toEqual([
      [ANN.id],
      [ANN.id],
      [ANN.id],
      [],
    ]);
    expect((await users(ANN.email.toUpperCase())).includes(ANN.id)).toBe(true);
    expect((await users("")).length).toBe(2);
    expect([await agents("il_s"), await agents("il%s"), await agents(BOB.email), await agents("il_s", BOB.id)]).toEqual(
      [["a1"], [], ["a3"], []],
    );
    expect(await store.agents.page(null, { after: "a3", limit: 10 }, BOB.email)).toEqual([]);
  });
};

const texts = (it: It): void => {
  it("takes any text, and finds it again", async (store) => {
    const name = "a\0b \u{1F600} \u200f%_\\'\"";
    await store.users.create({ ...ANN, name }, null, someRecord());
    await store.agents.create({ ...BOT, name }, someRecord());
    const found = await store.agents.named(name);
    expect(found.map(({ id }) => id)).toEqual(["a1"]);
    expect((await store.agents.byName("u1", name))?.id).toBe("a1");
    expect(await store.users.byIds(["u\0", "u1"])).toHaveLength(1);
    expect(await store.users.byEmail("nobody\0@example.com")).toBeNull();
  });
};

const sessions = (it: It): void => {
  it("keeps sessions, each hash once, by age", async (store) => {
    await withPeople(store);
    const older = { ...SESSION, id: "x2", hash: "session-2", created_at: 5 };
    await store.sessions.create(SESSION, someRecord());
    await store.sessions.create(older, someRecord());
    expect(await store.sessions.list()).toEqual([older, SESSION]);
    expect(await failure(store.sessions.create({ ...SESSION, id: "x3" }, someRecord()))).toBeInstanceOf(Error);
    const nobodys = { ...SESSION, id: "x3", hash: "session-3", user_id: "nobody" };
    expect(await failure(store.sessions.create(nobodys, someRecord()))).toBeInstanceOf(Error);
    expect(await bodies(store)).toHaveLength(4);
  });

  it("revokes an active session once", async (store) => {
    await withPeople(store);
    await store.sessions.create(SESSION, someRecord());
    expect(await store.sessions.revoke("none", someRecord())).toBe(false);
    expect(await store.sessions.revoke("x1", someRecord())).toBe(true);
    expect(await store.sessions.revoke("x1", someRecord())).toBe(false);
    expect(await store.sessions.list()).toEqual([{ ...SESSION, state: "revoked" }]);
    expect(await store.changes.revision()).toBe(4);
    expect(await bodies(store)).toHaveLength(4);
  });
};

const providersAndPolicies = (it: It): void => {
  it("lists providers by priority, then name", async (store) => {
    expect(await store.providers.add(OPENAI, someRecord())).toBe("done");
    expect(await store.providers.add({ ...OPENAI, id: "p2", name: "azure", priority: 10 }, someRecord())).toBe("done");
    expect(await store.providers.add({ ...OPENAI, id: "p3", name: "zed", priority: 1 }, someRecord())).toBe("done");
    expect(await store.providers.add({ ...OPENAI, id: "p4" }, someRecord())).toBe("taken");
    expect((await store.providers.list()).map((provider) => provider.name)).toEqual(["zed", "azure", "openai"]);
    expect((await store.providers.list()).at(-1)).toEqual(OPENAI);
    expect(await store.providers.update("p2", { priority: 0, given_by: "user" }, someRecord())).toBe("done");
    expect((await store.providers.list())[0]).toEqual({
      ...OPENAI,
      id: "p2",
      name: "azure",
      priority: 0,
      given_by: "user",
    });
    expect(await store.providers.update("p2", { name: "zed" }, someRecord())).toBe("taken");
    expect(await store.providers.update("p9", { priority: 1 }, someRecord())).toBe("missing");
    expect(await store.providers.remove("azure", someRecord())).toBe(true);
    expect(await store.providers.remove("azure", someRecord())).toBe(false);
    expect((await store.providers.list()).map((provider) => provider.name)).toEqual(["zed", "openai"]);
  });

  it("numbers policies from 1 and lets one of two writers win", async (store) => {
    expect(await store.policies.latest()).toBeNull();
    const first = await store.policies.append(0, '{"a":1}', 7, someRecord());
    expect(first).toEqual({ revision: 1, source: '{"a":1}', created_at: 7 });
    expect(await store.policies.append(0, '{"a":2}', 8, someRecord())).toBeNull();
    expect(await store.policies.append(1, '{"a":3}', 9, someRecord())).toMatchObject({ revision: 2 });
    expect(await store.policies.latest()).toEqual({ revision: 2, source: '{"a":3}', created_at: 9 });
  });
};

const changes = (it: It): void => {
  it("counts every change once, and no attempt that changed nothing", async (store) => {
    expect(await store.changes.revision()).toBe(0);
    await withPeople(store);
    await store.agents.create({ ...BOT, id: "a9" }, someRecord());
    await store.tokens.create(TOKEN, someRecord());
    await store.tokens.disable("t1", OWN, someRecord());
    await store.providers.add(OPENAI, someRecord());
    await store.policies.append(0, "{}", 1, someRecord());
    await store.providers.remove("none", someRecord());
    expect(await store.changes.revision()).toBe(6);
    expect(await bodies(store)).toHaveLength(6);
  });

  it("tells what changed since a revision", async (store) => {
    const ungoverned = { profiles: [], restrictions: [], kill_switches: [], tuning: [], policy: null };
    const none = { users: [], agents: [], tokens: [], sessions: [], ...ungoverned };
    const noTools = { servers: [], changed: new Set<string>(), pins: [], assignments: [] };
    const noMoney = { prices: [], budgets: [], hook_sources: [] };
    const first = { ...none, ...noMoney, revision: 0, providers: [], tools: noTools };
    expect(await store.changes.changesSince(0)).toEqual(first);
    await withPeople(store);
    await store.tokens.create(TOKEN, someRecord());
    await store.sessions.create(SESSION, someRecord());
    await store.providers.add(OPENAI, someRecord());
    const people = { users: [ANN], agents: [BOT], tokens: [TOKEN], sessions: [SESSION] };
    const all = { ...people, ...ungoverned, ...noMoney, revision: 5, providers: [OPENAI], tools: noTools };
    expect(await store.changes.changesSince(0)).toEqual(all);
    const nothing = { ...none, providers: null, tools: null, prices: null, budgets: null, hook_sources: null };
    expect(await store.changes.changesSince(5)).toEqual({ ...nothing, revision: 5 });
    expect(await store.changes.changesSince(4)).toEqual({ ...nothing, revision: 5, providers: [OPENAI] });
    await store.tokens.revoke("t1", someRecord());
    const token = { ...TOKEN, state: "revoked" } as const;
    expect(await store.changes.changesSince(5)).toEqual({ ...nothing, revision: 6, tokens: [token] });
    await store.sessions.revoke("x1", someRecord());
    const session = { ...SESSION, state: "revoked" } as const;
    expect(await store.changes.changesSince(6)).toEqual({ ...nothing, revision: 7, sessions: [session] });
    await store.providers.remove("openai", someRecord());
    expect(await store.changes.changesSince(7)).toEqual({ ...nothing, revision: 8, providers: [] });
  });

  it("knows the revision every serving process has taken in", async (store) => {
    expect(await store.changes.acknowledged()).toBeNull();
    await store.changes.acknowledge("one", 5);
    await store.changes.acknowledge("two", 3);
    expect(await store.changes.acknowledged()).toBe(3);
    await store.changes.acknowledge("two", 7);
    expect(await store.changes.acknowledged()).toBe(5);
    await store.changes.forget("one");
    expect(await store.changes.acknowledged()).toBe(7);
    await store.changes.forget("two");
    expect(await store.changes.acknowledged()).toBeNull();
  });
};

const JUNE = Date.UTC(2026, 5, 10);
const JULY = Date.UTC(2026, 6, 10);
const AUGUST = Date.UTC(2026, 7, 10);

const collect = async (rows: AsyncIterable<{ body: string }>): Promise<string[]> => {
  const found: string[] = [];
  for await (const row of rows) found.push(row.body);
  return found;
};

const audit = (it: It<Store>): void => {
  it("chains what is appended, changes among it, in order", async (store) => {
    const [a, b, c] = [someRecord(), someRecord(), someRecord()];
    await store.audit.append(a);
    await store.users.create(ANN, null, b);
    await store.audit.append(c);
    const rows = (await store.audit.tail(10)).reverse();
    expect(rows.map((row) => row.body)).toEqual([a, b, c]);
    expect(rows.map((row) => row.seq)).toEqual([1, 2, 3]);
    let prev = "0".repeat(64);
    for (const row of rows) {
      expect(row.prev_hash).toBe(prev);
      const hash = new Bun.CryptoHasher("sha256").update(`${prev}${row.seq}\n${row.body}`).digest("hex");
      expect(row.hash).toBe(hash);
      prev = hash;
    }
    await store.audit.flush();
    const report = {
      ok: true,
      records: 3,
      first_seq: 1,
      last_seq: 3,
      head: prev,
      checkpoints: 2,
      chained_from: 1,
      faults: [],
    };
    expect(await store.audit.verify()).toEqual(report);
  });

  it("verifies an empty log", async (store) => {
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: 0, head: null });
    await store.audit.flush();
    expect(await store.audit.verify()).toMatchObject({ ok: true, checkpoints: 0 });
  });

  it("refuses what is not one line of JSON", async (store) => {
    for (const bad of [`${someRecord()}\n${someRecord()}`, "{ not json", "{}", someRecord().replace('"final"', "7")]) {
      expect(await failure(store.audit.append(bad))).toBeInstanceOf(Error);
    }
    const good = someRecord();
    await store.audit.append(good);
    expect(await bodies(store)).toEqual([good]);
  });

  it("reads across months, in order, within bounds", async (store) => {
    const months = [JUNE, JULY, AUGUST].flatMap((start) => [0, 1, 2].map((n) => someRecord({ at: start + n })));
    for (const body of months) await store.audit.append(body);
    expect(await collect(store.audit.read({}))).toEqual(months);
    expect(await collect(store.audit.read({ since: JUNE + 1, until: AUGUST + 1 }))).toEqual(months.slice(1, 7));
    expect(await collect(store.audit.read({ until: JUNE }))).toEqual([]);
    expect((await store.audit.tail(4)).map((row) => row.body)).toEqual(months.slice(-4).reverse());
    expect(await store.audit.tail(0)).toEqual([]);
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: 9 });
  });

  it("reads more than one chunk", async (store) => {
    const many = Array.from({ length: 1_234 }, (_, n) => someRecord({ at: JUNE + n }));
    await Promise.all(many.map((body) => store.audit.append(body)));
    expect(await collect(store.audit.read({ since: JUNE + 1 }))).toEqual(many.slice(1));
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: 1_234 });
  });

  it("knows the calls that were let through and never ended, months later too", async (store) => {
    const begun = [JUNE, JULY, AUGUST].map((at, n) => someRecord({ call: `c${n}`, phase: "request", at }));
    for (const body of begun) await store.audit.append(body);
    expect(await store.audit.openCalls()).toEqual(begun);
    await store.audit.append(someRecord({ call: "c0", at: AUGUST + 1 }));
    expect(await store.audit.openCalls()).toEqual(begun.slice(1));
    expect(await store.audit.verify()).toMatchObject({ ok: true });
  });

  it("drops whole months, and what is left still verifies", async (store) => {
    const all = [JUNE, JULY, AUGUST].flatMap((at) => [
      someRecord({ at, phase: "request" }),
      someRecord({ at: at + 1 }),
    ]);
    for (const body of all) await store.audit.append(body);
    await store.audit.flush();
    const told = new Map<string, string>();
    const recordOf = (months: readonly string[]) => {
      const record = someRecord({ at: AUGUST + 2 });
      told.set(months.join(), record);
      return record;
    };
    expect(await store.audit.dropBefore(JUNE, recordOf)).toEqual([]);
    expect(await store.audit.dropBefore(JUNE + 1, recordOf)).toEqual([]);
    expect(told.size).toBe(0);
    expect(await store.audit.dropBefore(JULY, recordOf)).toEqual(["audit_2026_06"]);
    expect(await bodies(store)).toEqual([...all.slice(2), told.get("audit_2026_06") ?? "none"]);
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: 5, first_seq: 3, last_seq: 7 });
    expect(await store.audit.openCalls()).toHaveLength(2);
    // The month being written stays, whatever its age.
    expect(await store.audit.dropBefore(AUGUST * 2, recordOf)).toEqual(["audit_2026_07"]);
    await store.audit.append(someRecord({ at: AUGUST + 5 }));
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: 5, first_seq: 5, last_seq: 9 });
    expect(await collect(store.audit.read({}))).toHaveLength(5);
  });

  it("puts a record that comes late for its month into the month being written", async (store) => {
    const late = [someRecord({ at: JULY }), someRecord({ at: JUNE }), someRecord({ at: JULY + 1 })];
    for (const body of late) await store.audit.append(body);
    expect(await collect(store.audit.read({}))).toEqual(late);
    expect(await collect(store.audit.read({ since: JUNE, until: JULY }))).toEqual(late.slice(1, 2));
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: 3 });
  });

  it("resolves every promise of many at once, and each record is there", async (store) => {
    const many = Array.from({ length: 5_000 }, () => someRecord());
    await Promise.all(many.map((body) => store.audit.append(body)));
    expect(await collect(store.audit.read({}))).toEqual(many);
  });
};
