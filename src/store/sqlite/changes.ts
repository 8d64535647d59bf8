import { and, eq, gte, lt, min, not, notInArray, sql } from "drizzle-orm";
import type { ChangeFeed, FeedChanges } from "#store/port";
import type { ChangeSubject } from "#store/tables";
import type { SqliteAgents } from "./agents";
import { type Connection, PROCESS_SILENCE_MS } from "./connection";
import { isBusy, transaction, withPatience } from "./database";
import type { SqliteKillSwitches } from "./kill-switches";
import { ofDeadNode } from "./nodes";
import type { SqlitePolicies } from "./policies";
import type { SqliteProfiles } from "./profiles";
import type { SqliteProviders } from "./providers";
import type { SqliteRestrictions } from "./restrictions";
import { tables } from "./schema";
import type { SqliteSessions } from "./sessions";
import type { SqliteTokens } from "./tokens";
import type { SqliteToolServers } from "./tool-servers";
import type { SqliteTuning } from "./tuning";
import type { SqliteUsers } from "./users";

const { hubProcess, providerBreaker } = tables;

const ACKNOWLEDGE_PATIENCE_MS = 5;
const FORGOTTEN_AFTER_MS = 3_600_000;

type SqliteChangesNeeds = {
  readonly connection: Connection;
  readonly users: SqliteUsers;
  readonly agents: SqliteAgents;
  readonly tokens: SqliteTokens;
  readonly sessions: SqliteSessions;
  readonly providers: SqliteProviders;
  readonly tools: SqliteToolServers;
  readonly profiles: SqliteProfiles;
  readonly restrictions: SqliteRestrictions;
  readonly killSwitches: SqliteKillSwitches;
  readonly tuning: SqliteTuning;
  readonly policies: SqlitePolicies;
  readonly now: () => number;
};

export class SqliteChanges implements ChangeFeed {
  constructor(private readonly deps: SqliteChangesNeeds) {}

  async revision(): Promise<number> {
    return this.deps.connection.revision();
  }

  async changesSince(since: number): Promise<FeedChanges> {
    const { connection, users, agents, tokens, sessions, providers, tools } = this.deps;
    const { profiles, restrictions, killSwitches, tuning, policies } = this.deps;
    const hasChanged = (subject: ChangeSubject): boolean => since === 0 || connection.revision(subject) > since;
    const read = (): FeedChanges => ({
      revision: connection.revision(),
      users: users.changedAfter(since),
      agents: agents.changedAfter(since),
      tokens: tokens.changedAfter(since),
      sessions: sessions.changedAfter(since),
      providers: hasChanged("providers") ? providers.all() : null,
      tools: hasChanged("tools") ? tools.registry(since) : null,
      profiles: profiles.changedAfter(since),
      restrictions: restrictions.changedAfter(since),
      kill_switches: killSwitches.changedAfter(since),
      tuning: tuning.changedAfter(since),
      policy: hasChanged("policies") ? policies.newest() : null,
    });
    return transaction<FeedChanges>(connection.db, read, "DEFERRED");
  }

  async acknowledge(processId: string, seen: number): Promise<boolean> {
    const heard_at = this.deps.now();
    const { queries, db } = this.deps.connection;
    const row = { id: processId, seen, heard_at };
    const insert = queries.insert(hubProcess).values(row);
    const upsert = insert.onConflictDoUpdate({ target: hubProcess.id, set: { seen, heard_at } });
    // This runs where calls are served: the usual patience with a lock would stop them all.
    try {
      withPatience<void>(db, ACKNOWLEDGE_PATIENCE_MS, () => upsert.run());
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  async acknowledged(): Promise<number | null> {
    const now = this.deps.now();
    const alive = and(gte(hubProcess.heard_at, now - PROCESS_SILENCE_MS), not(ofDeadNode(now)));
    const lowest = this.deps.connection.queries
      .select({ seen: min(hubProcess.seen) })
      .from(hubProcess)
      .where(alive);
    return lowest.get()?.seen ?? null;
  }

  async forget(processId: string): Promise<void> {
    const { queries } = this.deps.connection;
    const longGone = lt(hubProcess.heard_at, this.deps.now() - FORGOTTEN_AFTER_MS);
    queries
      .delete(hubProcess)
      .where(sql`${eq(hubProcess.id, processId)} or ${longGone}`)
      .run();
    const left = queries.select({ id: hubProcess.id }).from(hubProcess);
    queries.delete(providerBreaker).where(notInArray(providerBreaker.process_id, left)).run();
  }
}
