import type { Agent, User } from "#core/person";
import type { Token, TokenState } from "#core/token";

/*
 * What we need of a store, in the domain's words. Each method is one atomic step: a change that must happen
 * whole is one method. Everything is async although SQLite is not, so that a store over a network fits too.
 * Times are Unix milliseconds. `record` arguments are serialised audit records (see core/audit.ts) which the
 * store appends to the audit chain in the same transaction as the change: no change without its record.
 */

/** The serialised form of an `AuditRecord`: one line of JSON. */
export type SerialisedRecord = string;

export type UserStore = {
  /** False when the e-mail address (compared without case) is taken. */
  create(user: User, passwordHash: string | null, record: SerialisedRecord): Promise<boolean>;
  list(): Promise<User[]>;
  byEmail(email: string): Promise<User | null>;
};

export type AgentStore = {
  /** False when the owner has an agent of that name already. */
  create(agent: Agent, record: SerialisedRecord): Promise<boolean>;
  list(): Promise<Agent[]>;
  byId(id: string): Promise<Agent | null>;
  byName(ownerId: string, name: string): Promise<Agent | null>;
};

export type TokenStore = {
  /** False when a token with that hash exists. */
  create(token: Token, record: SerialisedRecord): Promise<boolean>;
  list(): Promise<Token[]>;
  byId(id: string): Promise<Token | null>;
  /** Compare-and-set; false when the token was in none of the states `from`. */
  setState(id: string, from: readonly TokenState[], to: TokenState, record: SerialisedRecord): Promise<boolean>;
  /** The old token becomes `rotated` and ends at `oldEndsAt`; the new one begins. False when the old one was not active. */
  rotate(oldId: string, oldEndsAt: number, next: Token, record: SerialisedRecord): Promise<boolean>;
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
};

export type ProviderStore = {
  /** False when the name is taken. */
  add(provider: ProviderRow, record: SerialisedRecord): Promise<boolean>;
  /** In order of priority, then name. */
  list(): Promise<ProviderRow[]>;
  /** False when there is none of that name. */
  remove(name: string, record: SerialisedRecord): Promise<boolean>;
};

/** A policy as it was put in force: plain JSON, compiled on reading. Revisions start at 1 and never repeat. */
export type PolicyRow = { readonly revision: number; readonly source: string; readonly created_at: number };

export type PolicyStore = {
  latest(): Promise<PolicyRow | null>;
  /** Appends revision `expected + 1`; null when another writer was first. */
  append(expected: number, source: string, createdAt: number, record: SerialisedRecord): Promise<PolicyRow | null>;
};

/** Everything the hot path needs to know about callers, as of `revision`. */
export type DirectoryChanges = {
  readonly revision: number;
  readonly users: readonly User[];
  readonly agents: readonly Agent[];
  readonly tokens: readonly Token[];
  /** All of them whenever any changed, else null. */
  readonly providers: readonly ProviderRow[] | null;
};

/**
 * How processes learn of each other's changes. Every change of users, agents, tokens, providers and policies
 * raises one counter in its own transaction.
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

/** One link of the chain: `hash = SHA-256(prev_hash ‖ seq ‖ "\n" ‖ body)`. Hashes are lower-case hex here. */
export type AuditRow = {
  readonly seq: number;
  readonly body: SerialisedRecord;
  readonly prev_hash: string;
  readonly hash: string;
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
  /** At most 20: the first ones found. */
  readonly faults: readonly AuditFault[];
};

export type AuditLog = {
  /** False from a failed write until one succeeds; the log tries by itself meanwhile. */
  readonly healthy: boolean;
  /** Resolves when the record is on disk (as the durability setting understands it); rejects when it cannot be. */
  append(record: SerialisedRecord): Promise<void>;
  /** The newest `n`, newest first. */
  tail(n: number): Promise<AuditRow[]>;
  /** Oldest first, in chunks, so that any length of log fits in memory. */
  read(query: AuditQuery): AsyncIterable<AuditRow>;
  verify(): Promise<AuditReport>;
  /** Calls let through whose final record is missing: what a crash leaves behind. Their `request` bodies. */
  openCalls(): Promise<SerialisedRecord[]>;
  /** Drops whole partitions that ended before `before`; returns their names. */
  dropBefore(before: number): Promise<string[]>;
  /** Waits for everything appended so far, signs a checkpoint. */
  flush(): Promise<void>;
};

export type Store = {
  readonly users: UserStore;
  readonly agents: AgentStore;
  readonly tokens: TokenStore;
  readonly providers: ProviderStore;
  readonly policies: PolicyStore;
  readonly changes: ChangeFeed;
  readonly audit: AuditLog;
  close(): Promise<void>;
};
