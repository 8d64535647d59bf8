import type { PageWindow } from "#core/page";
import type { ToolAssignment, ToolPin, ToolServer } from "#model/tools/tool";
import type { Decider } from "./proposal-port";
import type { Added, SerialisedRecord } from "./record";

/* What we need of a store for the tool gateway. See `port.ts` for what holds of every method. */

/** A change to a tool server. New credentials raise its `credential_version`. */
export type ToolServerPatch = {
  readonly active?: boolean;
  readonly call_ms?: number | null;
  readonly list_ms?: number | null;
  readonly protocol?: ToolServer["protocol"];
  readonly elicitation_hosts?: ToolServer["elicitation_hosts"];
  /** Together. */
  readonly published_at?: number | null;
  readonly published_as?: string | null;
  readonly credentials?: Pick<ToolServer, "credential_kind" | "sealed_credentials">;
};

/** The proposal that a tool server is made of. */
export type ApprovedProposal = Decider & { readonly id: string };

/** What a look at a server's list found: everything of a pin but what was approved. */
export type SeenTool = Omit<ToolPin, "pinned" | "pinned_hash" | "present"> & {
  /** Approve what is seen where the tool had no row yet, unless it is refused. An existing row keeps what was approved. */
  readonly pinIfNew: boolean;
  /** Approve what is seen in an existing row too: it is what was approved, with fields that were not kept then. */
  readonly isPinnedAnew?: boolean;
};

/** A definition as somebody has read it. */
export type ReadPin = Pick<ToolPin, "tool"> & {
  /** Absent for a tool. */
  readonly kind?: ToolPin["kind"];
  readonly hash: string;
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
  /**
   * `taken` when the owner has one of that slug; `full` when they have `most` already. With the proposal it is made of,
   * which is approved by that: `decided`, and nothing is written, when it does not wait any more.
   */
  add(server: ToolServer, record: SerialisedRecord, most?: number, of?: ApprovedProposal): Promise<Added | "decided">;
  /** By slug, then owner. */
  list(): Promise<ToolServer[]>;
  /** One owner's, or everybody's for null. Newest first. */
  page(ownerId: string | null, window: PageWindow, words?: string): Promise<ToolServer[]>;
  /** Those there are of these ids, in no order. */
  byIds(ids: Iterable<string>): Promise<ToolServer[]>;
  /** Of every owner, in the order of owners. */
  named(slug: string): Promise<ToolServer[]>;
  byId(id: string): Promise<ToolServer | null>;
  /** False when there is none of that id. */
  update(id: string, patch: ToolServerPatch, record: SerialisedRecord): Promise<boolean>;
  /** With its pins, assignments, grant and pending sign-ins. False when there is none of that id. */
  remove(id: string, record: SerialisedRecord): Promise<boolean>;

  /** In order of kind and name. */
  pins(serverId: string): Promise<ToolPin[]>;
  /**
   * Takes in all that a server lists: new rows are made, known ones get what was seen (their `name` stays), those not
   * in the list are marked as not present. False, and nothing is written, when none of it differs from what is stored;
   * only rows that differ get a new `seen_at`. False for a server that is gone, too. Throws on a tool listed twice.
   */
  see(serverId: string, tools: readonly SeenTool[], record: SerialisedRecord): Promise<boolean>;
  /**
   * Approves what was seen, for each tool whose `seen_hash` is still the one given and that is not refused. Returns
   * the public names approved; for none nothing is written.
   */
  pin(serverId: string, tools: readonly ReadPin[], record: SerialisedRecord): Promise<string[]>;

  /** Sets what the agent may use of the server; replaces what was set. */
  assign(assignment: ToolAssignment, record: SerialisedRecord): Promise<void>;
  /** False when nothing was assigned. */
  unassign(agentId: string, serverId: string, record: SerialisedRecord): Promise<boolean>;
  /** To one agent, or of one server. */
  assignments(of: { readonly agent_id: string } | { readonly server_id: string }): Promise<ToolAssignment[]>;

  /*
   * OAuth at tool servers. Renewed tokens are no change of governance: no record, no new revision.
   */
  grant(serverId: string): Promise<ToolGrant | null>;
  /** Compare-and-set: `expected` is the version that was read, 0 for none. False when another was first, or the server is gone. */
  saveGrant(serverId: string, expected: number, sealed: string): Promise<boolean>;
  /** Of one server only the newest few are kept. */
  beginAuthorization(pending: PendingAuthorization): Promise<void>;
  /** Takes it away: a state is good once. Null for unknown and expired ones, which are cleared out on the way. */
  consumeAuthorization(stateHash: string, now: number): Promise<PendingAuthorization | null>;
};

/** The tool gateway's registry: all servers, and the tools and assignments of those that changed. */
export type ToolRegistry = {
  readonly servers: readonly ToolServer[];
  /** Ids of the servers whose tools and assignments are given here; of the others they are as they were. */
  readonly changed: ReadonlySet<string>;
  readonly pins: readonly ToolPin[];
  readonly assignments: readonly ToolAssignment[];
};
