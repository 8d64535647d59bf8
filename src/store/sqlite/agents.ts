import { and, asc, desc, eq, gt, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import type { Agent } from "#core/agent";
import type { Halt, HaltRight } from "#core/halt";
import type { Window } from "#core/page";
import type { AgentPatch } from "#store/governance-port";
import type { AgentStore, SerialisedRecord } from "#store/port";
import type { Connection } from "./connection";
import { type HaltColumns, haltOf, haltRow } from "./halt-columns";
import { tables } from "./schema";
import { afterId, among } from "./windows";

const { agent } = tables;

const columns = {
  id: agent.id,
  name: agent.name,
  owner_id: agent.ownerId,
  sponsor_id: agent.sponsorId,
  description: agent.description,
  environment: agent.environment,
  review_status: agent.reviewStatus,
  lifecycle: agent.lifecycle,
  profile_version: agent.profileVersion,
  review_due_at: agent.reviewDueAt,
  created_at: agent.createdAt,
  halt_right: agent.haltRight,
  halt_by: agent.haltBy,
  halt_at: agent.haltAt,
};

export class SqliteAgents implements AgentStore {
  constructor(private readonly connection: Connection) {}

  async create(it: Agent, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const row = {
        id: it.id,
        name: it.name,
        ownerId: it.owner_id,
        sponsorId: it.sponsor_id,
        description: it.description,
        environment: it.environment,
        reviewStatus: it.review_status,
        lifecycle: it.lifecycle,
        profileVersion: it.profile_version,
        reviewDueAt: it.review_due_at,
        createdAt: it.created_at,
        ...haltRow(it.halt),
        changed,
      };
      const insert = this.connection.queries.insert(agent).values(row);
      const made = insert.onConflictDoNothing({ target: [agent.ownerId, agent.name] }).returning({ id: agent.id });
      return made.all().length === 1;
    });
  }

  async list(): Promise<Agent[]> {
    const all = this.connection.queries.select(columns).from(agent).orderBy(asc(agent.name), asc(agent.id));
    return all.all().map(agentOf);
  }

  async page(ownerId: string | null, window: Window): Promise<Agent[]> {
    const whose = ownerId === null ? undefined : eq(agent.ownerId, ownerId);
    const found = this.connection.queries
      .select(columns)
      .from(agent)
      .where(and(whose, afterId(agent.id, window)));
    return found.orderBy(desc(agent.id)).limit(window.limit).all().map(agentOf);
  }

  async byIds(ids: Iterable<string>): Promise<Agent[]> {
    return this.connection.queries.select(columns).from(agent).where(among(agent.id, ids)).all().map(agentOf);
  }

  async named(name: string): Promise<Agent[]> {
    const found = this.connection.queries.select(columns).from(agent);
    return found.where(sql`${agent.name} = ${name} COLLATE NOCASE`).all().map(agentOf);
  }

  async byId(id: string): Promise<Agent | null> {
    return this.#byId(id);
  }

  async byName(ownerId: string, name: string): Promise<Agent | null> {
    const here = and(eq(agent.ownerId, ownerId), eq(agent.name, name));
    return this.#one(here);
  }

  async update(id: string, patch: AgentPatch, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => this.patch(id, patch, changed));
  }

  async suspend(id: string, halt: Halt, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const outranked = and(eq(agent.lifecycle, "suspended"), eq(agent.haltRight, "owner"));
      const open = eq(agent.lifecycle, "active");
      const here = and(eq(agent.id, id), halt.right === "owner" ? open : or(open, outranked));
      const set = { lifecycle: "suspended", ...haltRow(halt), changed } as const;
      const update = this.connection.queries.update(agent).set(set).where(here);
      return update.returning({ id: agent.id }).all().length === 1;
    });
  }

  async resume(id: string, rights: readonly HaltRight[], record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const here = and(eq(agent.id, id), eq(agent.lifecycle, "suspended"), inArray(agent.haltRight, [...rights]));
      const set = { lifecycle: "active", ...haltRow(null), changed } as const;
      const update = this.connection.queries.update(agent).set(set).where(here);
      return update.returning({ id: agent.id }).all().length === 1;
    });
  }

  /** Within the caller's transaction. False, and nothing is written, where `update` says so. */
  patch(id: string, patch: AgentPatch, changed: number): boolean {
    const before = this.#byId(id);
    if (before === null) return false;
    const { name, ownerId } = { name: patch.name ?? before.name, ownerId: patch.owner_id ?? before.owner_id };
    const namesake = and(eq(agent.ownerId, ownerId), eq(agent.name, name), ne(agent.id, id));
    if (this.connection.queries.select({ id: agent.id }).from(agent).where(namesake).get() !== undefined) return false;
    // What is undefined is not set.
    const set = {
      name: patch.name,
      ownerId: patch.owner_id,
      sponsorId: patch.sponsor_id,
      description: patch.description,
      environment: patch.environment,
      reviewStatus: patch.review_status,
      lifecycle: patch.lifecycle,
      profileVersion: patch.profile_version,
      reviewDueAt: patch.review_due_at,
      changed,
    };
    this.connection.queries.update(agent).set(set).where(eq(agent.id, id)).run();
    return true;
  }

  /** The same where it is one part of a greater change: throws, so that none of it is made. */
  mustPatch(id: string, patch: AgentPatch, changed: number): void {
    if (!this.patch(id, patch, changed)) throw new Error(`Agent ${id} cannot be changed as wanted`);
  }

  changedAfter(revision: number): Agent[] {
    const changed = this.connection.queries.select(columns).from(agent).where(gt(agent.changed, revision));
    return changed.all().map(agentOf);
  }

  #byId(id: string): Agent | null {
    return this.#one(eq(agent.id, id));
  }

  #one(here: SQL | undefined): Agent | null {
    const row = this.connection.queries.select(columns).from(agent).where(here).get();
    return row === undefined ? null : agentOf(row);
  }
}

type Row = Omit<Agent, "halt"> & HaltColumns;

const agentOf = ({ halt_right, halt_by, halt_at, ...rest }: Row): Agent => ({
  ...rest,
  halt: haltOf({ halt_right, halt_by, halt_at }),
});
