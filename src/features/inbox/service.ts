import type { Agent } from "#model/agent";
import type { User } from "#model/person";
import type { Clock } from "#platform/clock";
import { timestamp } from "#platform/clock";
import type { Inbox, InboxItem, InboxKind } from "./schema";

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
};

/** What may wait for somebody: only what they may decide on. */
export type WaitingFor = (user: User, now: number) => Promise<readonly WaitingItem[]>;

type InboxServiceNeeds = {
  readonly sources: readonly WaitingFor[];
  readonly people: { user(id: string): User | null; agent(id: string): Agent | null };
  readonly now: Clock;
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

/** Everything that waits for one person, in one list. */
export class InboxService {
  constructor(private readonly deps: InboxServiceNeeds) {}

  /** Oldest first: what waits longest is first. */
  async of(user: User): Promise<Pick<Inbox, "data" | "counts">> {
    const now = this.deps.now();
    const found = (await Promise.all(this.deps.sources.map((source) => source(user, now)))).flat();
    const data = found.toSorted((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1));
    const counts = { ...NONE, total: data.length };
    for (const { kind } of data) counts[kind] += 1;
    return { data: data.map((item) => this.shown(item)), counts };
  }

  private shown({ agent_id, requested_by, since, expires_at, ...item }: WaitingItem): InboxItem {
    const agent = agent_id === null ? null : this.deps.people.agent(agent_id);
    return {
      ...item,
      agent: agent && { id: agent.id, name: agent.name },
      requested_by: requested_by === null ? null : (this.deps.people.user(requested_by)?.email ?? requested_by),
      since: timestamp(since),
      expires_at: expires_at === null ? null : timestamp(expires_at),
    };
  }
}
