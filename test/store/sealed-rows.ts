import { Database } from "bun:sqlite";
import { sealSecret } from "#platform/sealing";
import { SEALED_PLACES, type SealedPlace } from "#store/sealed-places";

type Column = { readonly name: string; readonly type: string; readonly notnull: 0 | 1; readonly pk: number };

/** A value in a place, and the key it was sealed with. `n` tells rows apart. */
export type Planted = { readonly place: SealedPlace; readonly n: number; readonly secrets: readonly string[] };

/** Puts rows straight into the tables of a data directory, as far as a change of the key looks at them. */
export class SealedRows implements Disposable {
  readonly db: Database;

  constructor(file: string) {
    this.db = new Database(file, { readwrite: true, create: false, strict: true });
    this.db.run("PRAGMA busy_timeout = 5000");
    // What a test before this one left would be taken for a trace of what is looked at.
    this.db.run("PRAGMA secure_delete = ON");
    // Rows stand alone here: what they refer to does not matter.
    this.db.run("PRAGMA foreign_keys = OFF");
  }

  plant({ place, n, secrets }: Planted, keyOf: (at: number) => Uint8Array): void {
    const purpose = place.purpose + textAt(place.bound, n);
    const sealed = secrets.map((secret, at) => sealSecret(keyOf(at), purpose, secret));
    this.put(place, n, place.many ? JSON.stringify(sealed) : (sealed[0] ?? null));
  }

  put(place: SealedPlace, n: number, stored: string | null): void {
    const columns = this.db.query<Column, []>(`PRAGMA table_info("${place.table}")`).all();
    const needed = columns.filter(({ name, notnull, pk }) => notnull || pk > 0 || named(place).includes(name));
    const values = needed.map(({ name, type }) => {
      if (name === place.column) return stored;
      return type === "TEXT" ? textAt(name, n) : 1;
    });
    const names = needed.map(({ name }) => `"${name}"`).join(", ");
    const marks = needed.map(() => "?").join(", ");
    this.db.query(`INSERT INTO "${place.table}" (${names}) VALUES (${marks})`).run(...values);
  }

  /** What is stored, in the order it was planted. */
  stored({ place, n }: Planted): string | null {
    const { table, column, key } = place;
    const row = this.db
      .query<{ stored: string | null }, [string]>(`SELECT "${column}" AS stored FROM "${table}" WHERE "${key}" = ?`)
      .get(textAt(key, n));
    return row?.stored ?? null;
  }

  clear(): void {
    for (const { table } of SEALED_PLACES) this.db.run(`DELETE FROM "${table}"`);
  }

  [Symbol.dispose](): void {
    this.db.close();
  }
}

export const textAt = (column: string, n: number): string => `${column}-${n}`;

export const purposeAt = ({ place, n }: Planted): string => place.purpose + textAt(place.bound, n);

const named = ({ column, key, bound }: SealedPlace): string[] => [column, key, bound];
