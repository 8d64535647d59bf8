import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#platform/clock";
import { openDataDirectory } from "#platform/data-directory";
import { makeBackup } from "#store/sqlite/backup-make";
import { beside } from "#test/support/database";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { Browser } from "./browser";
import { ChatWorld } from "./chat-world";

/** Of another hub: its key is not here. */
const SIGNING = { keyId: "elsewhere", key: "ab".repeat(32) };

setDefaultTimeout(120_000);

const ADA = "ada@example.com";
const BOB = "bob@example.com";

const made = async (hub: Hub, ...flags: readonly string[]) => {
  const { code, stderr, json } = await hub.cli("backup", "create", ...flags);
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  return { ...Object(json()), said: stderr };
};

const emails = async (hub: Hub): Promise<string[]> =>
  Object((await hub.cli("user", "list")).json()).map(({ email }: { email: string }) => email);

/** What a session's owner gets at an address of `/api`. */
const asks = (hub: Hub, key: string) => async (method: string, path: string, json?: unknown) => {
  const answer = await hub.fetch(`/api${path}`, { method, token: key, ...(json === undefined ? {} : { json }) });
  return { status: answer.status, json: Object(await answer.json()) };
};

const sessionOf = async (hub: Hub, email: string): Promise<string> =>
  Object((await hub.cli("session", "create", email)).json()).key;

/** Waits for the end of what was begun. */
const ended = async (hub: Hub, key: string) => {
  const ask = asks(hub, key);
  for (const deadline = performance.now() + 60_000; ; await Bun.sleep(25)) {
    const { json } = await ask("GET", "/backups");
    if (json.task !== null && json.task.state !== "running") return json;
    if (performance.now() > deadline) throw new Error("the task did not end");
  }
};

test("beside calls that go on: made, listed, checked; put back with the hub stopped; and the old data is kept", async () => {
  verifies("backup.beside", "backup.parts", "backup.restore");
  await using world = await ChatWorld.open({ processes: "all" });
  const { hub } = world;
  let going = true;
  const statuses = new Set<number>();
  const caller = (async () => {
    while (going) {
      const response = await world.ask("Hello");
      await response.body?.cancel();
      statuses.add(response.status);
    }
  })();
  const backup = await made(hub);
  going = false;
  await caller;
  expect([...statuses]).toEqual([200]);
  expect(backup.said).toContain("The master key is NOT in the backup");
  expect(backup.said).toContain("contains the signing key of the audit log");
  expect(backup).toMatchObject({ master_key_included: false, audit_key_included: true, made_by: "command" });
  expect(backup.master_key_ids).toHaveLength(1);
  expect((statSync(backup.file).mode & 0o777).toString(8)).toBe("600");
  expect(new Bun.CryptoHasher("sha256").update(readFileSync(backup.file)).digest("hex")).toBe(backup.sha256);
  const masterKey = readFileSync(join(hub.dataDir, "master.key"), "utf8").trim();
  expect(readFileSync(backup.file).includes(masterKey)).toBe(false);
  expect(Object((await hub.cli("backup", "list")).json())).toMatchObject([{ name: backup.name, bytes: backup.bytes }]);
  const check = await hub.cli("backup", "verify", backup.file);
  expect([check.code, Object(check.json()).ok, Object(check.json()).records]).toEqual([0, true, backup.audit.seq]);
  expect((await hub.cli("backup", "create", "--to", backup.file)).code).toBe(2);

  await hub.createUser(BOB);
  const running = await hub.cli("restore", backup.file);
  expect(running.code).toBe(5);
  const rehearsed = await hub.cli("restore", "--dry-run", backup.name);
  expect([rehearsed.code, Object(rehearsed.json())]).toMatchObject([0, { dry_run: true, is_running: true }]);
  expect(await emails(hub)).toContain(BOB);

  await hub.kill("SIGTERM");
  const restored = await hub.cli("restore", backup.file);
  expect(restored.code).toBe(0);
  const { aside } = Object(restored.json());
  expect(await emails(hub)).not.toContain(BOB);
  const inOld = new Database(join(aside, "guardhouse.db"), { readonly: true });
  expect(inOld.query('SELECT count(*) AS n FROM "user" WHERE email = ?').get(BOB)).toEqual({ n: 1 });
  inOld.close();
  const kinds = Object((await hub.cli("audit", "tail", "-n", "1")).json());
  expect(kinds[0]).toMatchObject({ kind: "backup.restore", seq: backup.audit.seq + 1 });
  await hub.start();
  expect((await world.ask("Hello again")).status).toBe(200);
  expect((await hub.cli("audit", "verify")).code).toBe(0);
  expect((await hub.cli("doctor")).stdout).toContain("the newest here is less than an hour old");
});

test("restore revives later revocations and lists them; --revoke-sessions ends sessions", async () => {
  verifies("backup.revoked");
  await using hub = await Hub.create({ processes: "all" });
  await hub.createUser(ADA, "--role", "admin");
  const { id, token, display } = await hub.createToken(ADA);
  const key = await sessionOf(hub, ADA);
  const { file } = await made(hub);
  expect((await hub.cli("token", "revoke", id)).code).toBe(0);
  const plainly = await hub.cli("restore", file);
  expect(plainly.stderr).toContain("VALID AGAIN");
  expect(plainly.stderr).toContain(display);
  expect(Object(plainly.json())).toMatchObject({
    good: { sessions: 1, tokens: 1, tokens_revoked_since: [display] },
    revoked_sessions: false,
  });
  await hub.start();
  expect((await hub.fetch("/v1/models", { token })).status).toBe(200);
  expect((await hub.fetch("/api/me", { token: key })).status).toBe(200);
  await hub.kill("SIGTERM");
  const ending = await hub.cli("restore", "--revoke-sessions", file);
  expect(Object(ending.json())).toMatchObject({ revoked_sessions: true, good: { tokens_revoked_since: [] } });
  await hub.start();
  expect((await hub.fetch("/api/me", { token: key })).status).toBe(401);
  expect((await hub.cli("audit", "verify")).code).toBe(0);
});

test("a damaged backup ends with 8, one of a newer program with 4, none with 9, and nothing is changed", async () => {
  verifies("backup.verify", "backup.restore");
  await using hub = await Hub.create({ processes: "all" });
  await hub.createUser(ADA);
  const { file } = await made(hub);
  const damaged = `${file}.damaged`;
  const bytes = readFileSync(file);
  bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
  writeFileSync(damaged, bytes);
  for (const command of [["backup", "verify"], ["restore"], ["restore", "--dry-run"]]) {
    expect([command, (await hub.cli(...command, damaged)).code]).toEqual([command, 8]);
    expect([command, (await hub.cli(...command, `${file}.none`)).code]).toEqual([command, 9]);
  }
  const newer = `${file}.newer`;
  const order = { target: newer, madeBy: "command", version: "9.9.9", now: systemClock(), signing: SIGNING } as const;
  beside(hub, (db) => {
    const { user_version } = Object(db.query("PRAGMA user_version").get());
    db.run("PRAGMA user_version = 9999");
    makeBackup(openDataDirectory(hub.dataDir), order);
    db.run(`PRAGMA user_version = ${user_version}`);
  });
  for (const command of [["backup", "verify"], ["restore"], ["restore", "--dry-run"]]) {
    expect([command, (await hub.cli(...command, newer)).code]).toEqual([command, 4]);
  }
  expect(await emails(hub)).toEqual([ADA]);
  expect(readdirSync(hub.dataDir).filter((name) => /before-restore|staging|pending/.test(name))).toEqual([]);
});

test("on a new machine it asks for the master key before it changes anything", async () => {
  verifies("backup.parts", "backup.restore");
  await using world = await ChatWorld.open({ processes: "all" });
  const { file } = await made(world.hub);
  await using other = await Hub.create({ processes: "all" });
  const without = await other.cli("restore", file);
  expect(without.code).toBe(8);
  expect(without.stderr).toContain("master key");
  expect(existsSync(join(other.dataDir, "guardhouse.db"))).toBe(false);
  const masterKey = await Bun.file(join(world.hub.dataDir, "master.key")).text();
  writeFileSync(join(other.dataDir, "master.key"), masterKey, { mode: 0o600 });
  expect((await other.cli("restore", file)).code).toBe(0);
  expect((await other.cli("audit", "verify")).code).toBe(0);
  await other.start();
  expect((await other.fetch("/v1/models", { token: world.token })).status).toBe(200);
});

test("killed at any moment it leaves the old data or the new, whole, and can be done again", async () => {
  verifies("backup.crash");
  await using hub = await Hub.create({ processes: "all" });
  await hub.createUser(ADA);
  const { file } = await made(hub, "--to", join(hub.dataDir, "..", "kept.tar"));
  const began = performance.now();
  expect((await hub.cli("restore", file)).code).toBe(0);
  const wholeMs = performance.now() - began;
  const seen = new Set<string>();
  for (let round = 0; round < 16; round += 1) {
    await hub.cli("user", "create", BOB);
    const child = hub.begin("restore", file);
    await Bun.sleep(wholeMs * (0.3 + (0.8 * round) / 15));
    child.kill("SIGKILL");
    await child.exited;
    const found = await emails(hub);
    expect([[ADA], [ADA, BOB]]).toContainEqual(found.sort());
    expect((await hub.cli("audit", "verify")).code).toBe(0);
    seen.add(found.join());
  }
  expect(seen.size).toBeGreaterThan(0);
  expect((await hub.cli("restore", file)).code).toBe(0);
  expect(await emails(hub)).toEqual([ADA]);
});

test("administrators alone, at /api/backups: made, checked, taken away whole, removed by name, all on record", async () => {
  verifies("backup.api");
  await using hub = await Hub.create({ processes: "all" });
  await hub.createUser(ADA, "--role", "admin");
  await hub.createUser(BOB, "--role", "auditor");
  const [key, other] = [await sessionOf(hub, ADA), await sessionOf(hub, BOB)];
  await hub.start();
  const ask = asks(hub, key);
  expect((await ask("GET", "/backups")).json).toMatchObject({ data: [], task: null, schedule: { every_hours: 0 } });
  const begun = await ask("POST", "/backups");
  expect(begun).toMatchObject({ status: 202, json: { kind: "create", state: "running", by: ADA } });
  const { data, task } = await ended(hub, key);
  expect(task).toMatchObject({ id: begun.json.id, state: "ok", problems: [] });
  expect(data).toMatchObject([{ name: task.name, made_by: "person", has_keys: true, checked: null }]);
  const path = `/backups/${task.name}`;

  expect((await ask("POST", `${path}/verify`)).status).toBe(202);
  expect((await ended(hub, key)).data[0].checked).toMatchObject({ ok: true, problems: [] });

  const download = await hub.fetch(`/api${path}`, { token: key });
  expect(download.headers.get("content-type")).toBe("application/x-tar");
  const bytes = Buffer.from(await download.arrayBuffer());
  const file = join(hub.dataDir, "backups", task.name);
  expect(bytes.equals(readFileSync(file))).toBe(true);

  for (const [method, at] of [
    ["GET", "/backups"],
    ["POST", "/backups"],
    ["GET", path],
    ["POST", `${path}/verify`],
    ["DELETE", path],
  ] as const) {
    const denied = await asks(hub, other)(method, at, method === "DELETE" ? { name: task.name } : undefined);
    expect([method, at, denied.status]).toEqual([method, at, 403]);
  }
  // Of what lies elsewhere, or is a link to it, nothing comes out.
  const linked = "guardhouse-20200101T000000Z-0000.tar";
  symlinkSync(join(hub.dataDir, "master.key"), join(hub.dataDir, "backups", linked));
  mkdirSync(join(hub.dataDir, "backups", "guardhouse-20200101T000000Z-0001.tar"));
  for (const name of [
    linked,
    "guardhouse-20200101T000000Z-0001.tar",
    "..%2Fmaster.key",
    "%2e%2e%2fguardhouse.db",
    `x%2F..%2F${task.name}`,
    `${task.name}%00`,
    "%",
  ]) {
    const answer = await fetch(`${hub.url}/api/backups/${name}`, { headers: { authorization: `Bearer ${key}` } });
    expect([name, answer.headers.get("content-type")]).not.toEqual([name, "application/x-tar"]);
    expect([name, answer.ok]).toEqual([name, false]);
  }
  await rm(join(hub.dataDir, "backups", linked));

  expect((await ask("DELETE", path, { name: "another" })).status).toBe(400);
  expect(existsSync(file)).toBe(true);
  expect((await ask("DELETE", path, { name: task.name })).json).toEqual({ name: task.name, deleted: true });
  expect(existsSync(file)).toBe(false);
  expect((await ask("DELETE", path, { name: task.name })).status).toBe(404);

  const tail: { kind: string; change?: { subject_id: string } }[] = Object(
    (await hub.cli("audit", "tail", "-n", "20")).json(),
  );
  const acts = tail.filter(({ change }) => change?.subject_id === task.name).map(({ kind }) => kind);
  expect(acts.reverse()).toEqual(["backup.create", "backup.verify", "backup.download", "backup.delete"]);
});

test("a session that is not fresh takes none away", async () => {
  verifies("backup.api");
  const password = "correct horse battery 9";
  const env = { GUARDHOUSE_ADMIN_EMAIL: ADA, GUARDHOUSE_ADMIN_PASSWORD: password };
  await using hub = await Hub.started({ processes: "all", env });
  const { name } = await made(hub);
  const browser = new Browser(hub);
  await browser.signIn(ADA, password);
  expect((await browser.send(`/api/backups/${name}`)).status).toBe(200);
  beside(hub, (db) =>
    db.run("UPDATE auth_session SET confirmed_at = confirmed_at - 660000, created_at = created_at - 660000"),
  );
  expect((await browser.send("/api/backups")).status).toBe(200);
  expect((await browser.send(`/api/backups/${name}`)).status).toBe(403);
});

test("by themselves when told to; more of those than are kept go, and others never", async () => {
  verifies("backup.schedule");
  await using hub = await Hub.create({
    processes: "all",
    env: { GUARDHOUSE_BACKUPS__EVERY_HOURS: "1", GUARDHOUSE_BACKUPS__KEEP: "2" },
  });
  await hub.createUser(ADA, "--role", "admin");
  const key = await sessionOf(hub, ADA);
  expect((await hub.cli("doctor")).stdout).toContain("none in the data directory");
  const own = await made(hub);
  // Three that were made by themselves long ago.
  const { backups } = openDataDirectory(hub.dataDir);
  const old = [1, 2, 3].map((day) => join(backups, `guardhouse-2026010${day}T000000Z-000${day}.tar`));
  for (const [index, target] of old.entries()) {
    const now = Date.UTC(2026, 0, index + 1);
    makeBackup(openDataDirectory(hub.dataDir), { target, madeBy: "schedule", version: "test", now, signing: SIGNING });
  }
  await hub.start();
  const { task } = await ended(hub, key);
  expect(task).toMatchObject({ kind: "create", state: "ok", by: null });
  for (
    const deadline = performance.now() + 60_000;
    old.slice(0, 2).some((one) => existsSync(one));
    await Bun.sleep(20)
  ) {
    if (performance.now() > deadline) throw new Error("nothing was thinned out");
  }
  const { json } = await asks(hub, key)("GET", "/backups");
  const names = json.data.map(({ name }: { name: string }) => name);
  expect(names.sort()).toEqual([own.name, task.name, old[2]?.split("/").at(-1)].sort());
  expect(Date.parse(json.schedule.next_at)).toBeGreaterThan(Date.now() + 3_500_000);
  // Begun anew it makes none: the last one is young.
  await hub.restart();
  expect((await asks(hub, key)("GET", "/backups")).json).toMatchObject({ task: null, data: { length: 3 } });
});

test("where a backup goes: a folder that is there, a file in one, and a clear word where neither is", async () => {
  verifies("backup.target");
  await using hub = await Hub.create({ processes: "all" });
  await hub.createUser(ADA);
  const folder = join(hub.dataDir, "elsewhere");
  const to = (target: string) => hub.cli("backup", "create", "--to", target);
  for (const target of [folder, `${folder}/`, join(folder, "today.tar"), join(hub.dataDir, "guardhouse.db", "x.tar")]) {
    const { code, stderr } = await to(target);
    expect([target, code]).toEqual([target, 9]);
    expect(stderr).toContain("No folder");
    expect(stderr).not.toContain("ENOTDIR");
    expect(existsSync(folder)).toBe(false);
  }
  mkdirSync(folder);
  expect((await made(hub, "--to", folder)).file).toStartWith(join(folder, "guardhouse-"));
  expect((await made(hub, "--to", join(folder, "today.tar"))).file).toBe(join(folder, "today.tar"));
});

test("a check says whether it could ask who made the backup: with its key, after a rotation, and elsewhere", async () => {
  verifies("backup.origin");
  await using hub = await Hub.create({ processes: "all" });
  await hub.createUser(ADA);
  const { file } = await made(hub);
  const { masterKey } = openDataDirectory(hub.dataDir);
  const old = readFileSync(masterKey, "utf8").trim();
  const check = async (env: Record<string, string> = {}) => {
    const { code, json } = await hub.cliWith({ env }, "backup", "verify", file);
    return [code, Object(json()).origin];
  };
  expect(await check()).toEqual([0, "verified"]);
  expect((await hub.cli("keys", "rotate")).code).toBe(0);
  expect(await check()).toEqual([0, "not_checked"]);
  expect(await check({ GUARDHOUSE_MASTER_KEY: old })).toEqual([0, "verified"]);
  const restored = await hub.cli("restore", file);
  expect(restored.code).toBe(8);
  expect(restored.stderr).toContain("master key");
});
