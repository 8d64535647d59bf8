import type { ProposalState } from "#model/tools/proposal";
import type { ColumnKit } from "./columns";

/** Servers that other registries list, until somebody has decided about them. */
export const proposals = (kit: ColumnKit) => ({
  proposal: kit.table("proposal", {
    id: kit.text().primaryKey(),
    name: kit.text().notNull(),
    version: kit.text().notNull(),
    source: kit.text().notNull(),
    entry: kit.text().notNull(),
    entry_hash: kit.text().notNull(),
    state: kit.text<ProposalState>().notNull(),
    imported_by: kit.text(),
    imported_at: kit.integer().notNull(),
    decided_by: kit.text(),
    decided_at: kit.integer(),
    reason: kit.text(),
    server_id: kit.text(),
  }),
});
