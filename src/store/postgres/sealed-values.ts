import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { KEY_ID_LENGTH } from "#platform/sealing";
import { anyRow, one, type Queries, run, type Steps } from "#store/db";
import type { SerialisedRecord } from "#store/record";
import { nameOf, SEALED_PLACES, type SealedPlace } from "#store/sealed-places";
import type { KeyRotation, ResealedRow, SealedRow, SealedValues } from "#store/sealed-port";
import { strings } from "#store/stored";
import type { Tables } from "#store/tables";
import type { PostgresDb } from "./db";
import type { Pool } from "./pool";

/** What one look takes into memory, and one transaction writes. Rows, and characters. */
const MAX_ROWS = 200;
const MAX_CHARACTERS = 2_097_152;
/** `v1.` stands before the id of the key. */
const KEY_ID_AT = 4;

/** The names of a place, quoted for SQL. */
const quoted = ({ table, column, key, bound }: SealedPlace) => ({
  table: `"${table}"`,
  column: `"${column}"`,
  key: `"${key}"`,
  bound: `"${bound}"`,
});

type Counted = { readonly key_id: string; readonly values: unknown };
type Found = Omit<SealedRow, "values">;

/** See `SqliteSealedValues`. What keeps values of the old key out is a trigger of each place, made with the tables. */
export class PostgresSealedValues implements SealedValues {
  constructor(
    private readonly pool: Pool,
    private readonly db: PostgresDb,
  ) {}

  async census(): ReturnType<SealedValues["census"]> {
    const found = SEALED_PLACES.map(async (place) => (await this.#countedIn(place)).map((it) => ({ place, ...it })));
    return (await Promise.all(found)).flat();
  }

  async begin(rotation: KeyRotation, at: number, record: SerialisedRecord): Promise<void> {
    const { from: from_key, to: to_key } = rotation;
    await this.pool.transaction("", async ({ sql: open }) => {
      // Waits for whoever is writing a value there: from then on each writer sees the fence.
      const places = [...new Set(SEALED_PLACES.map(({ table }) => `"${table}"`))].join(", ");
      await open.unsafe(`LOCK TABLE ${places} IN SHARE MODE`);
      await open.unsafe(
        "INSERT INTO sealed_fence VALUES (true, $1) ON CONFLICT (only_row) DO UPDATE SET key_id = excluded.key_id",
        [from_key],
      );
    });
    await this.db.change("all", record, function* () {
      const last = yield* one(latest);
      if (last?.from_key === from_key && last.to_key === to_key) return false;
      yield* run((q, { keyRotation }) => q.insert(keyRotation).values({ from_key, to_key, replaced: 0, begun_at: at }));
      return true;
    });
  }

  async sealedWith(place: SealedPlace, keyId: string, after: string): Promise<SealedRow[]> {
    const { key, bound, column, table } = quoted(place);
    const text = `SELECT ${key} AS "key", ${bound} AS bound, ${column} AS stored FROM ${table}
      WHERE strpos(${column}, $1) ${place.many ? "> 0" : "= 1"} AND ${key} > $2 ORDER BY ${key} LIMIT ${MAX_ROWS}`;
    const sealed = place.many ? `"v1.${keyId}.` : `v1.${keyId}.`;
    const rows = await this.pool.plain((open) => open.unsafe<Found[]>(text, [sealed, after]));
    const some: SealedRow[] = [];
    let characters = 0;
    for (const row of rows) {
      const values = place.many ? strings(JSON.parse(row.stored), nameOf(place)) : [row.stored];
      some.push({ key: row.key, bound: row.bound, stored: row.stored, values });
      characters += row.stored.length;
      if (characters >= MAX_CHARACTERS) break;
    }
    return some;
  }

  async replace(rotation: KeyRotation, place: SealedPlace, rows: readonly ResealedRow[]): Promise<void> {
    const { key, column, table } = quoted(place);
    const text = `UPDATE ${table} SET ${column} = $1 WHERE ${key} = $2 AND ${column} = $3 RETURNING 1 AS done`;
    await this.pool.transaction("", async ({ sql: open }) => {
      let replaced = 0;
      for (const row of rows) {
        const stored = place.many ? JSON.stringify(row.values) : (row.values[0] ?? row.stored);
        const done = await open.unsafe<unknown[]>(text, [stored, row.key, row.stored]);
        replaced += row.replaced * done.length;
      }
      await open.unsafe(
        "UPDATE key_rotation SET replaced = replaced + $1 WHERE from_key = $2 AND to_key = $3 AND ended_at IS NULL",
        [replaced, rotation.from, rotation.to],
      );
    });
  }

  async finish(rotation: KeyRotation, at: number, record: (values: number) => SerialisedRecord): Promise<number> {
    let replaced = 0;
    await this.db.changeAs("all", function* (): Steps<SerialisedRecord | null> {
      replaced = (yield* one(latest))?.replaced ?? 0;
      const isOpen = yield* anyRow((q, { keyRotation: it }) =>
        q
          .update(it)
          .set({ ended_at: at })
          .where(and(eq(it.from_key, rotation.from), eq(it.to_key, rotation.to), isNull(it.ended_at)))
          .returning({ id: it.id }),
      );
      return isOpen ? record(replaced) : null;
    });
    return replaced;
  }

  async #countedIn(place: SealedPlace): Promise<{ key_id: string; values: number }[]> {
    const { table, column } = quoted(place);
    const values = place.many
      ? `SELECT json_array_elements_text(${column}::json) AS value FROM ${table} WHERE ${column} IS NOT NULL`
      : `SELECT ${column} AS value FROM ${table}`;
    const text = `SELECT substr(value, ${KEY_ID_AT}, ${KEY_ID_LENGTH}) AS key_id, count(*) AS "values"
      FROM (${values}) AS sealed WHERE starts_with(value, 'v1.') GROUP BY key_id ORDER BY key_id`;
    const rows = await this.pool.plain((open) => open.unsafe<Counted[]>(text));
    return rows.map(({ key_id, values: count }) => ({ key_id, values: Number(count) }));
  }
}

const latest = (q: Queries, { keyRotation: it }: Tables) =>
  q
    .select()
    .from(it)
    .orderBy(desc(sql`${it.id}`))
    .limit(1);
