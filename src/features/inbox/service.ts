import { GuardError } from "#core/errors";
import type { Agent } from "#model/agent";
import { type Actor, changeRecord } from "#model/change";
import { type Likeness, likeGroups } from "#model/likeness";
import type { User } from "#model/person";
import type { Direction } from "#model/report";
import type { Assignee } from "#model/triage";
import type { Clock } from "#platform/clock";
import { timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { UserStore } from "#store/port";
import type { AssigneeStore } from "#store/triage-port";
import { type ItemRef, resultsOf } from "./results";
import type { Inbox, InboxItem, InboxKind, InboxPlace, InboxResults } from "./schema";
import { MAX_ITEMS } from "./schema";

/** Something that waits for this person, before it has names. */
export type WaitingItem = {
  readonly id: string;
  readonly kind: InboxKind;
  readonly title: string;
  readonly subject: string;
  readonly agent_id: string | null;
  readonly requested_by: string | null;
  /** Unix milliseconds. */
  readonly since: number;
  readonly expires_at: number | null;
  readonly url: string;
  readonly alone: boolean;
  /** Of a suggestion. */
  readonly content_hash?: string;
  /** Of a report. */
  readonly report?: {
    readonly direction: Direction;
    readonly flag_types: readonly string[];
    readonly likeness: Likeness;
  };
};

/** What may wait for somebody: only what they may decide on. */
export type WaitingFor = (user: User, now: number) => Promise<readonly WaitingItem[]>;

type InboxServiceNeeds = {
  readonly sources: readonly WaitingFor[];
  /** How many reports wait that the sources do not have. */
  readonly reportsBeyond: () => Promise<number>;
  readonly assignees: AssigneeStore;
  readonly users: Pick<UserStore, "byEmail">;
  readonly people: { user(id: string): User | null; agent(id: string): Agent | null };
  readonly onUnexpected: (error: unknown) => void;
  readonly now: Clock;
  readonly ids: Ids;
};

export type InboxWanted = {
  readonly kind?: InboxKind | undefined;
  readonly assignee?: "me" | "none" | undefined;
  /** Like reports are one item. */
  readonly grouped?: boolean | undefined;
};

const NONE: Readonly<Record<InboxKind, number>> = {
  review: 0,
  tuning: 0,
  policy: 0,
  held_call: 0,
  rebaseline: 0,
  tool_definition: 0,
  report: 0,
};

/** More than are ever assigned at once; older ones count as nobody's. */
const MAX_ASSIGNEES = 10_000;
/** What nobody has decided by then has run out, or is anybody's again. */
const ASSIGNED_MS = 90 * 86_400_000;

/** First words of audit records, and what their subject is called there. */
const RECORDED: Readonly<Record<InboxKind, readonly [noun: string, subject: string]>> = {
  review: ["review", "review"],
  tuning: ["tuning", "suggestion"],
  policy: ["policy", "policy_proposal"],
  held_call: ["hold", "hold"],
  rebaseline: ["drift", "agent"],
  tool_definition: ["tool_server", "tool_server"],
  report: ["report", "report"],
};

type Waiting = { readonly items: readonly WaitingItem[]; readonly assigneeOf: (item: ItemRef) => string | null };

/** Everything that waits for one person, in one list. */
export class InboxService {
  constructor(private readonly deps: InboxServiceNeeds) {}

  /** Oldest first: what waits longest is first. */
  async list(
    user: User,
    wanted: InboxWanted,
    { from, limit }: { readonly from: number; readonly limit: number },
  ): Promise<Omit<Inbox, "object" | "next_cursor">> {
    const waiting = await this.waiting(user);
    const assigned = { mine: 0, unassigned: 0 };
    for (const item of waiting.items) {
      const assignee = waiting.assigneeOf(item);
      if (assignee === user.id) assigned.mine += 1;
      if (assignee === null) assigned.unassigned += 1;
    }
    const groups = this.groups(user, waiting, wanted);
    const data = groups.slice(from, from + limit).map((group) => this.shown(waiting, group));
    const counts = countsOf(waiting.items);
    // Who decides on none is told of none.
    const more_reports = counts.report === 0 ? 0 : await this.deps.reportsBeyond();
    return { data, counts, more_reports, assigned, has_more: groups.length > from + limit };
  }

  /** How much waits for somebody, by kind. */
  async counts(user: User): Promise<Inbox["counts"]> {
    return countsOf((await this.waiting(user)).items);
  }

  /** What is before and after an item of the list of its kind; `since` is when it began to wait, if it does no more. */
  async place(user: User, kind: InboxKind, id: string, since: number | null): Promise<InboxPlace> {
    const waiting = await this.waiting(user);
    const items = waiting.items.filter((item) => item.kind === kind);
    const at = items.findIndex((item) => item.id === id);
    const after = items.findIndex((item) => since !== null && item.since >= since);
    // Where nothing is later than what was decided, it goes on with the oldest.
    const next = items[at === -1 ? Math.max(after, 0) : at + 1];
    const previous = items[at === -1 ? (after === -1 ? items.length : after) - 1 : at - 1];
    const alone = (item: WaitingItem | undefined) => (item ? this.shown(waiting, [item]) : null);
    const item = items[at];
    const group = item && this.groups(user, waiting, { kind, grouped: true }).find((one) => one.includes(item));
    return {
      object: "inbox.place",
      item: item ? this.shown(waiting, [item, ...(group ?? []).filter((one) => one !== item)]) : null,
      previous: alone(previous),
      next: alone(next),
      position: at === -1 ? null : at + 1,
      waiting: items.length,
    };
  }

  /** Says who takes items up: only who may decide on them, and only by who may. An unknown user may decide on nothing. */
  async assign(
    acting: { readonly user: User; readonly by: Actor },
    items: readonly ItemRef[],
    to: string | null,
  ): Promise<InboxResults> {
    const assignee = to === null || to === "me" ? acting.user : await this.deps.users.byEmail(to.trim());
    const own = await this.decidable(acting.user);
    const theirs = assignee?.id === acting.user.id ? own : await this.decidable(assignee);
    return resultsOf(items, this.deps.onUnexpected, async (ref) => {
      const item = own.get(keyOf(ref));
      if (!item) throw new GuardError("not_found", "It does not wait for your decision.");
      if (assignee === null || !theirs.has(keyOf(ref))) {
        throw new GuardError("insufficient_scope", "This user does not decide on it.");
      }
      const { kind, id: subject_id } = item;
      const user_id = to === null ? null : assignee.id;
      const record = this.record(acting.by, item, user_id);
      const { assignees, now } = this.deps;
      if (user_id === null) await assignees.remove({ kind, subject_id }, record);
      else await assignees.put({ kind, subject_id, user_id, at: now() }, record);
    });
  }

  /** To be called from time to time. */
  forget(now: number): Promise<number> {
    return this.deps.assignees.dropBefore(now - ASSIGNED_MS);
  }

  private async waiting(user: User): Promise<Waiting> {
    const now = this.deps.now();
    const found = (await Promise.all(this.deps.sources.map((source) => source(user, now)))).flat();
    const items = found.toSorted((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1));
    const assigned = new Map(
      (await this.deps.assignees.list(MAX_ASSIGNEES)).map((one) => [keyOf(refOf(one)), one.user_id]),
    );
    return { items, assigneeOf: (item) => assigned.get(keyOf(item)) ?? null };
  }

  private async decidable(user: User | null): Promise<ReadonlyMap<string, WaitingItem>> {
    if (user?.state !== "active") return new Map();
    return new Map((await this.waiting(user)).items.map((item) => [keyOf(item), item]));
  }

  private groups(user: User, { items, assigneeOf }: Waiting, { kind, assignee, grouped }: InboxWanted) {
    const wanted = items.filter((item) => {
      if (kind !== undefined && item.kind !== kind) return false;
      if (assignee === undefined) return true;
      return assigneeOf(item) === (assignee === "me" ? user.id : null);
    });
    return grouped ? likeGroups(wanted, ({ report }) => report?.likeness ?? null) : wanted.map((item) => [item]);
  }

  private shown({ assigneeOf }: Waiting, group: readonly WaitingItem[]): InboxItem {
    const [first, ...like] = group;
    if (!first) throw new Error("a group without items");
    const { agent_id, requested_by, since, expires_at, report, content_hash = null, ...item } = first;
    const agent = agent_id === null ? null : this.deps.people.agent(agent_id);
    return {
      ...item,
      content_hash,
      direction: report?.direction ?? null,
      flag_types: report?.flag_types ?? [],
      agent: agent && { id: agent.id, name: agent.name },
      requested_by: this.email(requested_by),
      since: timestamp(since),
      expires_at: expires_at === null ? null : timestamp(expires_at),
      assignee: this.email(assigneeOf(first)),
      like: like.slice(0, MAX_ITEMS - 1).map(({ id }) => id),
      like_count: like.length,
      requesters: new Set(group.flatMap((one) => one.requested_by ?? [])).size,
    };
  }

  private email(userId: string | null): string | null {
    return userId === null ? null : (this.deps.people.user(userId)?.email ?? userId);
  }

  private record(by: Actor, { kind, id, agent_id }: WaitingItem, assignee: string | null): string {
    const [noun, subject] = RECORDED[kind];
    const change = { kind: `${noun}.assign`, by, subject, subject_id: id, detail: { assignee, agent_id } };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const countsOf = (items: readonly WaitingItem[]): Inbox["counts"] => {
  const counts = { ...NONE, total: items.length };
  for (const { kind } of items) counts[kind] += 1;
  return counts;
};

const keyOf = ({ kind, id }: ItemRef): string => `${kind} ${id.toLowerCase()}`;

const refOf = ({ kind, subject_id }: Assignee): ItemRef => ({ kind, id: subject_id });
