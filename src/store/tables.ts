import type { Agent, ReviewState } from "#model/agent";
import type { Hold } from "#model/hold";
import type { Role, User } from "#model/person";
import type { BreakerCause, ProviderKind } from "#model/provider";
import type { Session } from "#model/session";
import type { SuspensionRight } from "#model/suspension";
import type { TokenState } from "#model/token";
import type { CredentialKind, PinKind, ProtocolVersion, ToolServer, Transport } from "#model/tools/tool";
import type { KillSwitch, Restriction } from "#policy/restrictions/restriction";
import type { ReviewDecision } from "#policy/review/review";
import { alerts } from "./alert-tables";
import { defineAuthTables } from "./auth-tables";
import type { ColumnKit } from "./columns";
import { hookSources } from "./hook-source-tables";
import { outside, reporting, tuning } from "./loop-tables";
import { money } from "./money-tables";
import { nodes } from "./node-tables";
import { oauth } from "./oauth-tables";
import { policies } from "./policy-tables";
import { proposals } from "./proposal-tables";
import { triage } from "./triage-tables";
import { views } from "./view-tables";
import { watching } from "./watch-tables";

/* The tables about the keys that seal; `tables.ts` takes them in. Which columns hold what is sealed: `sealed-places.ts`. */

export const keys = (kit: ColumnKit) => ({
  /** Without a secret in it: the hub is older than such secrets. */
  hubSecret: kit.table("hub_secret", {
    name: kit.text().primaryKey(),
    key_id: kit.text(),
    sealed: kit.text(),
  }),

  keyRotation: kit.table("key_rotation", {
    id: kit.integer().primaryKey(),
    from_key: kit.text().notNull(),
    to_key: kit.text().notNull(),
    replaced: kit.integer().notNull(),
    begun_at: kit.integer().notNull(),
    ended_at: kit.integer(),
  }),
});

/** What revisions are counted for. `all` counts every change; the others keep the revision of their last one. */
export type ChangeSubject = "all" | "providers" | "tools" | "policies" | "prices" | "budgets" | "hook_sources";

/** Who stopped the thing that the row is about: see `model/suspension.ts`. */
const suspension = (kit: ColumnKit) => ({
  halt_right: kit.text<SuspensionRight>(),
  halt_by: kit.text(),
  halt_at: kit.integer(),
});

/** Who may call. `changed` is the revision of a row's last change, here and below. */
const callers = (kit: ColumnKit) => ({
  user: kit.table(
    "user",
    {
      id: kit.text().primaryKey(),
      email: kit.text().notNull(),
      /** Folded to lower case by us, since databases disagree about letters beyond ASCII. */
      email_key: kit.text().notNull(),
      name: kit.text(),
      role: kit.text<Role>().notNull(),
      state: kit.text<User["state"]>().notNull(),
      password_hash: kit.text(),
      created_at: kit.integer().notNull(),
      changed: kit.integer().notNull(),
    },
    (it) => [kit.unique("user_email_key").on(it.email_key)],
  ),

  agent: kit.table(
    "agent",
    {
      id: kit.text().primaryKey(),
      name: kit.text().notNull(),
      owner_id: kit.text().notNull(),
      sponsor_id: kit.text(),
      description: kit.text(),
      environment: kit.text(),
      review_status: kit.text<Agent["review_status"]>().notNull(),
      lifecycle: kit.text<Agent["lifecycle"]>().notNull(),
      profile_version: kit.integer(),
      review_due_at: kit.integer(),
      created_at: kit.integer().notNull(),
      changed: kit.integer().notNull(),
      ...suspension(kit),
    },
    (it) => [kit.unique("agent_owner_name").on(it.owner_id, it.name)],
  ),

  token: kit.table(
    "token",
    {
      id: kit.text().primaryKey(),
      hash: kit.text().notNull(),
      display: kit.text().notNull(),
      name: kit.text(),
      user_id: kit.text().notNull(),
      agent_id: kit.text(),
      state: kit.text<TokenState>().notNull(),
      expires_at: kit.integer(),
      created_at: kit.integer().notNull(),
      changed: kit.integer().notNull(),
      rotated_to: kit.text(),
      ...suspension(kit),
    },
    (it) => [kit.unique("token_hash").on(it.hash)],
  ),

  tokenUse: kit.table("token_use", {
    token_id: kit.text().primaryKey(),
    at: kit.integer().notNull(),
  }),

  session: kit.table(
    "session",
    {
      id: kit.text().primaryKey(),
      hash: kit.text().notNull(),
      user_id: kit.text().notNull(),
      state: kit.text<Session["state"]>().notNull(),
      expires_at: kit.integer().notNull(),
      created_at: kit.integer().notNull(),
      changed: kit.integer().notNull(),
    },
    (it) => [kit.unique("session_hash").on(it.hash)],
  ),
});

/** How people come in for the first time, or again. What they are signed in with is in `auth-tables.ts`. */
const arrival = (kit: ColumnKit) => ({
  invitation: kit.table("invitation", {
    id: kit.text().primaryKey(),
    token_hash: kit.text().notNull(),
    user_id: kit.text().notNull(),
    created_at: kit.integer().notNull(),
    expires_at: kit.integer().notNull(),
  }),

  oidcIdentity: kit.table(
    "oidc_identity",
    {
      issuer: kit.text().notNull(),
      subject: kit.text().notNull(),
      user_id: kit.text().notNull(),
      created_at: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.issuer, it.subject] })],
  ),
});

/** Where calls go, what they are judged by, and how processes learn of changes. */
const service = (kit: ColumnKit) => ({
  provider: kit.table(
    "provider",
    {
      id: kit.text().primaryKey(),
      name: kit.text().notNull(),
      base_url: kit.text().notNull(),
      models: kit.json().notNull(),
      sealed_key: kit.text(),
      priority: kit.integer().notNull(),
      created_at: kit.integer().notNull(),
      changed: kit.integer().notNull(),
      given_by: kit.text<ToolServer["given_by"]>().notNull(),
      kind: kit.text<ProviderKind>().notNull(),
      apis: kit.json(),
      aliases: kit.json().notNull(),
      credential: kit.json().notNull(),
    },
    (it) => [kit.unique("provider_name").on(it.name)],
  ),

  /** Breakers that are not closed, as each serving process has them. */
  providerBreaker: kit.table(
    "provider_breaker",
    {
      process_id: kit.text().notNull(),
      provider_id: kit.text().notNull(),
      state: kit.text<"open" | "half_open">().notNull(),
      cause: kit.text<BreakerCause>().notNull(),
      failures: kit.integer().notNull(),
      since: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.process_id, it.provider_id] })],
  ),

  /** A subject has a row here where a removal leaves none of its own to tell of it. */
  revision: kit.table("revision", {
    subject: kit.text<ChangeSubject>().primaryKey(),
    value: kit.integer().notNull(),
  }),

  /** Serving processes, the revision each has taken in, and when it last said so. */
  hubProcess: kit.table("hub_process", {
    id: kit.text().primaryKey(),
    seen: kit.integer().notNull(),
    heard_at: kit.integer().notNull(),
  }),
});

/** The tool servers, their tools, and who may use them. */
const toolGateway = (kit: ColumnKit) => ({
  toolServer: kit.table(
    "tool_server",
    {
      id: kit.text().primaryKey(),
      owner_id: kit.text().notNull(),
      slug: kit.text().notNull(),
      transport: kit.text<Transport>().notNull(),
      url: kit.text(),
      command: kit.json(),
      given_by: kit.text<ToolServer["given_by"]>().notNull(),
      active: kit.boolean().notNull(),
      credential_kind: kit.text<CredentialKind>().notNull(),
      sealed_credentials: kit.text(),
      credential_version: kit.integer().notNull(),
      call_ms: kit.integer(),
      list_ms: kit.integer(),
      published_at: kit.integer(),
      published_as: kit.text(),
      protocol: kit.text<ProtocolVersion>(),
      elicitation_hosts: kit.json(),
      created_at: kit.integer().notNull(),
      // Of its tools and assignments, too.
      changed: kit.integer().notNull(),
    },
    (it) => [kit.unique("tool_server_owner_slug").on(it.owner_id, it.slug)],
  ),

  toolPin: kit.table(
    "tool_pin",
    {
      server_id: kit.text().notNull(),
      kind: kit.text<PinKind>().notNull(),
      tool: kit.text().notNull(),
      name: kit.text().notNull(),
      seen: kit.text().notNull(),
      seen_hash: kit.text().notNull(),
      pinned: kit.text(),
      pinned_hash: kit.text(),
      flags: kit.json().notNull(),
      refused: kit.boolean().notNull(),
      present: kit.boolean().notNull(),
      seen_at: kit.integer().notNull(),
      lacks_meta: kit.boolean().notNull(),
    },
    (it) => [
      kit.primaryKey({ columns: [it.server_id, it.kind, it.tool] }),
      kit.unique("tool_pin_server_name").on(it.server_id, it.kind, it.name),
    ],
  ),

  toolAssignment: kit.table(
    "tool_assignment",
    {
      agent_id: kit.text().notNull(),
      server_id: kit.text().notNull(),
      tools: kit.json(),
      resources: kit.json().notNull(),
      prompts: kit.json().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.agent_id, it.server_id] })],
  ),

  toolGrant: kit.table("tool_grant", {
    server_id: kit.text().primaryKey(),
    sealed: kit.text().notNull(),
    version: kit.integer().notNull(),
  }),

  toolAuthorization: kit.table("tool_authorization", {
    state_hash: kit.text().primaryKey(),
    server_id: kit.text().notNull(),
    user_id: kit.text().notNull(),
    sealed: kit.text().notNull(),
    expires_at: kit.integer().notNull(),
  }),
});

/** Agent Review and the profiles it makes. */
const review = (kit: ColumnKit) => ({
  review: kit.table(
    "review",
    {
      id: kit.text().primaryKey(),
      agent_id: kit.text().notNull(),
      number: kit.integer().notNull(),
      status: kit.text<ReviewState>().notNull(),
      answers: kit.json().notNull(),
      content_hash: kit.text(),
      risk: kit.json(),
      changes: kit.json().notNull(),
      submitted_by: kit.text(),
      submitted_at: kit.integer(),
      required: kit.integer(),
      eligible: kit.json().notNull(),
      created_at: kit.integer().notNull(),
      updated_at: kit.integer().notNull(),
      revision: kit.integer().notNull(),
    },
    (it) => [kit.unique("review_agent_number").on(it.agent_id, it.number)],
  ),

  reviewDecision: kit.table("review_decision", {
    id: kit.text().primaryKey(),
    review_id: kit.text().notNull(),
    by: kit.text().notNull(),
    decision: kit.text<ReviewDecision["decision"]>().notNull(),
    comment: kit.text(),
    content_hash: kit.text().notNull(),
    alone: kit.boolean().notNull(),
    at: kit.integer().notNull(),
  }),

  reviewComment: kit.table("review_comment", {
    id: kit.text().primaryKey(),
    review_id: kit.text().notNull(),
    by: kit.text().notNull(),
    section: kit.text(),
    text: kit.text().notNull(),
    at: kit.integer().notNull(),
  }),

  profile: kit.table(
    "profile",
    {
      id: kit.text().primaryKey(),
      agent_id: kit.text().notNull(),
      version: kit.integer().notNull(),
      content_hash: kit.text().notNull(),
      review_id: kit.text(),
      body: kit.json().notNull(),
      approved_by: kit.json().notNull(),
      effective_from: kit.integer().notNull(),
      changed: kit.integer().notNull(),
    },
    (it) => [kit.unique("profile_agent_version").on(it.agent_id, it.version)],
  ),
});

/** What stops or narrows agents while they run. */
const governance = (kit: ColumnKit) => ({
  restriction: kit.table("restriction", {
    id: kit.text().primaryKey(),
    agent_id: kit.text().notNull(),
    kind: kit.text<Restriction["kind"]>().notNull(),
    params: kit.json().notNull(),
    source: kit.text<Restriction["source"]>().notNull(),
    set_by: kit.text(),
    trigger_: kit.json(),
    reason: kit.text().notNull(),
    starts_at: kit.integer().notNull(),
    expires_at: kit.integer(),
    lifted_at: kit.integer(),
    lifted_by: kit.text(),
    lift_reason: kit.text(),
    receipts: kit.json().notNull(),
    changed: kit.integer().notNull(),
  }),

  killSwitch: kit.table("kill_switch", {
    id: kit.text().primaryKey(),
    level: kit.text<KillSwitch["level"]>().notNull(),
    target: kit.text(),
    reason: kit.text().notNull(),
    set_by: kit.text(),
    set_at: kit.integer().notNull(),
    lifted_at: kit.integer(),
    lifted_by: kit.text(),
    lift_reason: kit.text(),
    receipts: kit.json().notNull(),
    changed: kit.integer().notNull(),
  }),

  hold: kit.table("hold", {
    id: kit.text().primaryKey(),
    agent_id: kit.text().notNull(),
    user_id: kit.text().notNull(),
    tool: kit.text().notNull(),
    call_hash: kit.text().notNull(),
    cause: kit.text().notNull(),
    layer: kit.text().notNull(),
    event_id: kit.text().notNull(),
    sealed_arguments: kit.text().notNull(),
    state: kit.text<Hold["state"]>().notNull(),
    created_at: kit.integer().notNull(),
    expires_at: kit.integer().notNull(),
    decided_by: kit.text(),
    decided_at: kit.integer(),
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
  ...nodes(kit),
  ...money(kit),
  ...views(kit),
  ...alerts(kit),
  ...toolGateway(kit),
  ...hookSources(kit),
  ...proposals(kit),
  ...review(kit),
  ...governance(kit),
  ...watching(kit),
  ...reporting(kit),
  ...triage(kit),
  ...tuning(kit),
  ...policies(kit),
  ...outside(kit),
  ...keys(kit),
  ...oauth(kit),
});

/** The tables of a dialect: ours, and under `auth` those of the identity library. */
export const tablesOf = (kit: ColumnKit) => ({ ...defineTables(kit), auth: defineAuthTables(kit) });

export type Tables = ReturnType<typeof tablesOf>;
