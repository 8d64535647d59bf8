import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { Hold } from "#core/hold";
import type { HoldStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { hold } = tables;

const columns = {
  id: hold.id,
  agent_id: hold.agentId,
  user_id: hold.userId,
  tool: hold.tool,
  call_hash: hold.callHash,
  cause: hold.cause,
  layer: hold.layer,
  event_id: hold.eventId,
  sealed_arguments: hold.sealedArguments,
  state: hold.state,
  created_at: hold.createdAt,
  expires_at: hold.expiresAt,
  decided_by: hold.decidedBy,
  decided_at: hold.decidedAt,
};

/** Of those made in one millisecond the one stored last is the newest. */
const NEWEST = [desc(hold.createdAt), sql`rowid DESC`];

/** Holds are made and used up where calls are served, so neither waits for the disk: the call's own record does. */
export class SqliteHolds implements HoldStore {
  constructor(private readonly connection: Connection) {}

  async create(it: Hold, record: SerialisedRecord): Promise<void> {
    this.connection.changeSoon("all", record, () => {
      this.connection.queries.insert(hold).values(rowOf(it)).run();
      return true;
    });
  }

  async byId(id: string): Promise<Hold | null> {
    return this.connection.queries.select(columns).from(hold).where(eq(hold.id, id)).get() ?? null;
  }

  async list(userId: string | null): Promise<Hold[]> {
    const whose = userId === null ? undefined : eq(hold.userId, userId);
    return this.connection.queries
      .select(columns)
      .from(hold)
      .where(whose)
      .orderBy(...NEWEST)
      .all();
  }

  async ofCall(agentId: string, callHash: string, now: number): Promise<Hold | null> {
    const here = and(eq(hold.agentId, agentId), eq(hold.callHash, callHash), gt(hold.expiresAt, now));
    const found = this.connection.queries.select(columns).from(hold).where(here);
    return (
      found
        .orderBy(...NEWEST)
        .limit(1)
        .get() ?? null
    );
  }

  async approvedOf(agentId: string, now: number): Promise<Hold[]> {
    const open = and(eq(hold.state, "approved"), gt(hold.expiresAt, now));
    const here = and(eq(hold.agentId, agentId), open);
    return this.connection.queries.select(columns).from(hold).where(here).all();
  }

  async decide(
    id: string,
    decision: { readonly state: "approved" | "denied"; readonly by: string; readonly at: number },
    record: SerialisedRecord,
  ): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const here = and(eq(hold.id, id), eq(hold.state, "waiting"), gt(hold.expiresAt, decision.at));
      const set = { state: decision.state, decidedBy: decision.by, decidedAt: decision.at };
      const update = this.connection.queries.update(hold).set(set).where(here);
      return update.returning({ id: hold.id }).all().length === 1;
    });
  }

  async use(id: string, now: number, record: SerialisedRecord): Promise<boolean> {
    return this.connection.changeSoon("all", record, () => {
      const here = and(eq(hold.id, id), eq(hold.state, "approved"), gt(hold.expiresAt, now));
      const update = this.connection.queries.update(hold).set({ state: "used" }).where(here);
      return update.returning({ id: hold.id }).all().length === 1;
    });
  }
}

const rowOf = (it: Hold): typeof hold.$inferInsert => ({
  id: it.id,
  agentId: it.agent_id,
  userId: it.user_id,
  tool: it.tool,
  callHash: it.call_hash,
  cause: it.cause,
  layer: it.layer,
  eventId: it.event_id,
  sealedArguments: it.sealed_arguments,
  state: it.state,
  createdAt: it.created_at,
  expiresAt: it.expires_at,
  decidedBy: it.decided_by,
  decidedAt: it.decided_at,
});
