import type { Agent } from "#core/agent";
import type { Halt, HaltRight } from "#core/halt";
import type { User } from "#core/person";
import type { KillSwitch, Restriction } from "#core/restriction";
import type { Session } from "#core/session";
import type { Token } from "#core/token";
import type { ToolAssignment, ToolPin, ToolServer } from "#core/tool";
import type { TuningRule } from "#core/tuning/rule";
import type { CallIndex } from "./call-index-port";
import type {
  AgentPatch,
  ContentStore,
  HoldStore,
  KillSwitchStore,
  ProfileRow,
  ProfileStore,
  RestrictionStore,
  ReviewStore,
  UsageStore,
  WatchStore,
} from "./governance-port";
import type {
  IdempotencyStore,
  JobStore,
  OutboxStore,
  PastEventStore,
  ReportStore,
  SuggestionStore,
  TuningStore,
  WebhookStore,
} from "./loop-port";
import type { OAuthStore } from "./oauth-port";
import type { OidcStore } from "./oidc-port";
import type { PolicyRow, PolicyStore } from "./policy-port";
import type { AuditRow, SerialisedRecord } from "./record";
import type { RetentionStore } from "./retention-port";
import type { HubSecretStore, SealedValues } from "./sealed-port";
import type { SignInStore } from "./sign-in-port";
import type { StorageHistory } from "./storage-port";

/*
 * What we need of a store, in the domain's words. Each method is one atomic step: a change that must happen
 * whole is one method. Everything is async although SQLite is not, so that a store over a network fits too.
 * Times are Unix milliseconds. `record` arguments are serialised audit records (see core/audit.ts) which the
 * store appends to the audit chain in the same transaction as the change: no change without its record.
 */

export type { AuditRow, SerialisedRecord };

export type UserPatch = Partial<Pick<User, "role" | "state">>;

export type UserStore = {
  /** False when the e-mail address (compared without case) is taken. */
  create(user: User, passwordHash: string | null, record: SerialisedRecord): Promise<boolean>;
  /** The same while there is no active administrator. Of several at once one succeeds. */
  createFirstAdmin(
    user: User,
    passwordHash: string,
    record: SerialisedRecord,
  ): Promise<"created" | "taken" | "not_the_first">;
  /**
   * Disabling ends the user's browser sessions and the grants of their OAuth clients for good; tokens and session
   * keys only rest. The last active administrator stays one.
   */
  update(id: string, patch: UserPatch, record: SerialisedRecord): Promise<"done" | "missing" | "last_admin">;
  list(): Promise<User[]>;
  byId(id: string): Promise<User | null>;
  byEmail(email: string): Promise<User | null>;
};

export type AgentStore = {
  /** False when the owner has an agent of that name already. */
  create(agent: Agent, record: SerialisedRecord): Promise<boolean>;
  list(): Promise<Agent[]>;
  byId(id: string): Promise<Agent | null>;
  byName(ownerId: string, name: string): Promise<Agent | null>;
  /** False when there is none of that id, or the owner has another agent of the new name. */
  update(id: string, patch: AgentPatch, record: SerialisedRecord): Promise<boolean>;
  /** False when it is retired, or suspended by a right that this one does not outrank. */
  suspend(id: string, halt: Halt, record: SerialisedRecord): Promise<boolean>;
  /** False when it is not suspended, or was by a right that is not among these. */
  resume(id: string, rights: readonly HaltRight[], record: SerialisedRecord): Promise<boolean>;
};

/** A token with what is kept beside it and governs nothing. */
export type KeptToken = Token & {
  /** The token that took its place. */
  readonly rotated_to: string | null;
  /** To the minute. */
  readonly last_used_at: number | null;
  /** Who disabled it last; null for nobody. It says something while `state` is `disabled`. */
  readonly halt: Halt | null;
};

/**
 * What became of something that was to be added. Limits are counted in the step that adds: they hold however many come
 * at once, in however many processes.
 */
export type Added = "done" | "taken" | "full";

/** When a token opened the door. */
export type TokenUse = { readonly token_id: string; readonly at: number };

export type TokenLimit = { readonly most: number; readonly at: number };

export type TokenStore = {
  /**
   * `taken` when a token with that hash exists; `full` when the holder has `most` tokens already that open something at
   * the moment `limit.at`, or could again.
   */
  create(token: Token, record: SerialisedRecord, limit?: TokenLimit): Promise<Added>;
  list(): Promise<Token[]>;
  byId(id: string): Promise<Token | null>;
  /** False when it is neither active nor disabled by a right that this one outranks. */
  disable(id: string, halt: Halt, record: SerialisedRecord): Promise<boolean>;
  /** False when it is not disabled, or was by a right that is not among these. */
  enable(id: string, rights: readonly HaltRight[], record: SerialisedRecord): Promise<boolean>;
  /** For good. False when it was revoked already. */
  revoke(id: string, record: SerialisedRecord): Promise<boolean>;
  /** The old token becomes `rotated` and ends at `oldEndsAt`; the new one begins. False when the old one was not active. */
  rotate(oldId: string, oldEndsAt: number, next: Token, record: SerialisedRecord): Promise<boolean>;
  /** Newest first: one user's, or everybody's for `null`. */
  kept(userId: string | null): Promise<KeptToken[]>;
  /** No change of governance: no record, no new revision. What is earlier than what is stored is no news. */
  noteUses(uses: readonly TokenUse[]): Promise<void>;
};

/** A provider as it is kept. `sealed_key` is the encrypted API key, or null for none. */
export type ProviderRow = {
  readonly id: string;
  readonly name: string;
  readonly base_url: string;
  readonly models: readonly string[];
  readonly sealed_key: string | null;
  /** Lower goes first; ties go by name. */
  readonly priority: number;
  readonly created_at: number;
  /** Who gave the address: an operator's may be private, a user's is checked at every connection. */
  readonly given_by: "operator" | "user";
};

export type ProviderPatch = Partial<Omit<ProviderRow, "id" | "created_at">>;

export type ProviderStore = {
  /** `taken` when there is one of the name; `full` when there are `most` already. */
  add(provider: ProviderRow, record: SerialisedRecord, most?: number): Promise<Added>;
  /** In order of priority, then name. */
  list(): Promise<ProviderRow[]>;
  update(id: string, patch: ProviderPatch, record: SerialisedRecord): Promise<"done" | "missing" | "taken">;
  /** False when there is none of that name. */
  remove(name: string, record: SerialisedRecord): Promise<boolean>;
};

/** A change to a tool server. New credentials raise its `credential_version`. */
export type ToolServerPatch = {
  readonly active?: boolean;
  readonly call_ms?: number | null;
  readonly list_ms?: number | null;
  readonly credentials?: Pick<ToolServer, "credential_kind" | "sealed_credentials">;
};

/** What a look at a server's list found: everything of a pin but what was approved. */
export type SeenTool = Omit<ToolPin, "pinned" | "pinned_hash" | "present"> & {
  /** Approve what is seen where the tool had no row yet, unless it is refused. An existing row keeps what was approved. */
  readonly pinIfNew: boolean;
};

/** Tokens an OAuth server gave for a tool server, sealed. `version` counts every renewal. */
export type ToolGrant = { readonly server_id: string; readonly sealed: string; readonly version: number };

/** A sign-in at a tool server's OAuth server that was begun: found again by its state, once. */
export type PendingAuthorization = {
  /** SHA-256 of the state, base64. */
  readonly state_hash: string;
  readonly server_id: string;
  readonly user_id: string;
  /** Sealed: the PKCE verifier and what else the exchange needs. */
  readonly sealed: string;
  readonly expires_at: number;
};

export type ToolServerStore = {
  /** `taken` when the owner has one of that slug; `full` when they have `most` already. */
  add(server: ToolServer, record: SerialisedRecord, most?: number): Promise<Added>;
  /** By slug, then owner. */
  list(): Promise<ToolServer[]>;
  byId(id: string): Promise<ToolServer | null>;
  bySlug(ownerId: string, slug: string): Promise<ToolServer | null>;
  /** False when there is none of that id. */
  update(id: string, patch: ToolServerPatch, record: SerialisedRecord): Promise<boolean>;
  /** With its pins, assignments, grant and pending sign-ins. False when there is none of that id. */
  remove(id: string, record: SerialisedRecord): Promise<boolean>;

  /** In order of name. */
  pins(serverId: string): Promise<ToolPin[]>;
  /**
   * Takes in a server's whole list: new rows are made, known ones get what was seen (their `name` stays), those not
   * in the list are marked as not present. False, and nothing is written, when none of it differs from what is stored;
   * only rows that differ get a new `seen_at`. False for a server that is gone, too. Throws on a tool listed twice.
   */
  see(serverId: string, tools: readonly SeenTool[], record: SerialisedRecord): Promise<boolean>;
  /**
   * Approves what was seen, for each tool whose `seen_hash` is still the one given and that is not refused. Returns
   * the public names approved; for none nothing is written.
   */
  pin(
    serverId: string,
    tools: readonly { readonly tool: string; readonly hash: string }[],
    record: SerialisedRecord,
  ): Promise<string[]>;

  /** Sets what the agent may use of the server; replaces what was set. */
  assign(assignment: ToolAssignment, record: SerialisedRecord): Promise<void>;
  /** False when nothing was assigned. */
  unassign(agentId: string, serverId: string, record: SerialisedRecord): Promise<boolean>;
  assignments(): Promise<ToolAssignment[]>;

  /*
   * OAuth at tool servers. Renewed tokens are no change of governance: no record, no new revision.
   */
  grant(serverId: string): Promise<ToolGrant | null>;
  /** Compare-and-set: `expected` is the version that was read, 0 for none. False when another was first, or the server is gone. */
  saveGrant(serverId: string, expected: number, sealed: string): Promise<boolean>;
  /** Of one server only the newest few are kept. */
  beginAuthorization(pending: PendingAuthorization): Promise<void>;
  /** Takes it away: a state is good once. Null for unknown and expired ones, which are cleared out on the way. */
  takeAuthorization(stateHash: string, now: number): Promise<PendingAuthorization | null>;
};

export type SessionStore = {
  create(session: Session, record: SerialisedRecord): Promise<void>;
  list(): Promise<Session[]>;
  /** False when there is no active one of that id. */
  revoke(id: string, record: SerialisedRecord): Promise<boolean>;
};

/** All of the tool gateway's registry. */
export type ToolRegistry = {
  readonly servers: readonly ToolServer[];
  readonly pins: readonly ToolPin[];
  readonly assignments: readonly ToolAssignment[];
};

/** Everything the hot path needs to know about callers, as of `revision`. */
export type DirectoryChanges = {
  readonly revision: number;
  readonly users: readonly User[];
  readonly agents: readonly Agent[];
  readonly tokens: readonly Token[];
  readonly sessions: readonly Session[];
  /** All of them whenever any changed, else null. */
  readonly providers: readonly ProviderRow[] | null;
  /** The same. */
  readonly tools: ToolRegistry | null;
  readonly profiles: readonly ProfileRow[];
  /** Also those that are no longer in force. */
  readonly restrictions: readonly Restriction[];
  readonly kill_switches: readonly KillSwitch[];
  /** Also those that are no longer in force: of a subject's rules the highest revision is that of its last change. */
  readonly tuning: readonly TuningRule[];
  /** The latest one whenever a policy was put in force, else null. */
  readonly policy: PolicyRow | null;
};

/**
 * How processes learn of each other's changes. Every change of users, agents and what governs them, tokens, sessions,
 * providers, tools and policies raises one counter in its own transaction.
 */
export type ChangeFeed = {
  revision(): Promise<number>;
  /** Rows whose last change is later than `since`; `since` 0 gives all. */
  changesSince(since: number): Promise<DirectoryChanges>;
  /**
   * A serving process says what it has taken in, so that a command line can wait for it. False when the store is
   * busy: nobody waits for a lock here, it is said again a moment later.
   */
  acknowledge(processId: string, revision: number): Promise<boolean>;
  /** The lowest revision any registered serving process has taken in; null when none is registered. */
  acknowledged(): Promise<number | null>;
  forget(processId: string): Promise<void>;
};

export type AuditQuery = {
  /** Unix milliseconds, inclusive and exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
};

export type AuditFault = { readonly seq: number; readonly problem: string };

export type AuditReport = {
  readonly ok: boolean;
  readonly records: number;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  readonly head: string | null;
  readonly checkpoints: number;
  /** The record from which on checkpoints are chained; null for a log of before, and an empty one. */
  readonly chained_from: number | null;
  /** At most 20: the first ones found. */
  readonly faults: readonly AuditFault[];
};

/** What the log says of itself. */
export type AuditLogState = {
  readonly head: { readonly seq: number; readonly hash: string } | null;
  readonly checkpoint: { readonly seq: number; readonly at: number; readonly key_id: string } | null;
  /** Newest first. `dropped_at`: when retention took it. */
  readonly months: readonly {
    readonly month: string;
    readonly first_seq: number;
    readonly last_seq: number;
    readonly dropped_at: number | null;
  }[];
};

export type AuditLog = {
  /** False from a failed write until one succeeds; the log tries by itself meanwhile. */
  readonly healthy: boolean;
  /** Records that wait to be written. */
  readonly waiting: number;
  /** Resolves when the record is on disk (as the durability setting understands it); rejects when it cannot be. */
  append(record: SerialisedRecord): Promise<void>;
  /** The newest `n`, newest first. */
  tail(n: number): Promise<AuditRow[]>;
  /** Oldest first, in chunks, so that any length of log fits in memory. */
  read(query: AuditQuery): AsyncIterable<AuditRow>;
  verify(): Promise<AuditReport>;
  /** Calls let through whose final record is missing: what a crash leaves behind. Their `request` bodies. */
  openCalls(): Promise<SerialisedRecord[]>;
  /**
   * Drops whole months that ended before `before`, with the record that says so, and returns their names. Nobody finds
   * them any more when it resolves; their rows are removed little by little after that, also over several starts.
   */
  dropBefore(before: number, recordOf: (months: readonly string[]) => SerialisedRecord): Promise<string[]>;
  /** Waits for everything appended so far, signs a checkpoint. */
  flush(): Promise<void>;
};

/** For those who look after the log beside calls. */
export type AuditUpkeep = {
  /** Verifies a little at a time: `between` is told how many records were read and says when to go on. */
  verifySlowly(between: (records: number) => Promise<void>): Promise<AuditReport>;
  state(): Promise<AuditLogState>;
};

export type Store = {
  readonly users: UserStore;
  readonly agents: AgentStore;
  readonly tokens: TokenStore;
  readonly providers: ProviderStore;
  readonly tools: ToolServerStore;
  readonly sessions: SessionStore;
  readonly signIn: SignInStore;
  readonly oauth: OAuthStore;
  readonly oidc: OidcStore;
  readonly policies: PolicyStore;
  readonly reviews: ReviewStore;
  readonly profiles: ProfileStore;
  readonly restrictions: RestrictionStore;
  readonly killSwitches: KillSwitchStore;
  readonly holds: HoldStore;
  readonly usage: UsageStore;
  readonly watch: WatchStore;
  readonly content: ContentStore;
  readonly pastEvents: PastEventStore;
  readonly reports: ReportStore;
  readonly jobs: JobStore;
  readonly suggestions: SuggestionStore;
  readonly tuning: TuningStore;
  readonly idempotency: IdempotencyStore;
  readonly webhooks: WebhookStore;
  readonly outbox: OutboxStore;
  readonly secrets: HubSecretStore;
  readonly sealed: SealedValues;
  readonly changes: ChangeFeed;
  readonly retention: RetentionStore;
  readonly storage: StorageHistory;
  readonly audit: AuditLog & AuditUpkeep;
  readonly calls: CallIndex;
  close(): Promise<void>;
};
