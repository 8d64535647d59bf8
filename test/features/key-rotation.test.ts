import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import fc from "fast-check";
import { sealingWith } from "#cli/sealing";
import { keyPurpose } from "#features/providers/service";
import { holdPurpose } from "#guard/enforcement/holds";
import { KeyRotator, unopenable } from "#hub/key-rotation";
import { CLI_ACTOR } from "#model/change";
import { contentPurpose } from "#model/kept-content";
import { reportPurpose } from "#model/report";
import { credentialsPurpose, grantPurpose } from "#model/tools/tool";
import { systemIds } from "#platform/ids";
import { MasterKeys, newMasterKey, parseMasterKey } from "#platform/master-keys";
import { keyIdOf, openSecret, sealedWith, sealSecret } from "#platform/sealing";
import { nameOf, SEALED_PLACES, type SealedPlace } from "#store/sealed-places";
import type { SealedValues } from "#store/sealed-port";
import type { SqliteStore } from "#store/sqlite/index";
import { Place } from "#test/store/directory";
import { type Planted, purposeAt, SealedRows, textAt } from "#test/store/sealed-rows";
import { bytesOf } from "#test/support/bytes";
import { verifies } from "#test/support/verifies";

let place: Place;
let store: SqliteStore;
let rows: SealedRows;
beforeAll(async () => {
  place = new Place();
  store = await place.open();
  rows = new SealedRows(place.database);
});
afterAll(async () => {
  rows[Symbol.dispose]();
  await place[Symbol.asyncDispose]();
});

class CutOff extends Error {}

/** The store as a process sees it that dies after so many batches. */
const dying = (values: SealedValues, batches: number): SealedValues => {
  let left = batches;
  return {
    census: () => values.census(),
    begin: (...args) => values.begin(...args),
    sealedWith: (...args) => values.sealedWith(...args),
    finish: (...args) => values.finish(...args),
    replace: async (...args) => {
      if (left === 0) throw new CutOff();
      left -= 1;
      await values.replace(...args);
    },
  };
};

const rotator = (keys: MasterKeys, values: SealedValues) =>
  new KeyRotator({ values, seal: keys.seal, unseal: keys.unseal, now: () => 7, ids: systemIds, by: CLI_ACTOR });

/** As `keys rotate` does, begun again until it ends. Returns how many values were sealed anew and how many were left. */
const rotate = async (cuts: readonly number[]): Promise<{ replaced: number; left: number; to: string }> => {
  const keys = () => new MasterKeys(store.directory, null);
  for (const cut of cuts) {
    const mine = keys();
    const change = mine.change() ?? mine.beginChange(newMasterKey());
    const cutOff = rotator(mine, dying(store.sealed, cut));
    await cutOff.begin(change);
    try {
      await cutOff.reseal(change);
    } catch (error) {
      if (!(error instanceof CutOff)) throw error;
    }
  }
  const mine = keys();
  const change = mine.change() ?? mine.beginChange(newMasterKey());
  const whole = rotator(mine, store.sealed);
  await whole.begin(change);
  const left = await whole.reseal(change);
  const replaced = await whole.finish(change, left);
  mine.endChange(change);
  return { replaced, left, to: change.to };
};

const secret = fc.string({ unit: "binary", maxLength: 60 });
const planted = fc
  .record({
    place: fc.constantFrom(...SEALED_PLACES),
    secrets: fc.array(secret, { minLength: 1, maxLength: 3 }),
    sealedWithOld: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  })
  .map((it) => ({ ...it, secrets: it.place.many ? it.secrets : it.secrets.slice(0, 1) }));

test("whatever stands where, sealed with whichever key, and however often it is cut off: all opens with the new key only", async () => {
  verifies("keys.rotate", "keys.resume", "keys.audit");
  await fc.assert(
    fc.asyncProperty(fc.array(planted, { maxLength: 40 }), fc.array(fc.nat(6), { maxLength: 3 }), async (mix, cuts) => {
      rows.clear();
      const keys = new MasterKeys(store.directory, null);
      const old = keys.current();
      const next = newMasterKey();
      // Somebody began the change before: the two keys are in use side by side.
      keys.beginChange(next);
      const nextKey = parseMasterKey(next, "");
      const all: Planted[] = mix.map(({ place: where, secrets }, n) => ({ place: where, n, secrets }));
      all.forEach((it, n) => {
        rows.plant(it, (at) => (mix[n]?.sealedWithOld[at] ? old : nextKey));
      });
      const olds = mix.flatMap(({ secrets, sealedWithOld }) => secrets.filter((_, at) => sealedWithOld[at])).length;

      const { replaced, left, to } = await rotate(cuts);

      expect({ replaced, left, to }).toEqual({ replaced: olds, left: 0, to: keyIdOf(nextKey) });
      const after = new MasterKeys(store.directory, null);
      expect(after.change()).toBeNull();
      for (const it of all) {
        const stored = rows.stored(it) ?? "";
        const values: string[] = it.place.many ? JSON.parse(stored) : [stored];
        expect(values.map((value) => after.unseal(purposeAt(it), value))).toEqual([...it.secrets]);
        expect(new Set(values.map(sealedWith))).toEqual(new Set([keyIdOf(nextKey)]));
      }
      const [finished, begun] = await store.audit.tail(2);
      for (const key of [old, nextKey]) {
        expect(`${finished?.body}${begun?.body}`).not.toContain(Buffer.from(key).toString("base64"));
      }
      expect(JSON.parse(finished?.body ?? "").change.detail).toEqual({
        ...{ step: "finished", replaced: olds, left: 0 },
        ...{ from_key: keyIdOf(old), to_key: keyIdOf(nextKey) },
      });
      expect(JSON.parse(begun?.body ?? "").change.detail.step).toBe("begun");
    }),
    { numRuns: 40 },
  );
}, 120_000);

describe("while the key is changed", () => {
  const provider = (): SealedPlace => {
    const found = SEALED_PLACES.find(({ table }) => table === "provider");
    if (!found) throw new Error("no place for providers' keys");
    return found;
  };

  test("key rotation: values encrypted with the old key are refused in every column, none is lost", async () => {
    verifies("keys.fence");
    rows.clear();
    const keys = new MasterKeys(store.directory, null);
    const old = keys.current();
    const standing = SEALED_PLACES.map((where) => ({ place: where, n: 1, secrets: ["standing"] }));
    for (const it of standing) rows.plant(it, () => old);
    const change = keys.beginChange(newMasterKey());
    const mine = rotator(keys, store.sealed);
    await mine.begin(change);

    for (const where of SEALED_PLACES) {
      const late = { place: where, n: 2, secrets: ["late"] };
      expect(() => rows.plant(late, () => old)).toThrow("replaced meanwhile");
      const { table, column, key } = where;
      const again = sealSecret(old, where.purpose + textAt(where.bound, 1), "again");
      const update = rows.db.query(`UPDATE "${table}" SET "${column}" = ? WHERE "${key}" = ?`);
      expect(() => update.run(where.many ? JSON.stringify([again]) : again, textAt(key, 1))).toThrow("meanwhile");
      // Who writes a whole row back does not fail over what it leaves as it is.
      rows.db.query(`UPDATE "${table}" SET "${column}" = "${column}"`).run();
      rows.plant(late, () => keys.current());
    }
    const left = await mine.reseal(change);
    expect(await mine.finish(change, left)).toBe(SEALED_PLACES.length);
    keys.endChange(change);
    expect((await store.sealed.census()).map(({ key_id }) => key_id)).toEqual(SEALED_PLACES.map(() => change.to));
  });

  test("a damaged value is left as it is and counted, a foreign one is named by its key", async () => {
    verifies("keys.wrong-key");
    rows.clear();
    const keys = new MasterKeys(store.directory, null);
    const foreign = parseMasterKey(newMasterKey(), "");
    const damaged = sealSecret(keys.current(), "provider.api_key:elsewhere", "moved here");
    rows.put(provider(), 1, damaged);
    rows.plant({ place: provider(), n: 2, secrets: ["foreign"] }, () => foreign);
    rows.plant({ place: provider(), n: 3, secrets: ["good"] }, () => keys.current());
    expect(await unopenable(store.sealed, (id) => keys.has(id))).toEqual([
      { place: "provider.sealed_key", key_id: keyIdOf(foreign), values: 1 },
    ]);
    const { replaced, left } = await rotate([]);
    expect({ replaced, left }).toEqual({ replaced: 1, left: 1 });
    expect(rows.stored({ place: provider(), n: 1, secrets: [] })).toBe(damaged);
    const stored = rows.stored({ place: provider(), n: 2, secrets: [] }) ?? "";
    expect(openSecret(foreign, `provider.api_key:${textAt("id", 2)}`, stored)).toBe("foreign");
    const purpose = `provider.api_key:${textAt("id", 2)}`;
    const message = `encrypted with the master key ${keyIdOf(foreign)}; the one available is ${keyIdOf(keys.current())}`;
    expect(() => keys.unseal(purpose, stored)).toThrow(message);
  });

  test("many and large values go a few at a time, and leave no old bytes in the file", async () => {
    verifies("keys.rotate");
    rows.clear();
    const keys = new MasterKeys(store.directory, null);
    const old = keys.current();
    const content = SEALED_PLACES.find(({ table }) => table === "kept_content");
    if (!content) throw new Error("no place for kept content");
    const all = Array.from({ length: 260 }, (_, n) => ({ place: content, n, secrets: ["x".repeat((n % 50) * 1_000)] }));
    rows.db.run("BEGIN");
    for (const it of all) rows.plant(it, () => old);
    rows.db.run("COMMIT");
    // The version, the key's id and the nonce: no two values begin alike.
    const beginnings = all.map((it) => (rows.stored(it) ?? "").slice(0, 31));
    expect((await rotate([1])).replaced).toBe(all.length);
    rows.db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const file = await bytesOf(place.database);
    expect(statSync(place.database).size).toBeGreaterThan(1_000_000);
    expect(beginnings.filter((bytes) => file.includes(bytes))).toEqual([]);
  });
});

test("for a purpose of no known place nothing is sealed", () => {
  verifies("keys.places");
  const { seal } = sealingWith(new MasterKeys(store.directory, null));
  expect(() => seal("elsewhere:1", "secret")).toThrow('Nothing is sealed for "elsewhere"');
  const purposes = [keyPurpose, credentialsPurpose, grantPurpose, holdPurpose, reportPurpose, contentPurpose];
  for (const purpose of purposes) expect(seal(purpose("1"), "secret")).toStartWith("v1.");
});

test("every column that holds what is sealed is on the list, and everything on the list is there", () => {
  verifies("keys.places");
  const columns = rows.db
    .query<{ name: string }, []>(
      `SELECT tables.name || '.' || columns.name AS name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' ORDER BY name`,
    )
    .all()
    .map(({ name }) => name);
  const listed = SEALED_PLACES.map(nameOf);
  expect(columns.filter((name) => /\.sealed/.test(name)).toSorted()).toEqual(listed.toSorted());
  for (const { table, key, bound } of SEALED_PLACES) {
    expect(columns).toContain(`${table}.${key}`);
    expect(columns).toContain(`${table}.${bound}`);
  }
});
