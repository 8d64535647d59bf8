import { expect, test } from "bun:test";
import { contentHash } from "#guard/content/hub-secret";
import { KeyRotator } from "#hub/key-rotation";
import { CLI_ACTOR } from "#model/change";
import { CONTENT_HMAC } from "#model/kept-content";
import { keyedHash } from "#platform/hash";
import { systemIds } from "#platform/ids";
import { MasterKeys, newMasterKey } from "#platform/master-keys";
import { keyIdOf } from "#platform/sealing";
import { openDatabase } from "#store/sqlite/database";
import type { SqliteStore } from "#store/sqlite/index";
import { migrate } from "#store/sqlite/migrate";
import { MIGRATIONS } from "#store/sqlite/migrations/index";
import { Place } from "#test/store/directory";
import { verifies } from "#test/support/verifies";

/** The migration that brings secrets of the hub's own. */
const BEFORE_SECRETS = 7;

const hashOf = ({ secrets, directory }: SqliteStore) => {
  const keys = new MasterKeys(directory, null);
  return contentHash({ secrets, seal: keys.seal, unseal: keys.unseal, masterKey: () => keys.current() });
};

const rotate = async ({ sealed, directory }: SqliteStore): Promise<void> => {
  const keys = new MasterKeys(directory, null);
  const { seal, unseal } = keys;
  const rotator = new KeyRotator({ values: sealed, seal, unseal, now: () => 7, ids: systemIds, by: CLI_ACTOR });
  const change = keys.beginChange(newMasterKey());
  await rotator.begin(change);
  await rotator.finish(change, await rotator.reseal(change));
  keys.endChange(change);
};

test("a new hub hashes with a secret that the master key tells nothing of, and that outlives it", async () => {
  verifies("keys.hashes");
  await using place = new Place();
  const store = await place.open();
  const [one, other] = await Promise.all([hashOf(store), hashOf(store)]);
  expect(one.of("tulips")).toBe(other.of("tulips"));
  const { directory } = store;
  const derived = keyedHash(new MasterKeys(directory, null).current(), CONTENT_HMAC);
  expect(one.of("tulips")).not.toBe(derived.of("tulips"));
  await rotate(store);
  const after = await hashOf(store);
  expect({ keyId: after.keyId, hash: after.of("tulips") }).toEqual({ keyId: one.keyId, hash: one.of("tulips") });
});

test("an older hub goes on with the key it derived, whatever becomes of the master key", async () => {
  verifies("keys.hashes");
  await using place = new Place();
  const db = openDatabase(place.database, { durability: "normal", autocheckpoint: 1_000, cacheKib: 1_024 });
  migrate(db, MIGRATIONS.slice(0, BEFORE_SECRETS), { backups: place.path, now: 0 });
  db.run(
    `INSERT INTO "user" (id, email, email_key, role, created_at, changed) VALUES ('u', 'a@b.c', 'a@b.c', 'member', 0, 0)`,
  );
  db.close();
  const store = await place.open();
  const master = new MasterKeys(store.directory, null).current();
  const before = keyedHash(master, CONTENT_HMAC);
  for (let round = 0; round < 2; round++) {
    const hash = await hashOf(store);
    expect({ keyId: hash.keyId, hash: hash.of("tulips") }).toEqual({
      keyId: keyIdOf(master),
      hash: before.of("tulips"),
    });
    await rotate(store);
  }
});
