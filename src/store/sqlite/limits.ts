import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { sha256Hex } from "#platform/hash";
import type { LimitChange, LimitStore, UsedLimits } from "#store/limit-port";
import type { NodeEpoch } from "#store/node-port";
import { type Connection, counted } from "./connection";
import { tables } from "./schema";

const { limitAccount, limitOpen, limitConversation, node, usageDay } = tables;

/** Conversations whose calls are counted; those that were silent longest are forgotten first. */
const MAX_CONVERSATIONS = 40_000;
const FORGOTTEN = 20;

/** Prepared: asked in calls. */
const reading = ({ queries }: Connection) => {
  const agent = sql.placeholder("agent");
  const live = and(eq(node.id, limitOpen.node), eq(node.epoch, limitOpen.epoch), eq(node.state, "live"));
  const open = queries
    .select({ open: sql<number>`coalesce(sum(${limitOpen.open}), 0)` })
    .from(limitOpen)
    .innerJoin(node, live);
  const day = and(eq(usageDay.day, sql.placeholder("day")), eq(usageDay.subject_id, agent));
  return {
    account: queries.select().from(limitAccount).where(eq(limitAccount.agent_id, agent)).prepare(),
    open: open.where(and(eq(limitOpen.agent_id, agent), gt(node.until, sql.placeholder("now")))).prepare(),
    conversation: queries
      .select()
      .from(limitConversation)
      .where(eq(limitConversation.conversation, sql.placeholder("conversation")))
      .prepare(),
    stored: queries.select().from(usageDay).where(day).prepare(),
  };
};

const writing = ({ queries }: Connection) => {
  const agent_id = sql.placeholder("agent");
  const [epoch, first] = [sql.placeholder("epoch"), sql.placeholder("first")];
  const account = queries.insert(limitAccount).values({ agent_id, state: sql.placeholder("state") });
  const open = queries.insert(limitOpen).values({ agent_id, node: sql.placeholder("node"), epoch, open: first });
  // Of an earlier start of this process nothing is under way any more.
  const same = sql`CASE WHEN ${limitOpen.epoch} = excluded.epoch
    THEN max(0, ${limitOpen.open} + ${sql.placeholder("more")}) ELSE excluded.open END`;
  const set = { open: same, epoch: sql`excluded.epoch` };
  return {
    account: account
      .onConflictDoUpdate({ target: limitAccount.agent_id, set: { state: sql`excluded.state` } })
      .prepare(),
    open: open.onConflictDoUpdate({ target: [limitOpen.agent_id, limitOpen.node], set }).prepare(),
  };
};

export class SqliteLimits implements LimitStore {
  #reading: ReturnType<typeof reading> | null = null;
  #writing: ReturnType<typeof writing> | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly self: NodeEpoch | null,
    private readonly now: () => number,
  ) {}

  async change(
    agentId: string,
    about: { readonly conversation: string | null; readonly day: number },
    work: (used: UsedLimits) => LimitChange | null,
  ): Promise<void> {
    const conversation = about.conversation === null ? null : sha256Hex(about.conversation);
    await this.connection.writeSoon<void>(() => {
      const change = work(this.#read(agentId, conversation, about.day));
      if (change !== null) this.#write(agentId, conversation, change);
    });
  }

  #read(agent: string, conversation: string | null, day: number): UsedLimits {
    this.#reading ??= reading(this.connection);
    const { account, open, conversation: calls, stored } = this.#reading;
    const today = stored.get({ agent, day });
    return {
      state: account.get({ agent })?.state ?? null,
      open: open.get({ agent, now: this.now() })?.open ?? 0,
      calls: conversation === null ? 0 : (calls.get({ conversation })?.calls ?? 0),
      stored: { requests: today?.requests ?? 0, tokens: today?.tokens ?? 0 },
    };
  }

  #write(agent_id: string, conversation: string | null, { state, open, calls }: LimitChange): void {
    const { id, epoch } = this.self ?? { id: "", epoch: 0 };
    this.#writing ??= writing(this.connection);
    this.#writing.account.run({ agent: agent_id, state });
    if (open !== 0) this.#writing.open.run({ agent: agent_id, node: id, epoch, first: Math.max(0, open), more: open });
    if (conversation !== null && calls > 0) this.#count(conversation, calls);
  }

  #count(conversation: string, calls: number): void {
    const { queries } = this.connection;
    const at = this.now();
    const insert = queries.insert(limitConversation).values({ conversation, calls, at });
    const more = { calls: sql`${limitConversation.calls} + ${calls}`, at };
    insert.onConflictDoUpdate({ target: limitConversation.conversation, set: more }).run();
    if (counted(queries, limitConversation) <= MAX_CONVERSATIONS) return;
    const silent = queries
      .select({ conversation: limitConversation.conversation })
      .from(limitConversation)
      .orderBy(asc(limitConversation.at))
      .limit(FORGOTTEN);
    queries.delete(limitConversation).where(inArray(limitConversation.conversation, silent)).run();
  }
}
