import type { SealedPlace } from "#store/sealed-places";

/** The names of a place, quoted for SQL. */
export const quoted = ({ table, column, key, bound }: SealedPlace) => ({
  table: `"${table}"`,
  column: `"${column}"`,
  key: `"${key}"`,
  bound: `"${bound}"`,
});

/** Of GLOB: what is sealed with that key. Ids hold no character that means something else to it. */
export const patternOf = ({ many }: SealedPlace, keyId: string): string => (many ? `*"v1.${keyId}.*` : `v1.${keyId}.*`);
