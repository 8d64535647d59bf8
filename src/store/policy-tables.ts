import type { PolicyProposal } from "#policy/baseline/baseline";
import type { ColumnKit } from "./columns";

/** The hub's baseline: what was in force, what of it people set by hand, and what waits for somebody else. */
export const policies = (kit: ColumnKit) => ({
  policy: kit.table("policy", {
    revision: kit.integer().primaryKey(),
    source: kit.text().notNull(),
    created_at: kit.integer().notNull(),
  }),

  policyEdit: kit.table("policy_edit", {
    revision: kit.integer().primaryKey(),
    edits: kit.json().notNull(),
    user_id: kit.text(),
    reason: kit.text().notNull(),
    restored: kit.integer(),
  }),

  policyProposal: kit.table("policy_proposal", {
    id: kit.text().primaryKey(),
    base_revision: kit.integer().notNull(),
    edits: kit.json().notNull(),
    restored: kit.integer(),
    reason: kit.text().notNull(),
    eligible: kit.json().notNull(),
    proposed_by: kit.text().notNull(),
    proposed_at: kit.integer().notNull(),
    state: kit.text<PolicyProposal["state"]>().notNull(),
    decided_by: kit.text(),
    decided_at: kit.integer(),
    comment: kit.text(),
  }),
});
