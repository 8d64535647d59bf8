import type { Receipt } from "#policy/restrictions/restriction";
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

  containment: kit.table(
    "containment",
    {
      subject_id: kit.text().notNull(),
      point: kit.text<Receipt["point"]>().notNull(),
      node: kit.text().notNull(),
      epoch: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.subject_id, it.point, it.node] })],
  ),

  lease: kit.table("lease", {
    name: kit.text().primaryKey(),
    node: kit.text().notNull(),
    epoch: kit.integer().notNull(),
    until: kit.integer().notNull(),
  }),
});
