import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openDataDirectory } from "#platform/data-directory";
import type { ProviderRow } from "#store/port";
import { Agents } from "#store/repositories/agents";
import { Content } from "#store/repositories/content";
import { Policies } from "#store/repositories/policies";
import { Profiles } from "#store/repositories/profiles";
import { Reviews } from "#store/repositories/reviews";
import { AuditChain } from "#store/sqlite/audit-chain";
import { Connection } from "#store/sqlite/connection";
import { openDatabase, userVersion } from "#store/sqlite/database";
import { SqliteDb } from "#store/sqlite/db";
import { NewerDatabase, openSqliteStore } from "#store/sqlite/index";
import { migrate } from "#store/sqlite/migrate";
import { MIGRATIONS } from "#store/sqlite/migrations/index";
import { ANN, BOT, failure, OPENAI, TOKEN } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { DRAFT, KEPT, profileOf } from "#test/store/governed";
import { JOB, REPORT, STRICTER } from "#test/store/looped";
import { someRecord } from "#test/store/records";
import { approved, FILES, someTool } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

const open = (place: Place): Database =>
  openDatabase(place.database, { durability: "normal", autocheckpoint: 1_000, cacheKib: 1_024 });

test("a new database is brought to the newest version, without a backup", async () => {
  await using place = new Place();
  const store = await place.open();
  expect(store.backup).toBeNull();
  const db = open(place);
  expect(userVersion(db)).toBe(MIGRATIONS.length);
  expect(db.query("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
  expect(db.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  db.close();
  expect(existsSync(join(place.path, "backups"))).toBe(false);
});

test("a database of a later version is refused and left alone", async () => {
  await using place = new Place();
  await (await place.open()).close();
  const db = new Database(place.database);
  db.run("PRAGMA user_version = 99");
  db.close();
  const refused = await failure(openSqliteStore({ dataDir: place.path, writer: "inline" }));
  expect(refused).toBeInstanceOf(NewerDatabase);
  expect(refused).toMatchObject({ found: 99, known: MIGRATIONS.length });
});

test("a database that holds data is copied before it is changed", async () => {
  await using place = new Place();
  const store = await place.open();
  await store.audit.append(someRecord());
  await store.close();
  const db = open(place);
  const backups = join(place.path, "backups");
  const steps = [...MIGRATIONS, "CREATE TABLE later (x INTEGER) STRICT"];
  const backup = migrate(db, steps, { backups, now: 0 });
  expect(userVersion(db)).toBe(steps.length);
  expect(migrate(db, steps, { backups, now: 0 })).toBeNull();
  db.close();
  const files = readdirSync(backups).map((name) => join(backups, name));
  expect(files).toEqual([backup ?? "none"]);
  for (const file of files) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const copy = new Database(file, { readonly: true });
    expect(userVersion(copy)).toBe(MIGRATIONS.length);
    expect(copy.query("SELECT count(*) AS n FROM audit_2026_11").get()).toEqual({ n: 1 });
    copy.close();
  }
});

test("a step that fails leaves the version and the tables as they were", async () => {
  await using place = new Place();
  await place.open();
  const db = open(place);
  const steps = [...MIGRATIONS, "CREATE TABLE half (x INTEGER); CREATE TABLE half (x INTEGER)"];
  expect(() => migrate(db, steps, { backups: join(place.path, "backups"), now: 0 })).toThrow();
  expect(userVersion(db)).toBe(MIGRATIONS.length);
  expect(db.query("SELECT 1 FROM sqlite_master WHERE name = 'half'").get()).toBeNull();
  db.close();
});

test("processes that open a new directory at once all succeed", async () => {
  await using place = new Place();
  const script = join(import.meta.dir, "children", "open.ts");
  const children = Array.from({ length: 6 }, () =>
    Bun.spawn([process.execPath, script, place.path], { stderr: "pipe" }),
  );
  const errors = await Promise.all(children.map((child) => new Response(child.stderr).text()));
  expect(errors.join("")).toBe("");
  expect(await Promise.all(children.map((child) => child.exited))).toEqual(children.map(() => 0));
  const store = await place.open();
  expect(await store.audit.verify()).toMatchObject({ ok: true, records: 6 });
}, 120_000);

/** Of those releases nothing signs here; today's checkpoints are of another form. */
const UNSIGNED = { begin: () => undefined, after: () => undefined };

/** Today's stores write a table that earlier releases had not: here it is this connection's own, and gone with it. */
const withoutOutbox = (db: Database): void => void db.run("CREATE TEMP TABLE outbox (seq INTEGER, record TEXT)");

/** A database as the first release left it, with a row of each kind. */
const firstRelease = async (place: Place): Promise<void> => {
  const directory = openDataDirectory(place.path);
  const db = open(place);
  migrate(db, MIGRATIONS.slice(0, 1), { backups: directory.backups, now: 0 });
  withoutOutbox(db);
  const connection = new Connection(db, new AuditChain(db, UNSIGNED));
  connection.change("all", someRecord(), (changed) => {
    const columns = "id, email, email_key, name, role, password_hash, created_at, changed";
    const values = `'u1', 'Ann@Example.com', 'ann@example.com', 'Ann', 'admin', 'password', 1, ${changed}`;
    db.run(`INSERT INTO user (${columns}) VALUES (${values})`);
    return true;
  });
  connection.change("all", someRecord(), (changed) => {
    const columns = "id, name, owner_id, review_status, lifecycle, created_at, changed";
    db.run(`INSERT INTO agent (${columns}) VALUES ('a1', 'bot', 'u1', 'draft', 'active', 3, ${changed})`);
    return true;
  });
  connection.change("all", someRecord(), (changed) => {
    const { id, hash, display, name, user_id, agent_id, state, expires_at, created_at } = TOKEN;
    const columns = "id, hash, display, name, user_id, agent_id, state, expires_at, created_at, changed";
    const values = [id, hash, display, name, user_id, agent_id, state, expires_at, created_at, changed];
    db.query(`INSERT INTO token (${columns}) VALUES (${values.map(() => "?")})`).run(...values);
    return true;
  });
  connection.change("providers", someRecord(), (changed) => {
    const { id, name, base_url, models, sealed_key, priority, created_at } = OPENAI;
    const columns = "id, name, base_url, models, sealed_key, priority, created_at, changed";
    const values = [id, name, base_url, JSON.stringify(models), sealed_key, priority, created_at, changed];
    db.query(`INSERT INTO provider (${columns}) VALUES (${values.map(() => "?")})`).run(...values);
    return true;
  });
  await new Policies(new SqliteDb(connection, Date.now)).append(0, "{}", 7, someRecord());
  db.close();
};

/** A database as the second release left it: with tools, but agents that nothing governed. */
const secondRelease = async (place: Place): Promise<void> => {
  await firstRelease(place);
  const directory = openDataDirectory(place.path);
  const db = open(place);
  migrate(db, MIGRATIONS.slice(0, 2), { backups: directory.backups, now: 0 });
  withoutOutbox(db);
  const connection = new Connection(db, new AuditChain(db, UNSIGNED));
  connection.change("tools", someRecord(), () => {
    const { sealed_credentials, credential_version, call_ms, list_ms, created_at } = FILES;
    const { id, owner_id, slug, transport, url, given_by, active, credential_kind } = FILES;
    const columns = `id, owner_id, slug, transport, url, command, given_by, active, credential_kind,
      sealed_credentials, credential_version, call_ms, list_ms, created_at`;
    const about = [id, owner_id, slug, transport, url, JSON.stringify(FILES.command), given_by, active];
    const more = [credential_kind, sealed_credentials, credential_version, call_ms, list_ms, created_at];
    const values = [...about, ...more];
    db.query(`INSERT INTO tool_server (${columns}) VALUES (${values.map(() => "?")})`).run(...values);
    return true;
  });
  connection.change("tools", someRecord(), () => {
    const { server_id, tool, name, seen, seen_hash, flags, refused, seen_at } = someTool("read");
    const columns = "server_id, tool, name, seen, seen_hash, pinned, pinned_hash, flags, refused, present, seen_at";
    const about = [server_id, tool, name, seen, seen_hash, seen, seen_hash];
    const values = [...about, JSON.stringify(flags), refused, true, seen_at];
    db.query(`INSERT INTO tool_pin (${columns}) VALUES (${values.map(() => "?")})`).run(...values);
    return true;
  });
  connection.change("tools", someRecord(), () => {
    db.run(`INSERT INTO tool_assignment (agent_id, server_id, tools) VALUES ('a1', 's1', '["read"]')`);
    return true;
  });
  db.close();
};

test("a database of the second release keeps its agents with their tools, and they can be governed", async () => {
  verifies("agents.older-database");
  await using place = new Place();
  await secondRelease(place);
  const store = await place.open();
  expect(store.backup).toContain("before-v3-");
  const tools = {
    servers: [FILES],
    pins: [{ ...approved(someTool("read")), lacks_meta: true }],
    assignments: [{ agent_id: "a1", server_id: "s1", tools: ["read"], resources: [], prompts: [] }],
  };
  const held = { users: [ANN], agents: [BOT], tokens: [TOKEN], tools, profiles: [], restrictions: [] };
  expect(await store.changes.changesSince(0)).toMatchObject({ revision: 8, ...held, kill_switches: [] });
  expect(await store.reviews.create(DRAFT, {}, someRecord())).toBe(true);
  const published = { profile: profileOf(1, { approved_by: ["u1"] }), agent: { profile_version: 1 } };
  expect(await store.profiles.publish("a1", published, someRecord())).toBe(true);
  const governed = { agents: [{ ...BOT, profile_version: 1 }], profiles: [published.profile], tools: null };
  expect(await store.changes.changesSince(8)).toMatchObject({ revision: 10, ...governed });
  expect(await store.audit.verify()).toMatchObject({ ok: true, records: 10 });
  const db = open(place);
  expect(db.query("PRAGMA foreign_key_check").all()).toEqual([]);
  expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  db.close();
});

/** A database as the third release left it: with agents under review, and nobody who could complain. */
const thirdRelease = async (place: Place): Promise<void> => {
  await secondRelease(place);
  const directory = openDataDirectory(place.path);
  const db = open(place);
  migrate(db, MIGRATIONS.slice(0, 3), { backups: directory.backups, now: 0 });
  const connection = new Connection(db, new AuditChain(db, UNSIGNED));
  withoutOutbox(db);
  const store = new SqliteDb(connection, Date.now);
  const agents = new Agents(store);
  const reviews = new Reviews(store, agents, new Profiles(store, agents));
  await reviews.create(DRAFT, {}, someRecord());
  await new Content(store).keep([KEPT]);
  db.close();
};

test("a database of the third release keeps all it held, and takes reports and rules", async () => {
  verifies("loop.older-database");
  await using place = new Place();
  await thirdRelease(place);
  const store = await place.open();
  expect(store.backup).toContain("before-v4-");
  const held = { revision: 9, users: [ANN], agents: [BOT], tokens: [TOKEN], tuning: [], policy: { revision: 1 } };
  expect(await store.changes.changesSince(0)).toMatchObject(held);
  expect(await store.reviews.byId("r1")).toEqual(DRAFT);
  expect(await store.content.ofEvent("e1")).toEqual([KEPT]);
  expect(await store.changes.changesSince(9)).toMatchObject({ users: [], tuning: [], policy: null });
  expect(await store.reports.open(REPORT, { most: 5, since: 0 }, JOB, someRecord())).toMatchObject({ kind: "created" });
  const rule = { ...STRICTER, revision: 2 };
  expect(await store.tuning.apply(STRICTER, null, 1, () => someRecord())).toEqual(rule);
  expect(await store.changes.changesSince(9)).toMatchObject({ revision: 11, tuning: [rule], policy: { revision: 2 } });
  expect(await store.audit.verify()).toMatchObject({ ok: true, records: 11 });
  const db = open(place);
  expect(db.query("PRAGMA foreign_key_check").all()).toEqual([]);
  expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  db.close();
});

test("a database of the first release keeps all it held, and takes tools", async () => {
  await using place = new Place();
  await firstRelease(place);
  const store = await place.open();
  expect(store.backup).toContain("before-v2-");
  const noTools = { servers: [], changed: new Set<string>(), pins: [], assignments: [] };
  const people = { users: [ANN], agents: [BOT], tokens: [TOKEN], sessions: [] };
  const ungoverned = {
    profiles: [],
    restrictions: [],
    kill_switches: [],
    tuning: [],
    policy: { revision: 1, source: "{}", created_at: 7 },
    prices: [],
    budgets: [],
    hook_sources: [],
  };
  const held = { ...people, ...ungoverned, revision: 5, providers: [OPENAI], tools: noTools };
  expect(await store.changes.changesSince(0)).toEqual(held);
  expect(await store.signIn.passwordHash("u1")).toBe("password");
  expect(await store.users.update("u1", { state: "disabled" }, someRecord())).toBe("last_admin");
  expect(await store.policies.latest()).toEqual({ revision: 1, source: "{}", created_at: 7 });
  expect(await store.audit.verify()).toMatchObject({ ok: true, records: 5 });
  // A process that had taken it in at the first release learns of nothing, and then of the first tool server.
  expect(await store.changes.changesSince(5)).toMatchObject({ users: [], providers: null, tools: null });
  expect(await store.tools.add(FILES, someRecord())).toBe("done");
  const added = { users: [], providers: null, tools: { ...noTools, servers: [FILES] } };
  expect(await store.changes.changesSince(5)).toMatchObject({ revision: 6, ...added });
  const db = open(place);
  expect(db.query("PRAGMA foreign_key_check").all()).toEqual([]);
  expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  db.close();
});

test("providers of the release before kinds are asked as they were, by what is compatible with OpenAI", async () => {
  verifies("provider.kinds");
  await using place = new Place();
  const directory = openDataDirectory(place.path);
  const before = open(place);
  migrate(before, MIGRATIONS.slice(0, 24), { backups: directory.backups, now: 0 });
  const columns = "id, name, base_url, models, sealed_key, priority, created_at, changed, given_by";
  before.run(
    `INSERT INTO provider (${columns}) VALUES ('p1', 'mine', 'https://api.example/v1', '["gpt-*"]', 'v1.x.y.z', 7, 5, 1, 'user')`,
  );
  before.close();
  const store = await place.open();
  const mine = { ...OPENAI, name: "mine", models: ["gpt-*"], priority: 7, given_by: "user" } as const;
  expect(await store.providers.list()).toEqual([mine]);
  const azure: ProviderRow = {
    ...{ ...mine, id: "p2", name: "azure", aliases: { "gpt-5": "my-gpt5" } },
    kind: "azure",
    apis: ["chat", "messages"],
    credential: { source: "entra", tenant_id: "t", client_id: "c" },
  };
  expect(await store.providers.add(azure, someRecord())).toBe("done");
  expect(await store.providers.list()).toEqual([azure, mine]);
});
