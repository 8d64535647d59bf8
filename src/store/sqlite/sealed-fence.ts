import type { Database } from "bun:sqlite";
import { SEALED_PLACES, type SealedPlace } from "#store/sealed-places";

/** The names of a place, quoted for SQL. */
export const quoted = ({ table, column, key, bound }: SealedPlace) => ({
  table: `"${table}"`,
  column: `"${column}"`,
  key: `"${key}"`,
  bound: `"${bound}"`,
});

/** Of GLOB: what is sealed with that key. Ids hold no character that means something else to it. */
export const patternOf = ({ many }: SealedPlace, keyId: string): string => (many ? `*"v1.${keyId}.*` : `v1.${keyId}.*`);

const PREFIX = "sealed_fence";
const REFUSAL = "The value was encrypted with a master key that was replaced meanwhile; try again";

/**
 * Keeps values out that were sealed with a key on its way out. A process may have sealed before it saw the next key and
 * write after everything else was sealed anew: without the fence such a value would be lost with the old key.
 * Takes the place of the fence before; to be called inside a transaction.
 */
export const fence = (db: Database, keyId: string): void => {
  const triggers = db
    .query<{ name: string }, [string]>("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB ?")
    .all(`${PREFIX}_*`);
  for (const { name } of triggers) db.run(`DROP TRIGGER "${name}"`);
  for (const place of SEALED_PLACES) {
    db.run(trigger(place, "insert", keyId));
    db.run(trigger(place, "update", keyId));
  }
};

const trigger = (place: SealedPlace, event: "insert" | "update", keyId: string): string => {
  const { table, column } = quoted(place);
  // A value that stays as it is may be written back until its turn has come.
  const [occasion, isNew] =
    event === "insert" ? ["INSERT", ""] : [`UPDATE OF ${column}`, `NEW.${column} IS NOT OLD.${column} AND`];
  return `CREATE TRIGGER "${PREFIX}_${place.table}_${place.column}_${event}" BEFORE ${occasion} ON ${table}
    WHEN ${isNew} NEW.${column} GLOB '${patternOf(place, keyId)}'
    BEGIN SELECT RAISE(ABORT, '${REFUSAL}'); END`;
};
