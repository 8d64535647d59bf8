import type { PolicyProposal } from "#core/baseline/proposal";
import type { ColumnKit } from "./columns";

/** The hub's baseline: what was in force, what of it people set by hand, and what waits for somebody else. */
export const policies = (kit: ColumnKit) => ({
  policy: kit.table("policy", {
    revision: kit.integer("revision").primaryKey(),
    source: kit.text("source").notNull(),
    createdAt: kit.integer("created_at").notNull(),
  }),

  policyEdit: kit.table("policy_edit", {
    revision: kit.integer("revision").primaryKey(),
    edits: kit.json("edits").notNull(),
    userId: kit.text("user_id"),
    reason: kit.text("reason").notNull(),
    restored: kit.integer("restored"),
  }),

  policyProposal: kit.table("policy_proposal", {
    id: kit.text("id").primaryKey(),
    baseRevision: kit.integer("base_revision").notNull(),
    edits: kit.json("edits").notNull(),
    restored: kit.integer("restored"),
    reason: kit.text("reason").notNull(),
    eligible: kit.json("eligible").notNull(),
    proposedBy: kit.text("proposed_by").notNull(),
    proposedAt: kit.integer("proposed_at").notNull(),
    state: kit.text<PolicyProposal["state"]>("state").notNull(),
    decidedBy: kit.text("decided_by"),
    decidedAt: kit.integer("decided_at"),
    comment: kit.text("comment"),
  }),
});
