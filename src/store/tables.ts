import type { Agent, Role } from "#core/person";
import type { TokenState } from "#core/token";
import type { ColumnKit } from "./columns";

/** Who may call. `changed` is the revision of a row's last change, here and below. */
const callers = (kit: ColumnKit) => ({
  user: kit.table(
    "user",
    {
      id: kit.text("id").primaryKey(),
      email: kit.text("email").notNull(),
      /** Folded to lower case by us, since databases disagree about letters beyond ASCII. */
      emailKey: kit.text("email_key").notNull(),
      name: kit.text("name"),
      role: kit.text<Role>("role").notNull(),
      passwordHash: kit.text("password_hash"),
      createdAt: kit.integer("created_at").notNull(),
      changed: kit.integer("changed").notNull(),
    },
    (it) => [kit.unique("user_email_key").on(it.emailKey)],
  ),

  agent: kit.table(
    "agent",
    {
      id: kit.text("id").primaryKey(),
      name: kit.text("name").notNull(),
      ownerId: kit.text("owner_id").notNull(),
      reviewStatus: kit.text("review_status").notNull(),
      lifecycle: kit.text<Agent["lifecycle"]>("lifecycle").notNull(),
      createdAt: kit.integer("created_at").notNull(),
      changed: kit.integer("changed").notNull(),
    },
    (it) => [kit.unique("agent_owner_name").on(it.ownerId, it.name)],
  ),

  token: kit.table(
    "token",
    {
      id: kit.text("id").primaryKey(),
      hash: kit.text("hash").notNull(),
      display: kit.text("display").notNull(),
      name: kit.text("name"),
      userId: kit.text("user_id").notNull(),
      agentId: kit.text("agent_id"),
      state: kit.text<TokenState>("state").notNull(),
      expiresAt: kit.integer("expires_at"),
      createdAt: kit.integer("created_at").notNull(),
      changed: kit.integer("changed").notNull(),
    },
    (it) => [kit.unique("token_hash").on(it.hash)],
  ),
});

/** Where calls go, what they are judged by, and how processes learn of changes. */
const service = (kit: ColumnKit) => ({
  provider: kit.table(
    "provider",
    {
      id: kit.text("id").primaryKey(),
      name: kit.text("name").notNull(),
      baseUrl: kit.text("base_url").notNull(),
      models: kit.json("models").notNull(),
      sealedKey: kit.text("sealed_key"),
      priority: kit.integer("priority").notNull(),
      createdAt: kit.integer("created_at").notNull(),
      changed: kit.integer("changed").notNull(),
    },
    (it) => [kit.unique("provider_name").on(it.name)],
  ),

  policy: kit.table("policy", {
    revision: kit.integer("revision").primaryKey(),
    source: kit.text("source").notNull(),
    createdAt: kit.integer("created_at").notNull(),
  }),

  /** `all` counts every change; `providers` keeps the revision of their last change, which a removal leaves no row for. */
  revision: kit.table("revision", {
    subject: kit.text<"all" | "providers">("subject").primaryKey(),
    value: kit.integer("value").notNull(),
  }),

  /** Serving processes, the revision each has taken in, and when it last said so. */
  hubProcess: kit.table("hub_process", {
    id: kit.text("id").primaryKey(),
    seen: kit.integer("seen").notNull(),
    heardAt: kit.integer("heard_at").notNull(),
  }),
});

/**
 * Every table but the audit log's, once for all databases. The audit log has a table a month, made at run time and
 * read by column number: see `sqlite/audit-chain.ts`.
 */
export const defineTables = (kit: ColumnKit) => ({ ...callers(kit), ...service(kit) });
