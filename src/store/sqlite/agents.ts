import { and, asc, eq, gt } from "drizzle-orm";
import type { Agent } from "#core/person";
import type { AgentStore, SerialisedRecord } from "#store/port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { agent } = tables;

const columns = {
  id: agent.id,
  name: agent.name,
  owner_id: agent.ownerId,
  review_status: agent.reviewStatus,
  lifecycle: agent.lifecycle,
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
        reviewStatus: it.review_status,
        lifecycle: it.lifecycle,
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
    return this.connection.queries.select(columns).from(agent).where(eq(agent.id, id)).get() ?? null;
  }

  async byName(ownerId: string, name: string): Promise<Agent | null> {
    const here = and(eq(agent.ownerId, ownerId), eq(agent.name, name));
    return this.connection.queries.select(columns).from(agent).where(here).get() ?? null;
  }

  changedAfter(revision: number): Agent[] {
    return this.connection.queries.select(columns).from(agent).where(gt(agent.changed, revision)).all();
  }
}
