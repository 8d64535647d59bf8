import type { Notice, WaitingKind } from "#model/triage";
import type { ColumnKit } from "./columns";

/** Who takes up what waits for a decision, and who is told what came of it. */
export const triage = (kit: ColumnKit) => ({
  assignee: kit.table(
    "assignee",
    {
      kind: kit.text<WaitingKind>().notNull(),
      subject_id: kit.text().notNull(),
      user_id: kit.text().notNull(),
      at: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.kind, it.subject_id] })],
  ),

  notice: kit.table("notice", {
    id: kit.text().primaryKey(),
    user_id: kit.text().notNull(),
    type: kit.text<Notice["type"]>().notNull(),
    subject: kit.text<Notice["subject"]>().notNull(),
    subject_id: kit.text().notNull(),
    agent_id: kit.text(),
    outcome: kit.text().notNull(),
    at: kit.integer().notNull(),
    seen_at: kit.integer(),
  }),
});
