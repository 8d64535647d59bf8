import type { ColumnKit } from "./columns";

/* The tables about the keys that seal; `tables.ts` takes them in. Which columns hold what is sealed: `sealed-places.ts`. */

export const keys = (kit: ColumnKit) => ({
  /** Without a secret in it: the hub is older than such secrets. */
  hubSecret: kit.table("hub_secret", {
    name: kit.text("name").primaryKey(),
    keyId: kit.text("key_id"),
    sealed: kit.text("sealed"),
  }),

  keyRotation: kit.table("key_rotation", {
    id: kit.integer("id").primaryKey(),
    fromKey: kit.text("from_key").notNull(),
    toKey: kit.text("to_key").notNull(),
    replaced: kit.integer("replaced").notNull(),
    begunAt: kit.integer("begun_at").notNull(),
    endedAt: kit.integer("ended_at"),
  }),
});
