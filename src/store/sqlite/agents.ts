import { and, asc, eq, gt, ne } from "drizzle-orm";
import type { Agent } from "#core/agent";
import type { AgentPatch } from "#store/governance-port";
import type { AgentStore, SerialisedRecord } from "#store/port";
import type { Connection } from "./connection";
import { tables } from "./schema";

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
        changed,
      };
      const insert = this.connection.queries.insert(agent).values(row);
      const made = insert.onConflictDoNothing({ target: [agent.ownerId, agent.name] }).returning({ id: agent.id });
      return made.all().length === 1;
    });
  }

  async list(): Promise<Agent[]> {
    return this.connection.queries.select(columns).from(agent).orderBy(asc(agent.name), asc(agent.id)).all();
  }

  async byId(id: string): Promise<Agent | null> {
    return this.#byId(id);
  }

  async byName(ownerId: string, name: string): Promise<Agent | null> {
    const here = and(eq(agent.ownerId, ownerId), eq(agent.name, name));
    return this.connection.queries.select(columns).from(agent).where(here).get() ?? null;
  }

  async update(id: string, patch: AgentPatch, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => this.patch(id, patch, changed));
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
    return this.connection.queries.select(columns).from(agent).where(gt(agent.changed, revision)).all();
  }

  #byId(id: string): Agent | null {
    return this.connection.queries.select(columns).from(agent).where(eq(agent.id, id)).get() ?? null;
  }
}
