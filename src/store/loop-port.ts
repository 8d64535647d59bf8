import type { PageWindow } from "#core/page";
import type { PastEvent } from "#model/past-event";
import type { Report, ReportStatus } from "#model/report";
import type { Webhook, WebhookDelivery } from "#model/webhook";
import type { TuningRule } from "#policy/tuning/rule";
import type { Suggestion, SuggestionState } from "#policy/tuning/suggestion";
import type { SerialisedRecord } from "./record";

/* What we need of a store for the loop from a report to a scanner that has changed. See `port.ts` for what holds of every method. */

/** What becomes of a report that is posted. */
export type Opened =
  | { readonly kind: "created"; readonly report: Report }
  /** The same reporter, event and direction again: nothing is counted. */
  | { readonly kind: "known"; readonly report: Report }
  /** `until` is when the oldest report of the window leaves it, Unix milliseconds. */
  | { readonly kind: "over_limit"; readonly until: number };

/** Which reports are wanted; what is absent is not asked for. */
export type ReportFilter = {
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly event_id?: string | undefined;
  readonly direction?: Report["direction"] | undefined;
  readonly statuses?: readonly ReportStatus[] | undefined;
  readonly questionnaire_section?: Report["questionnaire_section"] | undefined;
  /** Taken up by this user; null for nobody. */
  readonly assignee?: string | null | undefined;
  /** Made at this moment or later. */
  readonly since?: number | undefined;
};

/** Which suggestions are wanted; what is absent is not asked for. */
export type SuggestionFilter = {
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly states?: readonly SuggestionState[] | undefined;
};

/** The same for people, who see their own, those of their agents, and states as they are at `now`. */
export type SuggestionsSeen = SuggestionFilter & {
  readonly seen_by?: string | undefined;
  readonly effect?: Suggestion["effect"] | undefined;
  readonly now: number;
};

/** Whose rules in force are wanted: of one subject, those that are over too. */
export type RulesSeen = { readonly seen_by?: string | undefined; readonly agent_id?: string | undefined };

/** A report that waits for a person, as lists need it. */
export type WaitingReport = Pick<
  Report,
  "id" | "direction" | "user_id" | "agent_id" | "flag_types" | "fingerprint" | "created_at"
>;

export type Dispute = Pick<Report, "flag_types" | "status" | "decision" | "llm_verdict">;

export type ReportStore = {
  /**
   * In one step: looks for the same report, counts the reporter's accepted ones after `since`, writes it, and queues its
   * review when `job` is given. Exact however many come at once, in however many processes.
   */
  open(
    report: Report,
    limit: { readonly most: number; readonly since: number },
    job: Job | null,
    record: SerialisedRecord,
  ): Promise<Opened>;
  /** Accepted after `since`, oldest first: when each was. */
  recent(userId: string, since: number): Promise<number[]>;
  /** The same of everybody. */
  recentOfAll(since: number): Promise<{ readonly user_id: string; readonly at: number }[]>;
  byId(id: string): Promise<Report | null>;
  /** Newest first. */
  list(filter: ReportFilter): Promise<Report[]>;
  page(filter: ReportFilter, window: PageWindow): Promise<Report[]>;
  /** Those that wait for a person, oldest first, at most `most`. */
  waiting(most: number): Promise<WaitingReport[]>;
  /** How many wait for a person. */
  countWaiting(): Promise<number>;
  /** Disputes made since then, one's own or everybody's: of each only what rates are made of. */
  disputes(filter: { readonly user_id?: string | undefined; readonly since: number }): Promise<Dispute[]>;
  /** False when its revision is no longer `expected`. With a suggestion, both are written or neither. */
  save(
    report: Report,
    expected: number,
    change: { readonly suggestion?: Suggestion; readonly record: SerialisedRecord },
  ): Promise<boolean>;
  /** Forgets content of reports closed before `closedBefore`; says how many. */
  dropContent(closedBefore: number): Promise<number>;
};

/** An index of the audit log: what it lacks is read there. */
export type PastEventStore = {
  /** What is there already stays as it is. */
  add(events: readonly PastEvent[]): Promise<void>;
  byId(id: string): Promise<PastEvent | null>;
  /** Says how many. */
  dropBefore(at: number): Promise<number>;
};

/** Work that survives a restart. `ref` names what it is about. */
export type Job = {
  readonly id: string;
  readonly kind: "report.review" | "webhook.deliver" | "alert.notify";
  readonly ref: string;
  readonly run_at: number;
  /** How often it was begun: a lease counts when it is given. */
  readonly attempts: number;
};

/** A job as people are shown it. `leased_until`: who works at it has it until then; null while it waits. */
export type SeenJob = Job & { readonly leased_until: number | null; readonly error: string | null };

export type JobStore = {
  add(job: Job): Promise<void>;
  /** What is still to be done, newest first. */
  page(window: PageWindow): Promise<SeenJob[]>;
  /** Leases what is due to `worker` until `leasedUntil`: nobody else is given it before. Earliest first. */
  lease(kind: Job["kind"], worker: string, now: number, leasedUntil: number, most: number): Promise<Job[]>;
  /** Only who holds the lease may end or put off a job; false for anybody else. */
  done(id: string, worker: string): Promise<boolean>;
  retry(id: string, worker: string, runAt: number, error: string): Promise<boolean>;
};

export type SuggestionStore = {
  /** False when the subject has `most` open ones already, counted in the same step. */
  create(suggestion: Suggestion, record: SerialisedRecord, most?: number): Promise<boolean>;
  byId(id: string): Promise<Suggestion | null>;
  /** Newest first. */
  list(filter: SuggestionFilter): Promise<Suggestion[]>;
  page(filter: SuggestionsSeen, window: PageWindow): Promise<Suggestion[]>;
  save(suggestion: Suggestion, expected: number, record: SerialisedRecord): Promise<boolean>;
};

export type TuningStore = {
  /**
   * Puts a rule in force, in one step with the suggestion it came from and a new policy revision. Null, and nothing is
   * written, when the suggestion's revision is no longer `expected`, or the latest policy revision is not `base`.
   */
  apply(
    rule: Omit<TuningRule, "revision">,
    suggestion: { readonly next: Suggestion; readonly expected: number } | null,
    base: number,
    record: (revision: number) => SerialisedRecord,
  ): Promise<TuningRule | null>;
  /**
   * Ends or changes a rule, with a new policy revision. Null, and nothing is written, when it is not active any more, or
   * the suggestion's revision is no longer `expected`. One whose time is over is active until it is set to be lapsed.
   */
  change(
    id: string,
    patch: Partial<Pick<TuningRule, "mode" | "status" | "expires_at" | "ended_at" | "change" | "match">>,
    suggestion: { readonly next: Suggestion; readonly expected: number } | null,
    record: (revision: number) => SerialisedRecord,
  ): Promise<TuningRule | null>;
  byId(id: string): Promise<TuningRule | null>;
  /** Newest first. */
  ofSubject(subject: { readonly agent_id: string } | { readonly user_id: string }): Promise<TuningRule[]>;
  active(): Promise<TuningRule[]>;
  /** Active ones whose time is over. */
  runOut(now: number): Promise<TuningRule[]>;
  /** Newest first: those in force; of one agent also those that are over. */
  page(filter: RulesSeen, window: PageWindow): Promise<TuningRule[]>;
  /** Adds to hit counts. No record: it is a summary of records. */
  hit(hits: readonly { readonly id: string; readonly hits: number; readonly at: number }[]): Promise<void>;
};

/** An answer that is given again when the same request comes again under the same key. */
export type Replay = { readonly status: number; readonly body: string };

export type IdempotencyStore = {
  /**
   * Claims a key: `fresh` for who is first, then the answer once there is one, `running` before; `mismatch` when the same
   * key came with another request. Claims older than a day are forgotten, and those without an answer after ten minutes:
   * who made one died.
   */
  claim(
    scope: string,
    key: string,
    fingerprint: string,
    now: number,
  ): Promise<
    { readonly kind: "fresh" | "running" | "mismatch" } | { readonly kind: "replay"; readonly replay: Replay }
  >;
  finish(scope: string, key: string, replay: Replay | null): Promise<void>;
};

export type WebhookStore = {
  /** False when there are `most` already, counted in the same step. */
  create(webhook: Webhook, record: SerialisedRecord, most?: number): Promise<boolean>;
  list(): Promise<Webhook[]>;
  byId(id: string): Promise<Webhook | null>;
  update(id: string, patch: Partial<Omit<Webhook, "id" | "created_at">>, record: SerialisedRecord): Promise<boolean>;
  remove(id: string, record: SerialisedRecord): Promise<boolean>;
  /**
   * Writes a delivery and queues its job in one step; neither for a webhook that is gone, nor, with `once`, for an event
   * that has a delivery to it already.
   */
  queue(delivery: WebhookDelivery, job: Job, once?: "once"): Promise<void>;
  delivery(id: string): Promise<WebhookDelivery | null>;
  saveDelivery(delivery: WebhookDelivery): Promise<void>;
  /** Newest first. */
  deliveries(webhookId: string, most: number): Promise<WebhookDelivery[]>;
  dropDeliveries(before: number): Promise<number>;
};

/** A record of a change, by its place in the order of changes. */
export type OutboxRow = { readonly seq: number; readonly record: SerialisedRecord };

/** Records of changes that nobody has told of yet. Each is put there in the same step as its change. */
export type OutboxStore = {
  /** In the order they were made. */
  pending(most: number): Promise<OutboxRow[]>;
  /** It was told of. Where several processes serve it stays for a minute, so that each finds it with `after`. */
  done(seq: number): Promise<void>;
  /** Those after that one, told of or not, in the order they were made. */
  after(seq: number, most: number): Promise<OutboxRow[]>;
  /** The place of the newest; 0 for none. */
  newest(): Promise<number>;
};
