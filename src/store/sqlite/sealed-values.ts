import type { Database } from "bun:sqlite";
import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { KEY_ID_LENGTH } from "#platform/sealing";
import type { SerialisedRecord } from "#store/record";
import { nameOf, SEALED_PLACES, type SealedPlace } from "#store/sealed-places";
import type { KeyRotation, ResealedRow, SealedRow, SealedValues } from "#store/sealed-port";
import { strings } from "#store/stored";
import type { Connection } from "./connection";
import { transaction } from "./database";
import { tables } from "./schema";
import { fence, patternOf, quoted } from "./sealed-fence";

const { keyRotation } = tables;

/** What one look takes into memory, and one transaction writes: others write in between. Rows, and characters. */
const MAX_ROWS = 200;
const MAX_CHARACTERS = 2_097_152;
/** `v1.` stands before the id of the key. */
const KEY_ID_AT = 4;

export class SqliteSealedValues implements SealedValues {
  constructor(private readonly connection: Connection) {}

  async census(): ReturnType<SealedValues["census"]> {
    const { db } = this.connection;
    return SEALED_PLACES.flatMap((place) => countedIn(db, place).map((found) => ({ place, ...found })));
  }

  async begin(rotation: KeyRotation, at: number, record: SerialisedRecord): Promise<void> {
    const { db, queries } = this.connection;
    // What is sealed anew shall not be found in free pages either, where the old key may be known to others.
    db.run("PRAGMA secure_delete = ON");
    transaction<void>(db, () => fence(db, rotation.from));
    this.connection.change("all", record, () => {
      if (this.#isLatest(rotation)) return false;
      const { from: from_key, to: to_key } = rotation;
      queries.insert(keyRotation).values({ from_key, to_key, replaced: 0, begun_at: at }).run();
      return true;
    });
  }

  async sealedWith(place: SealedPlace, keyId: string, after: string): Promise<SealedRow[]> {
    const { key, bound, column, table } = quoted(place);
    const rows = this.connection.db
      .query<Omit<SealedRow, "values">, [string, string, number]>(
        `SELECT ${key} AS "key", ${bound} AS bound, ${column} AS stored FROM ${table}
         WHERE ${column} GLOB ? AND ${key} > ? ORDER BY ${key} LIMIT ?`,
      )
      .iterate(patternOf(place, keyId), after, MAX_ROWS);
    const some: SealedRow[] = [];
    let characters = 0;
    for (const row of rows) {
      some.push({ ...row, values: valuesOf(place, row.stored) });
      characters += row.stored.length;
      if (characters >= MAX_CHARACTERS) break;
    }
    return some;
  }

  async replace(rotation: KeyRotation, place: SealedPlace, rows: readonly ResealedRow[]): Promise<void> {
    const { key, column, table } = quoted(place);
    const { db, queries } = this.connection;
    await this.connection.writeSoon<void>(() => {
      const update = db.query<null, [string, string, string]>(
        `UPDATE ${table} SET ${column} = ? WHERE ${key} = ? AND ${column} = ?`,
      );
      let replaced = 0;
      for (const row of rows)
        replaced += row.replaced * update.run(storedFrom(place, row), row.key, row.stored).changes;
      const counted = { replaced: sql`${keyRotation.replaced} + ${replaced}` };
      queries.update(keyRotation).set(counted).where(isOpen(rotation)).run();
    });
  }

  async finish(rotation: KeyRotation, at: number, record: (values: number) => SerialisedRecord): Promise<number> {
    const { db, queries } = this.connection;
    db.run("PRAGMA synchronous = FULL");
    let replaced = this.#latest()?.replaced ?? 0;
    this.connection.changeAs("all", () => {
      const [ended] = queries.update(keyRotation).set({ ended_at: at }).where(isOpen(rotation)).returning().all();
      if (!ended) return null;
      replaced = ended.replaced;
      return record(replaced);
    });
    return replaced;
  }

  #latest() {
    return this.connection.queries.select().from(keyRotation).orderBy(desc(keyRotation.id)).limit(1).get();
  }

  #isLatest({ from, to }: KeyRotation): boolean {
    const latest = this.#latest();
    return latest?.from_key === from && latest.to_key === to;
  }
}

const isOpen = ({ from, to }: KeyRotation) =>
  and(eq(keyRotation.from_key, from), eq(keyRotation.to_key, to), isNull(keyRotation.ended_at));

const valuesOf = (place: SealedPlace, stored: string): string[] =>
  place.many ? strings(JSON.parse(stored), nameOf(place)) : [stored];

const storedFrom = ({ many }: SealedPlace, { values, stored }: ResealedRow): string =>
  many ? JSON.stringify(values) : (values[0] ?? stored);

/** The ids of the keys that something is sealed with. */
export const keyIdsIn = (db: Database): string[] => {
  const ids = SEALED_PLACES.flatMap((place) => countedIn(db, place).map(({ key_id }) => key_id));
  return [...new Set(ids)].sort();
};

const countedIn = (db: Database, place: SealedPlace): { key_id: string; values: number }[] => {
  const { table, column } = quoted(place);
  const [value, from] = place.many
    ? ["each.value", `${table}, json_each(${table}.${column}) AS each`]
    : [`${table}.${column}`, table];
  const query = db.query<{ key_id: string; values: number }, []>(
    `SELECT substr(${value}, ${KEY_ID_AT}, ${KEY_ID_LENGTH}) AS key_id, count(*) AS "values"
     FROM ${from} WHERE ${value} GLOB 'v1.*' GROUP BY key_id ORDER BY key_id`,
  );
  return query.all();
};
