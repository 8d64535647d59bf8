import type { ColumnKit } from "./columns";
import type { NodeState } from "./node-port";

/** Serving processes, and what one of them at a time does. */
export const nodes = (kit: ColumnKit) => ({
  node: kit.table("node", {
    id: kit.text().primaryKey(),
    epoch: kit.integer().notNull(),
    state: kit.text<NodeState>().notNull(),
    started_at: kit.integer().notNull(),
    heard_at: kit.integer().notNull(),
    until: kit.integer().notNull(),
    version: kit.text().notNull(),
    address: kit.text(),
  }),

  lease: kit.table("lease", {
    name: kit.text().primaryKey(),
    node: kit.text().notNull(),
    epoch: kit.integer().notNull(),
    until: kit.integer().notNull(),
  }),
});
