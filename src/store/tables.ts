import type { Agent } from "#core/agent";
import type { HaltRight } from "#core/halt";
import type { Hold } from "#core/hold";
import type { Role, User } from "#core/person";
import type { KillSwitch, Restriction } from "#core/restriction";
import type { Decision, ReviewState } from "#core/review/review";
import type { Session } from "#core/session";
import type { TokenState } from "#core/token";
import type { CredentialKind, ToolServer, Transport } from "#core/tool";
import type { ColumnKit } from "./columns";
import { keys } from "./key-tables";
import { outside, reporting, tuning } from "./loop-tables";
import { policies } from "./policy-tables";
import { watching } from "./watch-tables";

/** What revisions are counted for. `all` counts every change; the others keep the revision of their last one. */
export type ChangeSubject = "all" | "providers" | "tools" | "policies";

/** Who stopped the thing that the row is about: see `core/halt.ts`. */
const halt = (kit: ColumnKit) => ({
  haltRight: kit.text<HaltRight>("halt_right"),
  haltBy: kit.text("halt_by"),
  haltAt: kit.integer("halt_at"),
});

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
      state: kit.text<User["state"]>("state").notNull(),
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
      sponsorId: kit.text("sponsor_id"),
      description: kit.text("description"),
      environment: kit.text("environment"),
      reviewStatus: kit.text<Agent["review_status"]>("review_status").notNull(),
      lifecycle: kit.text<Agent["lifecycle"]>("lifecycle").notNull(),
      profileVersion: kit.integer("profile_version"),
      reviewDueAt: kit.integer("review_due_at"),
      createdAt: kit.integer("created_at").notNull(),
      changed: kit.integer("changed").notNull(),
      ...halt(kit),
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
      rotatedTo: kit.text("rotated_to"),
      ...halt(kit),
    },
    (it) => [kit.unique("token_hash").on(it.hash)],
  ),

  tokenUse: kit.table("token_use", {
    tokenId: kit.text("token_id").primaryKey(),
    at: kit.integer("at").notNull(),
  }),

  session: kit.table(
    "session",
    {
      id: kit.text("id").primaryKey(),
      hash: kit.text("hash").notNull(),
      userId: kit.text("user_id").notNull(),
      state: kit.text<Session["state"]>("state").notNull(),
      expiresAt: kit.integer("expires_at").notNull(),
      createdAt: kit.integer("created_at").notNull(),
      changed: kit.integer("changed").notNull(),
    },
    (it) => [kit.unique("session_hash").on(it.hash)],
  ),
});

/** How people come in for the first time, or again. What they are signed in with is in `sqlite/auth-tables.ts`. */
const arrival = (kit: ColumnKit) => ({
  invitation: kit.table("invitation", {
    id: kit.text("id").primaryKey(),
    tokenHash: kit.text("token_hash").notNull(),
    userId: kit.text("user_id").notNull(),
    createdAt: kit.integer("created_at").notNull(),
    expiresAt: kit.integer("expires_at").notNull(),
  }),

  oidcIdentity: kit.table(
    "oidc_identity",
    {
      issuer: kit.text("issuer").notNull(),
      subject: kit.text("subject").notNull(),
      userId: kit.text("user_id").notNull(),
      createdAt: kit.integer("created_at").notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.issuer, it.subject] })],
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
      givenBy: kit.text<ToolServer["given_by"]>("given_by").notNull(),
    },
    (it) => [kit.unique("provider_name").on(it.name)],
  ),

  /** A subject has a row here where a removal leaves none of its own to tell of it. */
  revision: kit.table("revision", {
    subject: kit.text<ChangeSubject>("subject").primaryKey(),
    value: kit.integer("value").notNull(),
  }),

  /** Serving processes, the revision each has taken in, and when it last said so. */
  hubProcess: kit.table("hub_process", {
    id: kit.text("id").primaryKey(),
    seen: kit.integer("seen").notNull(),
    heardAt: kit.integer("heard_at").notNull(),
  }),
});

/** The tool servers, their tools, and who may use them. */
const toolGateway = (kit: ColumnKit) => ({
  toolServer: kit.table(
    "tool_server",
    {
      id: kit.text("id").primaryKey(),
      ownerId: kit.text("owner_id").notNull(),
      slug: kit.text("slug").notNull(),
      transport: kit.text<Transport>("transport").notNull(),
      url: kit.text("url"),
      command: kit.json("command"),
      givenBy: kit.text<ToolServer["given_by"]>("given_by").notNull(),
      active: kit.boolean("active").notNull(),
      credentialKind: kit.text<CredentialKind>("credential_kind").notNull(),
      sealedCredentials: kit.text("sealed_credentials"),
      credentialVersion: kit.integer("credential_version").notNull(),
      callMs: kit.integer("call_ms"),
      listMs: kit.integer("list_ms"),
      createdAt: kit.integer("created_at").notNull(),
      // Of its tools and assignments, too.
      changed: kit.integer("changed").notNull(),
    },
    (it) => [kit.unique("tool_server_owner_slug").on(it.ownerId, it.slug)],
  ),

  toolPin: kit.table(
    "tool_pin",
    {
      serverId: kit.text("server_id").notNull(),
      tool: kit.text("tool").notNull(),
      name: kit.text("name").notNull(),
      seen: kit.text("seen").notNull(),
      seenHash: kit.text("seen_hash").notNull(),
      pinned: kit.text("pinned"),
      pinnedHash: kit.text("pinned_hash"),
      flags: kit.json("flags").notNull(),
      refused: kit.boolean("refused").notNull(),
      present: kit.boolean("present").notNull(),
      seenAt: kit.integer("seen_at").notNull(),
    },
    (it) => [
      kit.primaryKey({ columns: [it.serverId, it.tool] }),
      kit.unique("tool_pin_server_name").on(it.serverId, it.name),
    ],
  ),

  toolAssignment: kit.table(
    "tool_assignment",
    {
      agentId: kit.text("agent_id").notNull(),
      serverId: kit.text("server_id").notNull(),
      tools: kit.json("tools"),
    },
    (it) => [kit.primaryKey({ columns: [it.agentId, it.serverId] })],
  ),

  toolGrant: kit.table("tool_grant", {
    serverId: kit.text("server_id").primaryKey(),
    sealed: kit.text("sealed").notNull(),
    version: kit.integer("version").notNull(),
  }),

  toolAuthorization: kit.table("tool_authorization", {
    stateHash: kit.text("state_hash").primaryKey(),
    serverId: kit.text("server_id").notNull(),
    userId: kit.text("user_id").notNull(),
    sealed: kit.text("sealed").notNull(),
    expiresAt: kit.integer("expires_at").notNull(),
  }),
});

/** Agent Review and the profiles it makes. */
const review = (kit: ColumnKit) => ({
  review: kit.table(
    "review",
    {
      id: kit.text("id").primaryKey(),
      agentId: kit.text("agent_id").notNull(),
      number: kit.integer("number").notNull(),
      status: kit.text<ReviewState>("status").notNull(),
      answers: kit.json("answers").notNull(),
      contentHash: kit.text("content_hash"),
      risk: kit.json("risk"),
      changes: kit.json("changes").notNull(),
      submittedBy: kit.text("submitted_by"),
      submittedAt: kit.integer("submitted_at"),
      required: kit.integer("required"),
      eligible: kit.json("eligible").notNull(),
      createdAt: kit.integer("created_at").notNull(),
      updatedAt: kit.integer("updated_at").notNull(),
      revision: kit.integer("revision").notNull(),
    },
    (it) => [kit.unique("review_agent_number").on(it.agentId, it.number)],
  ),

  reviewDecision: kit.table("review_decision", {
    id: kit.text("id").primaryKey(),
    reviewId: kit.text("review_id").notNull(),
    by: kit.text("by").notNull(),
    decision: kit.text<Decision["decision"]>("decision").notNull(),
    comment: kit.text("comment"),
    contentHash: kit.text("content_hash").notNull(),
    alone: kit.boolean("alone").notNull(),
    at: kit.integer("at").notNull(),
  }),

  reviewComment: kit.table("review_comment", {
    id: kit.text("id").primaryKey(),
    reviewId: kit.text("review_id").notNull(),
    by: kit.text("by").notNull(),
    section: kit.text("section"),
    text: kit.text("text").notNull(),
    at: kit.integer("at").notNull(),
  }),

  profile: kit.table(
    "profile",
    {
      id: kit.text("id").primaryKey(),
      agentId: kit.text("agent_id").notNull(),
      version: kit.integer("version").notNull(),
      contentHash: kit.text("content_hash").notNull(),
      reviewId: kit.text("review_id"),
      body: kit.json("body").notNull(),
      approvedBy: kit.json("approved_by").notNull(),
      effectiveFrom: kit.integer("effective_from").notNull(),
      changed: kit.integer("changed").notNull(),
    },
    (it) => [kit.unique("profile_agent_version").on(it.agentId, it.version)],
  ),
});

/** What stops or narrows agents while they run. */
const governance = (kit: ColumnKit) => ({
  restriction: kit.table("restriction", {
    id: kit.text("id").primaryKey(),
    agentId: kit.text("agent_id").notNull(),
    kind: kit.text<Restriction["kind"]>("kind").notNull(),
    params: kit.json("params").notNull(),
    source: kit.text<Restriction["source"]>("source").notNull(),
    setBy: kit.text("set_by"),
    trigger: kit.json("trigger_"),
    reason: kit.text("reason").notNull(),
    startsAt: kit.integer("starts_at").notNull(),
    expiresAt: kit.integer("expires_at"),
    liftedAt: kit.integer("lifted_at"),
    liftedBy: kit.text("lifted_by"),
    liftReason: kit.text("lift_reason"),
    receipts: kit.json("receipts").notNull(),
    changed: kit.integer("changed").notNull(),
  }),

  killSwitch: kit.table("kill_switch", {
    id: kit.text("id").primaryKey(),
    level: kit.text<KillSwitch["level"]>("level").notNull(),
    target: kit.text("target"),
    reason: kit.text("reason").notNull(),
    setBy: kit.text("set_by"),
    setAt: kit.integer("set_at").notNull(),
    liftedAt: kit.integer("lifted_at"),
    liftedBy: kit.text("lifted_by"),
    liftReason: kit.text("lift_reason"),
    receipts: kit.json("receipts").notNull(),
    changed: kit.integer("changed").notNull(),
  }),

  hold: kit.table("hold", {
    id: kit.text("id").primaryKey(),
    agentId: kit.text("agent_id").notNull(),
    userId: kit.text("user_id").notNull(),
    tool: kit.text("tool").notNull(),
    callHash: kit.text("call_hash").notNull(),
    cause: kit.text("cause").notNull(),
    layer: kit.text("layer").notNull(),
    eventId: kit.text("event_id").notNull(),
    sealedArguments: kit.text("sealed_arguments").notNull(),
    state: kit.text<Hold["state"]>("state").notNull(),
    createdAt: kit.integer("created_at").notNull(),
    expiresAt: kit.integer("expires_at").notNull(),
    decidedBy: kit.text("decided_by"),
    decidedAt: kit.integer("decided_at"),
  }),
});

/**
 * Every table but the audit log's, once for all databases. The audit log has a table a month, made at run time and
 * read by column number: see `sqlite/audit-chain.ts`.
 */
export const defineTables = (kit: ColumnKit) => ({
  ...callers(kit),
  ...arrival(kit),
  ...service(kit),
  ...toolGateway(kit),
  ...review(kit),
  ...governance(kit),
  ...watching(kit),
  ...reporting(kit),
  ...tuning(kit),
  ...policies(kit),
  ...outside(kit),
  ...keys(kit),
});
