import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { changeRecord } from "#model/change";
import { openDataDirectory } from "#platform/data-directory";
import { ArchiveWriter, readEntry } from "#store/sqlite/backup-archive";
import { makeBackup } from "#store/sqlite/backup-make";
import { contentsOf, manifestText, sealText } from "#store/sqlite/backup-manifest";
import { verifyBackup } from "#store/sqlite/backup-verify";
import { verifies } from "#test/support/verifies";
import { Place } from "./directory";

setDefaultTimeout(120_000);

const SIGNING = { keyId: "a-key", key: "ab".repeat(32) };
const KEYS = { [SIGNING.keyId]: SIGNING.key };

const BY = { via: "cli", user_id: null, agent_id: null, token_id: null } as const;

const recorded = (at: number): string =>
  changeRecord({ kind: "test", by: BY, subject: "test", subject_id: `${at}`, detail: {} }, { id: `id-${at}`, at });

/** A directory with so many audit records and a checkpoint. */
const filled = async (place: Place, records: number): Promise<void> => {
  const store = await place.open();
  for (let at = 1; at <= records; at += 1) await store.audit.append(recorded(1_795_000_000_000 + at));
  await store.audit.flush();
  await store.close();
  // All of it in the one file, whoever still holds on to the write-ahead log.
  const db = new Database(place.database);
  const whole = join(place.path, "whole.db");
  db.query("VACUUM INTO ?").run(whole);
  db.close();
  for (const end of ["-wal", "-shm"]) rmSync(place.database + end, { force: true });
  renameSync(whole, place.database);
};

const backUp = (place: Place, target: string): string => {
  makeBackup(openDataDirectory(place.path), {
    target,
    madeBy: "command",
    version: "test",
    now: Date.now(),
    signing: SIGNING,
  });
  return target;
};

let place: Place;
let file: string;
beforeAll(async () => {
  place = new Place();
  await filled(place, 20);
  file = backUp(place, join(place.path, "good.tar"));
});
afterAll(() => place[Symbol.asyncDispose]());

describe("a check", () => {
  test("finds nothing in what was written, and unpacks into what it takes away again", async () => {
    verifies("backup.verify");
    const before = readdirSync(place.path);
    const report = await verifyBackup(file, KEYS);
    expect(report).toMatchObject({ ok: true, problems: [], records: 20 });
    expect(report.manifest).toMatchObject({ audit: { seq: 20 }, audit_key_included: true, master_key_included: false });
    expect(readdirSync(place.path)).toEqual(before);
  });

  test("finds any one changed byte, wherever it is, and any end that is missing or too much", async () => {
    verifies("backup.verify");
    const bytes = readFileSync(file);
    const changed = join(place.path, "changed.tar");
    // Headers, manifests and padding are a small part of it, so they get tries of their own.
    const places = fc.oneof(
      fc.nat(bytes.length - 1),
      fc.nat(511),
      fc.nat(4_095).map((back) => bytes.length - 1 - back),
    );
    const flipped = fc.asyncProperty(places, fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ mask;
      writeFileSync(changed, copy);
      expect([at, (await verifyBackup(changed, KEYS)).ok]).toEqual([at, false]);
    });
    await fc.assert(flipped, { numRuns: 150 });
    // The id of the key, which would name another key.
    const id = bytes.lastIndexOf("manifest.hmac") + 512;
    await fc.assert(flipped, { numRuns: 4, examples: [0, 1, 2, 3].map((at) => [id + at, 1] as [number, number]) });
    const cut = fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
      writeFileSync(changed, bytes.subarray(0, length));
      expect([length, (await verifyBackup(changed, KEYS)).ok]).toEqual([length, false]);
    });
    await fc.assert(cut, { numRuns: 40 });
    writeFileSync(changed, Buffer.concat([bytes, Buffer.alloc(512)]));
    expect((await verifyBackup(changed, KEYS)).ok).toBe(false);
  });

  test("finds an audit record that was changed before the backup was made", async () => {
    verifies("backup.verify");
    await using other = new Place();
    await filled(other, 5);
    const db = new Database(other.database);
    const [month] = db.query<{ name: string }, []>("SELECT name FROM audit_partition").all();
    db.run(`UPDATE ${month?.name} SET body = replace(body, 'test', 'text') WHERE seq = 3`);
    db.close();
    const report = await verifyBackup(backUp(other, join(other.path, "tampered.tar")), KEYS);
    expect(report.ok).toBe(false);
    expect(report.problems.join()).toContain("audit record 3");
  });
});

/** Changes the database in a backup and recomputes every sum, as anybody can who has a program for tar. */
const remade = (from: string, to: string, keepsSignature: boolean): void => {
  const handle = openSync(from, "r");
  const out = openSync(to, "wx");
  try {
    const { manifest, entries } = contentsOf(handle);
    const texts = new Map<string, Buffer>();
    for (const entry of entries.values()) {
      const pieces: Uint8Array[] = [];
      readEntry(handle, entry, (piece) => pieces.push(Uint8Array.from(piece)));
      texts.set(entry.name, Buffer.concat(pieces));
    }
    const changed = `${to}.db`;
    writeFileSync(changed, texts.get("guardhouse.db") ?? "");
    const db = new Database(changed);
    const columns = "id, email, email_key, role, created_at, changed";
    db.run(`INSERT INTO user (${columns}) VALUES ('u', 'eve@x', 'eve@x', 'admin', 1, 1)`);
    db.close();
    const archive = new ArchiveWriter(out, 0);
    const parts = [archive.add({ name: "guardhouse.db", from: { file: changed } })];
    const key = join(`${to}.pem`);
    writeFileSync(key, texts.get("audit-key.pem") ?? "");
    parts.push(archive.add({ name: "audit-key.pem", from: { file: key } }));
    const told = archive.add({ name: "manifest.json", from: { text: manifestText({ ...manifest, parts }) } });
    archive.add({ name: "manifest.sha256", from: { text: sealText(told.sha256, null) } });
    if (keepsSignature) archive.add({ name: "manifest.hmac", from: { text: `${texts.get("manifest.hmac")}` } });
    archive.end();
  } finally {
    closeSync(handle);
    closeSync(out);
  }
};

describe("its origin", () => {
  test("is verified with the key it was made with, and not checked without", async () => {
    verifies("backup.origin");
    expect(await verifyBackup(file, KEYS)).toMatchObject({ ok: true, origin: "verified", signed_with: "a-key" });
    const others = { another: SIGNING.key };
    expect(await verifyBackup(file, others)).toMatchObject({ ok: true, origin: "not_checked", signed_with: "a-key" });
  });

  for (const keepsSignature of [true, false]) {
    test(`is wrong when everything was recomputed and the signature ${keepsSignature ? "kept" : "left out"}`, async () => {
      verifies("backup.origin");
      const planted = join(place.path, `planted-${keepsSignature}.tar`);
      remade(file, planted, keepsSignature);
      const report = await verifyBackup(planted, KEYS);
      expect(report).toMatchObject({ ok: false, origin: "wrong" });
      expect(report.problems.join()).toContain("its origin is wrong");
    });
  }

  test("of another key than it names is wrong", async () => {
    verifies("backup.origin");
    expect(await verifyBackup(file, { "a-key": "cd".repeat(32) })).toMatchObject({ ok: false, origin: "wrong" });
  });
});

/** Every state a restore can be cut off in, between two of its steps, made by hand in the order of its steps. */
const STEPS: readonly ((at: string) => void)[] = [
  (at) => mkdirSync(join(at, ASIDE)),
  (at) => renameSync(join(at, "guardhouse.db-wal"), join(at, ASIDE, "guardhouse.db-wal")),
  (at) => linkSync(join(at, "guardhouse.db"), join(at, ASIDE, "guardhouse.db")),
  (at) => renameSync(join(at, STAGING, "guardhouse.db"), join(at, "guardhouse.db")),
  (at) => linkSync(join(at, "audit-key.pem"), join(at, ASIDE, "audit-key.pem")),
  (at) => renameSync(join(at, STAGING, "audit-key.pem"), join(at, "audit-key.pem")),
];
const ASIDE = "before-restore-20261121T000000Z";
const STAGING = "restore.staging";

describe("a swap that was cut off", () => {
  for (let done = 0; done <= STEPS.length; done += 1) {
    test(`is ended by whoever opens the database next, after ${done} of ${STEPS.length} steps`, async () => {
      verifies("backup.crash");
      await using old = new Place();
      await using fresh = new Place();
      await filled(old, 3);
      await filled(fresh, 7);
      const keys = [old, fresh].map(({ path }) => readFileSync(join(path, "audit-key.pem"), "utf8"));
      // Not empty: it must not reach the new database.
      writeFileSync(join(old.path, "guardhouse.db-wal"), "the old one's");
      mkdirSync(join(old.path, STAGING));
      for (const part of ["guardhouse.db", "audit-key.pem"])
        copyFileSync(join(fresh.path, part), join(old.path, STAGING, part));
      writeFileSync(join(old.path, "restore.pending"), ASIDE);
      for (const step of STEPS.slice(0, done)) step(old.path);

      const store = await old.open();
      const report = await store.audit.verify();
      expect([report.ok, report.records]).toEqual([true, 7]);
      await store.close();
      expect(readFileSync(join(old.path, "audit-key.pem"), "utf8")).toBe(keys[1] ?? "none");
      expect(readFileSync(join(old.path, ASIDE, "audit-key.pem"), "utf8")).toBe(keys[0] ?? "none");
      expect(readFileSync(join(old.path, ASIDE, "guardhouse.db-wal"), "utf8")).toBe("the old one's");
      for (const left of ["restore.pending", STAGING]) expect(existsSync(join(old.path, left))).toBe(false);
      const aside = new Database(join(old.path, ASIDE, "guardhouse.db"), { readonly: true });
      expect(aside.query("SELECT count(*) AS n FROM audit_partition").get()).toEqual({ n: 1 });
      aside.close();
    });
  }

  test("without its mark never counts: the old data is there untouched", async () => {
    verifies("backup.crash");
    await using old = new Place();
    await filled(old, 3);
    mkdirSync(join(old.path, STAGING));
    copyFileSync(join(place.path, "guardhouse.db"), join(old.path, STAGING, "guardhouse.db"));
    const store = await old.open();
    expect((await store.audit.verify()).records).toBe(3);
  });
});
