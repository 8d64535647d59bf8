import type { KeptContent } from "#model/kept-content";
import type { ColumnKit } from "./columns";

/** What is known of how agents fare, and what is kept of their calls. */
export const watching = (kit: ColumnKit) => ({
  usageHour: kit.table(
    "usage_hour",
    {
      subject_id: kit.text().notNull(),
      hour: kit.integer().notNull(),
      counts: kit.json().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.subject_id, it.hour] })],
  ),

  usageDay: kit.table(
    "usage_day",
    {
      day: kit.integer().notNull(),
      subject_id: kit.text().notNull(),
      requests: kit.integer().notNull(),
      tokens: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.day, it.subject_id] })],
  ),

  agentWatch: kit.table("agent_watch", {
    agent_id: kit.text().primaryKey(),
    state: kit.json().notNull(),
    updated_at: kit.integer().notNull(),
    band: kit.text(),
    drift_status: kit.text(),
  }),

  storageSample: kit.table("storage_sample", {
    at: kit.integer().primaryKey(),
    database_bytes: kit.integer().notNull(),
    index_bytes: kit.integer().notNull(),
    backup_bytes: kit.integer().notNull(),
    free_bytes: kit.integer().notNull(),
  }),

  keptContent: kit.table("kept_content", {
    id: kit.text().primaryKey(),
    call_id: kit.text().notNull(),
    event_id: kit.text(),
    user_id: kit.text().notNull(),
    agent_id: kit.text(),
    purpose: kit.text<KeptContent["purpose"]>().notNull(),
    sealed: kit.text().notNull(),
    created_at: kit.integer().notNull(),
    expires_at: kit.integer().notNull(),
  }),
});
