import type { PageWindow } from "#core/page";
import type { Agent, ReviewState } from "#model/agent";
import type { Hold } from "#model/hold";
import type { KeptContent } from "#model/kept-content";
import type { GuardrailProfile, ProfileBody } from "#policy/profile/profile";
import type { KillSwitch, Receipt, Restriction } from "#policy/restrictions/restriction";
import type { Review, ReviewComment, ReviewDecision } from "#policy/review/review";
import type { SerialisedRecord } from "./record";

/* What we need of a store to govern agents. See `port.ts` for what holds of every method. */

/** What can change about an agent. A field that is absent stays. Suspending has a method of its own. */
export type AgentPatch = Partial<Omit<Agent, "id" | "created_at" | "suspension">>;

/** A profile as it is kept: `status` follows from the agent's `profile_version`. */
export type ProfileRow = Pick<
  GuardrailProfile,
  "id" | "agent_id" | "version" | "content_hash" | "review_id" | "approved_by"
> & {
  readonly body: ProfileBody;
  readonly effective_from: number;
};

/** What comes into force with a decision, in the same step. */
export type Publication = { readonly profile: ProfileRow | null; readonly agent: AgentPatch };

export type ReviewStore = {
  /** False when the agent has a review going on. */
  create(review: Review, agent: AgentPatch, record: SerialisedRecord): Promise<boolean>;
  byId(id: string): Promise<Review | null>;
  /** Newest first. */
  ofAgent(agentId: string): Promise<Review[]>;
  /** Newest first. */
  inStates(states: readonly ReviewState[]): Promise<Review[]>;
  /** The same in pages: of one owner's agents, or of all for null. */
  page(states: readonly ReviewState[], ownerId: string | null, window: PageWindow): Promise<Review[]>;
  /**
   * Stores the review as given, with what else changes with it. False, and nothing is written, when its revision is no
   * longer `expected`, or the profile's version does not follow the agent's last one. Throws when the review's new
   * revision is not above `expected`.
   */
  save(
    review: Review,
    expected: number,
    change: { readonly decision?: ReviewDecision; readonly publish?: Publication; readonly record: SerialisedRecord },
  ): Promise<boolean>;
  /** Oldest first. */
  decisions(reviewId: string): Promise<ReviewDecision[]>;
  comment(comment: ReviewComment, record: SerialisedRecord): Promise<void>;
  comments(reviewId: string): Promise<ReviewComment[]>;
};

export type ProfileStore = {
  /** Puts a profile in force, or none with `profile: null`. False when its version does not follow the last one. */
  publish(agentId: string, publication: Publication, record: SerialisedRecord): Promise<boolean>;
  /** Newest first. */
  ofAgent(agentId: string): Promise<ProfileRow[]>;
  byVersion(agentId: string, version: number): Promise<ProfileRow | null>;
};

export type RestrictionStore = {
  /** False when `most` of its kind are in force on the agent when it starts, counted in the same step. */
  set(restriction: Restriction, record: SerialisedRecord, most?: number): Promise<boolean>;
  byId(id: string): Promise<Restriction | null>;
  /** Newest first; those no longer in force too. */
  ofAgent(agentId: string): Promise<Restriction[]>;
  /** False when it was lifted already. */
  lift(
    id: string,
    lifted: { readonly at: number; readonly by: string | null; readonly reason: string },
    record: SerialisedRecord,
  ): Promise<boolean>;
  /** Adds receipts for points that have none. False when all had theirs: nothing is written. */
  confirm(id: string, receipts: readonly Receipt[], record: SerialisedRecord): Promise<boolean>;
};

export type KillSwitchStore = {
  /** False when that level and target is switched on already. */
  on(killSwitch: KillSwitch, record: SerialisedRecord): Promise<boolean>;
  /** Newest first; lifted ones too. */
  list(): Promise<KillSwitch[]>;
  /** False when it was off already. */
  off(
    id: string,
    lifted: { readonly at: number; readonly by: string | null; readonly reason: string },
    record: SerialisedRecord,
  ): Promise<boolean>;
  confirm(id: string, receipts: readonly Receipt[], record: SerialisedRecord): Promise<boolean>;
};

/** Which holds are wanted; what is absent is not asked for. `now` decides which ones have run out. */
export type HoldFilter = {
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly state?: Hold["state"] | "expired" | undefined;
  readonly now: number;
};

export type HoldStore = {
  create(hold: Hold, record: SerialisedRecord): Promise<void>;
  byId(id: string): Promise<Hold | null>;
  /** Newest first. */
  page(filter: HoldFilter, window: PageWindow): Promise<Hold[]>;
  /** Those nobody has decided and that have not run out, newest first: of one user's agents, or of all for null. */
  waiting(userId: string | null, now: number): Promise<Hold[]>;
  /** The newest hold of that call that has not run out, whatever its state. */
  ofCall(agentId: string, callHash: string, now: number): Promise<Hold | null>;
  /** The newest of that call that is `released` and has not run out. */
  releasedOf(agentId: string, callHash: string, now: number): Promise<Hold | null>;
  /** Approvals of the agent's that are not used and have not run out. */
  approvedOf(agentId: string, now: number): Promise<Hold[]>;
  /** Compare-and-set; false when it was not `waiting`, or has run out. */
  decide(
    id: string,
    decision: { readonly state: "approved" | "denied"; readonly by: string; readonly at: number },
    record: SerialisedRecord,
  ): Promise<boolean>;
  /** Takes an approval: one call passes on it. False when it was neither `approved` nor `released`, or has run out at `now`. */
  use(id: string, now: number, record: SerialisedRecord): Promise<boolean>;
  /** Lets an answer through on an approval, which its call at the tool gateway uses before `until`. False as of `use`. */
  release(id: string, now: number, until: number, record: SerialisedRecord): Promise<boolean>;
};

/** Counters by name. Sums: what is added is added to what is there. */
export type Counts = Readonly<Record<string, number>>;

export type UsageStore = {
  /** Adds to several hours at once. No record: it is a summary of records. */
  add(hours: readonly { readonly subject_id: string; readonly hour: number; readonly counts: Counts }[]): Promise<void>;
  /** Hours that begin in [since, until), oldest first. */
  read(subjectId: string, since: number, until: number): Promise<{ readonly hour: number; readonly counts: Counts }[]>;
  /** The same of everybody. */
  readAll(
    since: number,
    until: number,
  ): Promise<{ readonly subject_id: string; readonly hour: number; readonly counts: Counts }[]>;
  /** The last hour there is anything of; null for none. */
  newest(subjectId: string): Promise<{ readonly hour: number; readonly counts: Counts } | null>;
  /** What counts against budgets of the day that begins then: each subject's sum over the day's hours. */
  ofDay(day: number): Promise<{ readonly subject_id: string; readonly requests: number; readonly tokens: number }[]>;
  /** One hour's counters in the order of subjects, those that come after one, or the first for null. */
  ofHour(
    hour: number,
    after: string | null,
    limit: number,
  ): Promise<{ readonly subject_id: string; readonly counts: Counts }[]>;
  dropBefore(hour: number): Promise<number>;
};

/**
 * `band` and `drift_status` say again what is in `state`, for those who ask about many agents: the band as pages call it.
 * `at`: when computed.
 */
export type WatchRow = {
  readonly agent_id: string;
  readonly state: unknown;
  readonly at: number;
  readonly band: string | null;
  readonly drift_status: string;
};

/** Health of agents: one JSON document an agent, written by the health monitor. */
export type WatchStore = {
  /** Null for none. */
  get(agentId: string): Promise<unknown>;
  /** A state computed at an earlier moment than the one kept is left aside. */
  put(states: readonly WatchRow[]): Promise<void>;
  /** The band of each agent that has one. */
  bands(): Promise<{ readonly agent_id: string; readonly band: string }[]>;
  /** States of agents that drift, of all or of that many. */
  drifting(most?: number): Promise<{ readonly agent_id: string; readonly state: unknown }[]>;
};

export type ContentStore = {
  keep(contents: readonly KeptContent[]): Promise<void>;
  ofCall(callId: string): Promise<KeptContent[]>;
  ofEvent(eventId: string): Promise<KeptContent[]>;
  /** Deletes all that is kept of a call; says how much. Nothing is written where there is nothing. */
  remove(callId: string, record: SerialisedRecord): Promise<number>;
  /** Deletes what has expired; says how many. */
  dropExpired(now: number): Promise<number>;
};
