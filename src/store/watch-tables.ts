import type { KeptContent } from "#core/kept-content";
import type { ColumnKit } from "./columns";

/** What is known of how agents fare, and what is kept of their calls. */
export const watching = (kit: ColumnKit) => ({
  usageHour: kit.table(
    "usage_hour",
    {
      subjectId: kit.text("subject_id").notNull(),
      hour: kit.integer("hour").notNull(),
      counts: kit.json("counts").notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.subjectId, it.hour] })],
  ),

  usageDay: kit.table(
    "usage_day",
    {
      day: kit.integer("day").notNull(),
      subjectId: kit.text("subject_id").notNull(),
      requests: kit.integer("requests").notNull(),
      tokens: kit.integer("tokens").notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.day, it.subjectId] })],
  ),

  agentWatch: kit.table("agent_watch", {
    agentId: kit.text("agent_id").primaryKey(),
    state: kit.json("state").notNull(),
    updatedAt: kit.integer("updated_at").notNull(),
    band: kit.text("band"),
    driftStatus: kit.text("drift_status"),
  }),

  storageSample: kit.table("storage_sample", {
    at: kit.integer("at").primaryKey(),
    databaseBytes: kit.integer("database_bytes").notNull(),
    indexBytes: kit.integer("index_bytes").notNull(),
    backupBytes: kit.integer("backup_bytes").notNull(),
    freeBytes: kit.integer("free_bytes").notNull(),
  }),

  keptContent: kit.table("kept_content", {
    id: kit.text("id").primaryKey(),
    callId: kit.text("call_id").notNull(),
    eventId: kit.text("event_id"),
    userId: kit.text("user_id").notNull(),
    agentId: kit.text("agent_id"),
    purpose: kit.text<KeptContent["purpose"]>("purpose").notNull(),
    sealed: kit.text("sealed").notNull(),
    createdAt: kit.integer("created_at").notNull(),
    expiresAt: kit.integer("expires_at").notNull(),
  }),
});
