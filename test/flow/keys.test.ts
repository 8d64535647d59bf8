import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDataDirectory } from "#platform/data-directory";
import { MasterKeys, newMasterKey, parseMasterKey } from "#platform/master-keys";
import { keyIdOf } from "#platform/sealing";
import { SEALED_PLACES } from "#store/sealed-places";
import { openDatabase } from "#store/sqlite/database";
import { openSqliteStore } from "#store/sqlite/index";
import { migrate } from "#store/sqlite/migrate";
import { MIGRATIONS } from "#store/sqlite/migrations/index";
import { purposeAt, SealedRows } from "#test/store/sealed-rows";
import { FakeProvider, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { McpFixture } from "#test/support/mcp-fixture";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";
import { CARD } from "./content-world";
import { EVE, ToolWorld } from "./tools-world";

setDefaultTimeout(120_000);

const API_KEY = "sk-for-tests-only";
const HEADER = "header-for-tests-only";
const TOOL = "mail__test_simple_text";

let fixture: McpFixture;
let provider: FakeProvider;
beforeAll(async () => {
  fixture = McpFixture.start();
  provider = await FakeProvider.start();
  provider.always(says("Done."));
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const openHouse = (env: Readonly<Record<string, string>> = {}): Promise<ToolWorld> =>
  ToolWorld.open({
    processes: "all",
    env,
    before: async (hub) => {
      await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-*"], apiKey: API_KEY });
      await hub.addToolServer("mail", { owner: EVE, url: fixture.url, headers: `x-key: ${HEADER}\n` });
    },
  });

/** One call of a provider, of which something is kept sealed, and one of a tool; throws unless both are served. */
const work = async (world: ToolWorld): Promise<void> => {
  const json = { model: "fake-model", messages: [{ role: "user", content: `Pay with ${CARD}, please.` }] };
  const response = await world.hub.fetch("/v1/chat/completions", { token: world.token, json });
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`the provider's call was answered ${response.status}`);
  expect(provider.calls.at(-1)?.headers.get("authorization")).toBe(`Bearer ${API_KEY}`);
  expect(await world.call(TOOL)).not.toHaveProperty("isError", true);
};

/** The ids of the keys that something is encrypted with. */
const keysInUse = async (dataDir: string): Promise<string[]> => {
  const store = await openSqliteStore({ dataDir, writer: "inline" });
  try {
    return [...new Set((await store.sealed.census()).map(({ key_id }) => key_id))];
  } finally {
    await store.close();
  }
};

const keyIn = (dataDir: string): string => new MasterKeys(openDataDirectory(dataDir), null).idInForce() ?? "none";

test("beside a running hub: calls go on, everything is encrypted with the new key, and a restart needs nothing else", async () => {
  verifies("keys.beside", "keys.rotate", "keys.audit", "keys.hashes");
  await using world = await openHouse();
  const { hub } = world;
  await world.listed((names) => names.includes(TOOL));
  await work(world);
  const old = await Bun.file(join(hub.dataDir, "master.key")).text();
  const oldId = keyIn(hub.dataDir);
  let going = true;
  let calls = 0;
  const caller = async () => {
    while (going) {
      await work(world);
      calls += 1;
    }
  };
  const callers = Promise.all([caller(), caller(), caller()]);
  for (let round = 1; round <= 3; round++) {
    const begun = calls;
    const { code, stdout, complaints } = await hub.cli("keys", "rotate");
    expect({ code, complaints }).toEqual({ code: 0, complaints: "" });
    expect(JSON.parse(stdout)).toMatchObject({ to_key: keyIn(hub.dataDir), left: 0, todo: null });
    expect(await keysInUse(hub.dataDir)).toEqual([keyIn(hub.dataDir)]);
    const until = Math.max(begun, calls) + 3;
    while (calls < until) await Bun.sleep(5);
  }
  going = false;
  await callers;
  // What the hub has kept since is encrypted with the last key, too.
  await hub.restart();
  expect(await keysInUse(hub.dataDir)).toEqual([keyIn(hub.dataDir)]);
  await work(world);
  expect(keyIn(hub.dataDir)).not.toBe(oldId);
  expect(existsSync(join(hub.dataDir, "master.key.next"))).toBe(false);
  expect((await hub.cli("audit", "verify")).code).toBe(0);

  const tail = await hub.cli("audit", "tail", "-n", "10000");
  const changes = [...tail.stdout.matchAll(/"kind":"keys\.rotate"/g)];
  expect(changes).toHaveLength(6);
  const current = await Bun.file(join(hub.dataDir, "master.key")).text();
  await hub.kill("SIGTERM");
  for (const key of [old.trim(), current.trim()]) {
    expect(tail.stdout).not.toContain(key);
    expect(await hub.written()).not.toContain(key);
  }
  for (const failure of ["task.failed", "keep_failed"]) expect(await hub.written()).not.toContain(failure);
  const db = new Database(join(hub.dataDir, "guardhouse.db"), { readonly: true });
  const hashes = new Set([...tail.stdout.matchAll(/"hmac":"([0-9a-f]+)"/g)].map(([, hmac]) => hmac));
  db.close();
  expect(hashes.size).toBe(1);
});

/** How many values the last change has sealed anew, while it goes on; null when there is none. */
const progress = ({ db }: SealedRows): number | null =>
  db
    .query<{ replaced: number }, []>(
      "SELECT replaced FROM key_rotation WHERE ended_at IS NULL ORDER BY id DESC LIMIT 1",
    )
    .get()?.replaced ?? null;

/** Begins a change, or takes one up, and kills it when it has come so far. Whether it was still at work. */
const rotatedUntil = async (done: number, { dataDir }: Hub, rows: SealedRows): Promise<boolean> => {
  const child = Bun.spawn([...command(), "keys", "rotate", "--data-dir", dataDir], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdout: "ignore",
    stderr: "ignore",
  });
  while ((progress(rows) ?? -1) < done && child.exitCode === null) await Bun.sleep(1);
  await Bun.sleep(Math.random() * 4);
  child.kill("SIGKILL");
  await child.exited;
  return progress(rows) !== null;
};

test("killed at any moment and begun again, beside a hub or without: nothing is lost", async () => {
  verifies("keys.resume");
  await using world = await openHouse();
  const { hub } = world;
  await world.listed((names) => names.includes(TOOL));
  using rows = new SealedRows(join(hub.dataDir, "guardhouse.db"));
  const keys = new MasterKeys(openDataDirectory(hub.dataDir), null);
  const planted = SEALED_PLACES.filter(({ table }) => ["kept_content", "hold", "report"].includes(table)).flatMap(
    (place) => Array.from({ length: 1_000 }, (_, n) => ({ place, n, secrets: [`${n} ${"x".repeat(n)}`] })),
  );
  // At once for writing: the hub writes beside, and a transaction that begins by reading cannot wait for it.
  rows.db.run("BEGIN IMMEDIATE");
  for (const it of planted) rows.plant(it, () => keys.current());
  rows.db.run("COMMIT");
  const next = join(hub.dataDir, "master.key.next");

  let killed = 0;
  // On a busy machine a change may have ended before it is seen at work: until one was.
  for (let round = 0; round < 8 || (killed === 0 && round < 40); round++) {
    if (round === 4) await hub.kill("SIGTERM");
    if (await rotatedUntil(planted.length * Math.random() * 0.9, hub, rows)) killed += 1;
    const now = new MasterKeys(openDataDirectory(hub.dataDir), null);
    for (const it of planted) expect(now.unseal(purposeAt(it), rows.stored(it) ?? "")).toBe(it.secrets[0] ?? "");
    if (round < 4) await work(world);
  }
  expect(killed).toBeGreaterThan(0);
  expect((await hub.cli("keys", "rotate")).code).toBe(0);
  expect(existsSync(next)).toBe(false);
  expect(await keysInUse(hub.dataDir)).toEqual([keyIn(hub.dataDir)]);
  const begun = rows.db
    .query<{ open: number; records: number }, []>(
      "SELECT count(*) FILTER (WHERE ended_at IS NULL) AS open, count(*) + count(ended_at) AS records FROM key_rotation",
    )
    .get();
  expect(begun?.open).toBe(0);
  const tail = await hub.cli("audit", "tail", "-n", "10000");
  expect([...tail.stdout.matchAll(/"kind":"keys\.rotate"/g)]).toHaveLength(begun?.records ?? -1);
  await hub.start();
  await work(world);
});

describe("a key given from outside", () => {
  test("is handed in; the hub goes on with either, and needs the copy no more once it is started with the new one", async () => {
    verifies("keys.given", "keys.doctor");
    const home = await Hub.create({ processes: "all" });
    await using _ = home;
    const old = newMasterKey();
    const file = await home.writeFile(old);
    await using world = await openHouse({ GUARDHOUSE_MASTER_KEY_FILE: file });
    const { hub } = world;
    await world.listed((names) => names.includes(TOOL));
    const refused = await hub.cli("keys", "rotate");
    expect({ code: refused.code, how: refused.stderr.includes("--new-key-file FILE") }).toEqual({ code: 2, how: true });

    const next = newMasterKey();
    const nextFile = await home.writeFile(next);
    const done = await hub.cli("keys", "rotate", "--new-key-file", nextFile);
    expect({ code: done.code, complaints: done.complaints }).toEqual({ code: 0, complaints: "" });
    const nextId = keyIdOf(parseMasterKey(next, ""));
    expect(done.json()).toMatchObject({ to_key: nextId, todo: expect.stringContaining("restart") });
    await work(world);
    expect(await keysInUse(hub.dataDir)).toEqual([nextId]);
    expect((await hub.cli("doctor")).stdout).toContain("is not finished");
    // It falls over before the operator has changed anything.
    await hub.kill("SIGKILL");
    await hub.start();
    await work(world);
    const another = await hub.cli("keys", "rotate", "--new-key-file", await home.writeFile(newMasterKey()));
    expect({ code: another.code, names: another.stderr.includes(nextId) }).toEqual({ code: 1, names: true });

    writeFileSync(file, next);
    expect((await hub.cli("keys", "rotate", "--new-key-file", nextFile)).code).toBe(1);
    expect((await hub.cli("doctor")).stdout).toContain("restart the hub");
    await work(world);
    await hub.restart();
    expect(readdirSync(hub.dataDir).filter((name) => name.startsWith("master.key"))).toEqual([]);
    await work(world);
    expect(await keysInUse(hub.dataDir)).toEqual([nextId]);
    expect((await hub.cli("doctor")).code).toBe(0);
  });

  test("that is another one is named by its id: by the service, the doctor and the change, which begins nothing", async () => {
    verifies("keys.wrong-key", "keys.doctor");
    await using world = await openHouse();
    const { hub } = world;
    const right = keyIn(hub.dataDir);
    await hub.kill("SIGTERM");
    const env = { GUARDHOUSE_MASTER_KEY: newMasterKey().trim() };
    const given = keyIdOf(parseMasterKey(env.GUARDHOUSE_MASTER_KEY, ""));
    const doctor = await hub.cliWith({ env }, "doctor");
    expect({ code: doctor.code, names: doctor.stdout.includes(`provider.sealed_key encrypted with ${right}`) }).toEqual(
      {
        code: 1,
        names: true,
      },
    );
    const file = await hub.writeFile(newMasterKey());
    const refused = await hub.cliWith({ env }, "keys", "rotate", "--new-key-file", file);
    expect(refused.code).toBe(8);
    expect(refused.stderr).toContain(right);
    expect(existsSync(join(hub.dataDir, "master.key.next"))).toBe(false);
    const served = await hub.cliWith({ env }, "serve", "--listen", "127.0.0.1:0");
    expect(served.code).toBe(8);
    expect(served.stderr).toContain(`encrypted with the master key ${right}; the one available is ${given}`);

    // Whoever has lost the key enters the secrets anew.
    const left = await hub.cliWith({ env }, "keys", "rotate", "--new-key-file", file, "--leave-closed");
    expect(left.code).toBe(0);
  });
});

test("two key changes at once: the second is refused without waiting", async () => {
  verifies("keys.rotate");
  await using hub = await Hub.create({ processes: "all" });
  await hub.createUser(EVE);
  await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-*"], apiKey: API_KEY });
  const results = await Promise.all([1, 2, 3].map(() => hub.cli("keys", "rotate")));
  for (const { code } of results) expect([0, 5]).toContain(code);
  expect(results.map(({ code }) => code)).toContain(0);
  expect(await keysInUse(hub.dataDir)).toEqual([keyIn(hub.dataDir)]);
});

test("every file is its owner's alone, whatever the umask: the database's own, locks, notes of children and backups", async () => {
  verifies("keys.files", "keys.doctor");
  const umask = process.umask(0);
  try {
    await using hub = await Hub.create({ processes: "all" });
    const directory = openDataDirectory(hub.dataDir);
    const db = openDatabase(directory.database, { durability: "full", autocheckpoint: 0, cacheKib: 1_024 });
    migrate(db, MIGRATIONS.slice(0, -1), { backups: directory.backups, now: 0 });
    db.close();
    await hub.createUser(EVE);
    await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-*"], apiKey: API_KEY });
    const everything = join(import.meta.dir, "../support/mcp-fixture.ts");
    await hub.cli("tool-server", "add", "child", "--owner", EVE, "--stdio", "--", process.execPath, everything);
    await hub.start();
    expect((await hub.cli("keys", "rotate")).code).toBe(0);
    const names = readdirSync(hub.dataDir, { recursive: true, encoding: "utf8" });
    for (const file of ["guardhouse.db", "guardhouse.db-wal", "guardhouse.db-shm", "master.key", "audit-key.pem"]) {
      expect(names).toContain(file);
    }
    expect(names.filter((name) => name.startsWith("backups/")).length).toBe(1);
    const modes = ["", ...names].map((name) => {
      const stat = statSync(join(hub.dataDir, name));
      return { name, mode: (stat.mode & 0o777).toString(8), wanted: stat.isDirectory() ? "700" : "600" };
    });
    expect(modes.filter(({ mode, wanted }) => mode !== wanted)).toEqual([]);

    const stray = join(hub.dataDir, "backups", "stray.db");
    writeFileSync(stray, "", { mode: 0o644 });
    const { code, stdout } = await hub.cli("doctor");
    expect(code).toBe(0);
    expect(stdout).toContain(`open to others: ${stray}`);
    rmSync(stray);
    expect((await hub.cli("doctor")).stdout).not.toContain("open to others");
  } finally {
    process.umask(umask);
  }
});
