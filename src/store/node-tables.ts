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

  nodeCrash: kit.table(
    "node_crash",
    {
      node: kit.text().notNull(),
      epoch: kit.integer().notNull(),
      heard_at: kit.integer().notNull(),
      until: kit.integer().notNull(),
      has_usage: kit.boolean().notNull(),
      has_events: kit.boolean().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.node, it.epoch] })],
  ),

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

  usedOnce: kit.table(
    "used_once",
    { scope: kit.text().notNull(), key: kit.text().notNull(), until: kit.integer().notNull() },
    (it) => [kit.primaryKey({ columns: [it.scope, it.key] })],
  ),

  pace: kit.table(
    "pace",
    {
      scope: kit.text().notNull(),
      key: kit.text().notNull(),
      began: kit.integer().notNull(),
      count: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.scope, it.key] })],
  ),

  signInTries: kit.table("sign_in_tries", {
    key: kit.text().primaryKey(),
    count: kit.integer().notNull(),
    at: kit.integer().notNull(),
    open_at: kit.integer().notNull(),
  }),

  limitAccount: kit.table("limit_account", {
    agent_id: kit.text().primaryKey(),
    state: kit.json().notNull(),
  }),

  limitOpen: kit.table(
    "limit_open",
    {
      agent_id: kit.text().notNull(),
      node: kit.text().notNull(),
      epoch: kit.integer().notNull(),
      open: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.agent_id, it.node] })],
  ),

  limitConversation: kit.table("limit_conversation", {
    conversation: kit.text().primaryKey(),
    calls: kit.integer().notNull(),
    at: kit.integer().notNull(),
  }),

  conversation: kit.table("conversation", {
    key: kit.text().primaryKey(),
    id: kit.text().notNull(),
    seq: kit.integer().notNull(),
    units: kit.integer().notNull(),
    until: kit.integer().notNull(),
  }),

  conversationSaid: kit.table("conversation_said", {
    id: kit.text().primaryKey(),
    conversation: kit.text().notNull(),
    seq: kit.integer().notNull(),
    sealed: kit.text().notNull(),
  }),

  triggerCount: kit.table("trigger_count", {
    agent_id: kit.text().primaryKey(),
    state: kit.json().notNull(),
    at: kit.integer().notNull(),
  }),

  tally: kit.table("tally", {
    name: kit.text().primaryKey(),
    count: kit.integer().notNull(),
    at: kit.integer().notNull(),
  }),

  blockedCaller: kit.table("blocked_caller", {
    subject_id: kit.text().primaryKey(),
    event_id: kit.text().notNull(),
    agent_id: kit.text(),
    user_id: kit.text().notNull(),
  }),

  lease: kit.table("lease", {
    name: kit.text().primaryKey(),
    node: kit.text().notNull(),
    epoch: kit.integer().notNull(),
    until: kit.integer().notNull(),
  }),
});
