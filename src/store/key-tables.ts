import type { ColumnKit } from "./columns";

/* The tables about the keys that seal; `tables.ts` takes them in. Which columns hold what is sealed: `sealed-places.ts`. */

export const keys = (kit: ColumnKit) => ({
  /** Without a secret in it: the hub is older than such secrets. */
  hubSecret: kit.table("hub_secret", {
    name: kit.text().primaryKey(),
    key_id: kit.text(),
    sealed: kit.text(),
  }),

  keyRotation: kit.table("key_rotation", {
    id: kit.integer().primaryKey(),
    from_key: kit.text().notNull(),
    to_key: kit.text().notNull(),
    replaced: kit.integer().notNull(),
    begun_at: kit.integer().notNull(),
    ended_at: kit.integer(),
  }),
});
