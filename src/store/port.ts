import type { PageWindow } from "#core/page";
import type { Agent } from "#model/agent";
import type { Budget } from "#model/budget";
import type { HookSource } from "#model/hook-source";
import type { ModelApiName } from "#model/model-api";
import type { Role, User } from "#model/person";
import type { PriceRow } from "#model/price";
import type { BreakerReading, ModelAliases, ProviderCredential, ProviderKind } from "#model/provider";
import type { Session } from "#model/session";
import type { StorageSample } from "#model/storage-trend";
import type { Suspension, SuspensionRight } from "#model/suspension";
import type { DisplayState, Token } from "#model/token";
import type { KillSwitch, Restriction } from "#policy/restrictions/restriction";
import type { TuningRule } from "#policy/tuning/rule";
import type { AlertStore } from "./alert-port";
import type { AnchorDetail, LogHeads } from "./audit-link";
import type { CallIndex } from "./call-index-port";
import type { ConversationStore } from "./conversation-port";
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
import type { HookSourceStore } from "./hook-source-port";
import type { LimitStore } from "./limit-port";
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
import type { BudgetStore, PriceStore } from "./money-port";
import type { NodeStore } from "./node-port";
import type { OAuthStore } from "./oauth-port";
import type { PolicyRow, PolicyStore } from "./policy-port";
import type { ProposalStore } from "./proposal-port";
import type { ProofStore } from "./proof-port";
import type { Added, AuditRow, SerialisedRecord } from "./record";
import type { HubSecretStore, SealedValues } from "./sealed-port";
import type { SharedStore } from "./shared-port";
import type { Shipping } from "./shipped-port";
import type { OidcStore, SignInStore } from "./sign-in-port";
import type { ToolRegistry, ToolServerStore } from "./tool-server-port";
import type { AssigneeStore, NoticeStore } from "./triage-port";
import type { ViewStore } from "./view-port";

/** How much was kept when: a few samples a day. No record and no revision: it governs nothing. */
export type StorageHistory = {
  add(sample: StorageSample): Promise<void>;
  /** Oldest first. */
  list(): Promise<StorageSample[]>;
  /** Drops what lies outside of [since, until): what is too old, and what a clock that ran ahead left behind. */
  keepOnly(since: number, until: number): Promise<void>;
};

/** Moments, Unix milliseconds: what ended before one of them has had its time. */
export type Ended = {
  /** Of what has records in the audit log that are dropped by now. */
  readonly governance: number;
  /** Of calls that were held for a person, with their arguments. */
  readonly holds: number;
};

/** How many rows went, by what they were of. */
export type Dropped = Readonly<
  Record<"holds" | "restrictions" | "kill_switches" | "reports" | "jobs" | "tokens" | "sessions", number>
>;

/**
 * Rows that are of no use once they are over. Never the audit log's, and nothing that still governs, opens or waits. No
 * record and no new revision: nobody is held to what is over. A few at a time, for calls go on meanwhile.
 */
export type RetentionStore = { drop(ended: Ended): Promise<Dropped> };

/*
 * What we need of a store, in the domain's words. Each method is one atomic step: a change that must happen
 * whole is one method. Everything is async although SQLite is not, so that a store over a network fits too.
 * Times are Unix milliseconds. `record` arguments are serialised audit records (see core/audit.ts) which the
 * store appends to the audit chain in the same transaction as the change: no change without its record.
 */

export type { ProposalStore } from "./proposal-port";
export type { Added } from "./record";
export type {
  ApprovedProposal,
  PendingAuthorization,
  ReadPin,
  SeenTool,
  ToolGrant,
  ToolRegistry,
  ToolServerPatch,
  ToolServerStore,
} from "./tool-server-port";
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
  /** All of them, for the command line: a serving process reads pages, or the ones it needs. */
  list(): Promise<User[]>;
  /** Newest first; those whose address or name contains the words, if some are given. */
  page(window: PageWindow, words?: string): Promise<User[]>;
  /** Those there are of these ids, in no order. */
  byIds(ids: Iterable<string>): Promise<User[]>;
  /** In no order, disabled ones too. */
  ofRoles(roles: readonly Role[]): Promise<User[]>;
  byId(id: string): Promise<User | null>;
  byEmail(email: string): Promise<User | null>;
};

export type AgentStore = {
  /** False when the owner has an agent of that name already. */
  create(agent: Agent, record: SerialisedRecord): Promise<boolean>;
  /** All of them, for the command line: a serving process reads pages, or the ones it needs. */
  list(): Promise<Agent[]>;
  /** One owner's, or everybody's for null. Newest first; those whose name or owner contains the words, if some are given. */
  page(ownerId: string | null, window: PageWindow, words?: string): Promise<Agent[]>;
  /** Those there are of these ids, in no order. */
  byIds(ids: Iterable<string>): Promise<Agent[]>;
  /** Of everybody's, compared without case. */
  named(name: string): Promise<Agent[]>;
  byId(id: string): Promise<Agent | null>;
  byName(ownerId: string, name: string): Promise<Agent | null>;
  /** False when there is none of that id, or the owner has another agent of the new name. */
  update(id: string, patch: AgentPatch, record: SerialisedRecord): Promise<boolean>;
  /** False when it is retired, or suspended by a right that this one does not outrank. */
  suspend(id: string, suspension: Suspension, record: SerialisedRecord): Promise<boolean>;
  /** False when it is not suspended, or was by a right that is not among these. */
  resume(id: string, rights: readonly SuspensionRight[], record: SerialisedRecord): Promise<boolean>;
};

/** A token with what is kept beside it and governs nothing. */
export type KeptToken = Token & {
  /** The token that took its place. */
  readonly rotated_to: string | null;
  /** To the minute. */
  readonly last_used_at: number | null;
  /** Who disabled it last; null for nobody. It says something while `state` is `disabled`. */
  readonly suspension: Suspension | null;
};

/** When a token was used. */
export type TokenUse = { readonly token_id: string; readonly at: number };

/** Which tokens are wanted; what is absent is not asked for. `now` decides which ones have expired. */
export type TokenFilter = {
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly state?: DisplayState | undefined;
  readonly now: number;
};

export type TokenLimit = { readonly most: number; readonly at: number };

export type TokenStore = {
  /**
   * `taken` when a token with that hash exists; `full` when the holder has `most` tokens already that open something at
   * the moment `limit.at`, or could again.
   */
  create(token: Token, record: SerialisedRecord, limit?: TokenLimit): Promise<Added>;
  /** All of them, for the command line: a serving process reads pages, or the ones it needs. */
  list(): Promise<Token[]>;
  byId(id: string): Promise<Token | null>;
  /** Also those that open nothing any more. */
  ofAgent(agentId: string): Promise<Token[]>;
  /** Agents with an active token that was made before then and has not expired. */
  agentsWithTokenBefore(createdBefore: number, now: number): Promise<string[]>;
  /** False when it is neither active nor disabled by a right that this one outranks. */
  disable(id: string, suspension: Suspension, record: SerialisedRecord): Promise<boolean>;
  /** False when it is not disabled, or was by a right that is not among these. */
  enable(id: string, rights: readonly SuspensionRight[], record: SerialisedRecord): Promise<boolean>;
  /** For good. False when it was revoked already. */
  revoke(id: string, record: SerialisedRecord): Promise<boolean>;
  /** The old token becomes `rotated` and ends at `oldEndsAt`; the new one begins. False when the old one was not active. */
  rotate(oldId: string, oldEndsAt: number, next: Token, record: SerialisedRecord): Promise<boolean>;
  /** Newest first. */
  page(filter: TokenFilter, window: PageWindow): Promise<KeptToken[]>;
  kept(id: string): Promise<KeptToken | null>;
  /** When the tokens of these agents were last used, as far as it is kept. */
  usesOfAgents(
    agentIds: readonly string[],
  ): Promise<{ readonly id: string; readonly agent_id: string; readonly last_used_at: number | null }[]>;
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
  readonly kind: ProviderKind;
  /** What it is asked by; null for what is usual for its kind. */
  readonly apis: readonly ModelApiName[] | null;
  readonly aliases: ModelAliases;
  /** Where its credential comes from; `sealed_key` is the secret of it that the hub keeps. */
  readonly credential: ProviderCredential;
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
  /** What a serving process says of a provider's breaker. No change of governance: no record, no new revision. */
  noteBreaker(processId: string, providerId: string, reading: BreakerReading): Promise<void>;
  /** Breakers that are not closed, of processes that serve, by provider: what was said last comes first. */
  breakers(): Promise<readonly NotedBreaker[]>;
};

export type NotedBreaker = BreakerReading & { readonly provider_id: string };

export type SessionStore = {
  create(session: Session, record: SerialisedRecord): Promise<void>;
  list(): Promise<Session[]>;
  /** False when there is no active one of that id. */
  revoke(id: string, record: SerialisedRecord): Promise<boolean>;
};

/** Everything the hot path needs to know about callers, as of `revision`. */
export type FeedChanges = {
  readonly revision: number;
  readonly users: readonly User[];
  readonly agents: readonly Agent[];
  readonly tokens: readonly Token[];
  readonly sessions: readonly Session[];
  /** All of them whenever any changed, else null. */
  readonly providers: readonly ProviderRow[] | null;
  /** Null where nothing of it changed. */
  readonly tools: ToolRegistry | null;
  readonly profiles: readonly ProfileRow[];
  /** Also those that are no longer in force. */
  readonly restrictions: readonly Restriction[];
  readonly kill_switches: readonly KillSwitch[];
  /** Also those that are no longer in force: of a subject's rules the highest revision is that of its last change. */
  readonly tuning: readonly TuningRule[];
  /** The latest one whenever a policy was put in force, else null. */
  readonly policy: PolicyRow | null;
  /** All of them whenever any changed, else null; so are budgets. */
  readonly prices: readonly PriceRow[] | null;
  readonly budgets: readonly Budget[] | null;
  /** All of them whenever any changed, else null. */
  readonly hook_sources: readonly HookSource[] | null;
};

/** A serving process without a heartbeat for this long is dead: not waited for, and not believed. */
export const PROCESS_SILENCE_MS = 30_000;

/**
 * How processes learn of each other's changes. Every change of users, agents and what governs them, tokens, sessions,
 * providers, tools and policies raises one counter in its own transaction.
 */
export type ChangeFeed = {
  revision(): Promise<number>;
  /** Rows whose last change is later than `since`; `since` 0 gives all. */
  changesSince(since: number): Promise<FeedChanges>;
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

/** `node`: in whose log; absent in the main one. */
export type AuditFault = { readonly seq: number; readonly problem: string; readonly node?: string };

/** What was verified of one node's log. */
export type NodeReport = {
  readonly node: string;
  readonly ok: boolean;
  readonly records: number;
  readonly checkpoints: number;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  readonly head: string | null;
};

/** Of all logs of a store; `first_seq`, `last_seq`, `head` and `chained_from` are those of the main one. */
export type AuditReport = {
  readonly ok: boolean;
  /** In all logs, as `checkpoints`. */
  readonly records: number;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  readonly head: string | null;
  readonly checkpoints: number;
  /** The record from which on checkpoints are chained; null for a log of before, and an empty one. */
  readonly chained_from: number | null;
  /** At most 20: the first ones found. */
  readonly faults: readonly AuditFault[];
  /** Logs of processes that serve beside others; absent where there are none. */
  readonly nodes?: readonly NodeReport[];
};

/** What a log says of itself. */
export type LogState = {
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

/** What the main log says of itself, and those of nodes; `nodes` is absent where there are none. */
export type AuditLogState = LogState & {
  readonly nodes?: readonly (LogState & { readonly node: string; readonly origin: string })[];
};

export type AuditLog = {
  /** False from a failed write until one succeeds; the log tries by itself meanwhile. */
  readonly healthy: boolean;
  /** Records that wait to be written. */
  readonly waiting: number;
  /** Resolves when the record is on disk (as the durability setting understands it); rejects when it cannot be. */
  append(record: SerialisedRecord): Promise<void>;
  /** The newest `n` of all logs, newest first. */
  tail(n: number): Promise<AuditRow[]>;
  /** Of all logs. Oldest first, in chunks, so that any length of log fits in memory. */
  read(query: AuditQuery): AsyncIterable<AuditRow>;
  verify(): Promise<AuditReport>;
  /** Calls let through whose final record is missing: what a crash leaves behind. Their `request` bodies. */
  openCalls(): Promise<SerialisedRecord[]>;
  /**
   * Appends the end of each open call that no live node has under way, as `endOf` makes it of its `request` body; null
   * leaves it. Several processes may do so at the same time: a call is ended once. Returns how many there were.
   */
  endAbandoned(endOf: (request: SerialisedRecord) => SerialisedRecord | null): Promise<number>;
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
  /**
   * Notes in the log of this data directory where those of its processes stand, and the chain of changes where that is
   * elsewhere, as `recordOf` says it, unless it was noted already: what is missing of them after that is found by
   * verification.
   */
  anchor(recordOf: (detail: AnchorDetail) => SerialisedRecord): Promise<void>;
  /** Where the log of a node ends that is about to be removed; nothing where there is none. */
  closing(node: string): Promise<LogHeads>;
};

export type Store = {
  readonly users: UserStore;
  readonly agents: AgentStore;
  readonly tokens: TokenStore;
  readonly providers: ProviderStore;
  readonly tools: ToolServerStore;
  readonly proposals: ProposalStore;
  readonly hookSources: HookSourceStore;
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
  readonly assignees: AssigneeStore;
  readonly notices: NoticeStore;
  readonly jobs: JobStore;
  readonly suggestions: SuggestionStore;
  readonly tuning: TuningStore;
  readonly idempotency: IdempotencyStore;
  readonly webhooks: WebhookStore;
  readonly outbox: OutboxStore;
  readonly secrets: HubSecretStore;
  readonly sealed: SealedValues;
  readonly limitUse: LimitStore;
  readonly said: ConversationStore;
  readonly prices: PriceStore;
  readonly budgets: BudgetStore;
  readonly views: ViewStore;
  readonly alerts: AlertStore;
  readonly nodes: NodeStore;
  readonly shared: SharedStore;
  readonly changes: ChangeFeed;
  readonly retention: RetentionStore;
  readonly storage: StorageHistory;
  readonly audit: AuditLog & AuditUpkeep;
  readonly proofs: ProofStore;
  readonly calls: CallIndex;
  /** Null where records stay in the data directory. */
  readonly shipping: Shipping | null;
  /** Upkeep that takes long ends after the slice it is at: for a process that is about to end. */
  stopUpkeep(): void;
  close(): Promise<void>;
};
