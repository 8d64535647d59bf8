import { and, asc, desc, eq, getTableColumns, gt, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Agent } from "#model/agent";
import type { Suspension, SuspensionRight } from "#model/suspension";
import type { AgentPatch } from "#store/governance-port";
import type { AgentStore, SerialisedRecord } from "#store/port";
import { type SuspensionColumns, suspensionOf, suspensionRow } from "./columns";
import type { Connection } from "./connection";
import { tables } from "./schema";
import { afterId, among } from "./windows";

const { agent } = tables;

const { changed: _changed, ...columns } = getTableColumns(agent);

export class SqliteAgents implements AgentStore {
  constructor(private readonly connection: Connection) {}

  async create(it: Agent, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const row = { ...it, ...suspensionRow(it.suspension), changed };
      const insert = this.connection.queries.insert(agent).values(row);
      const made = insert.onConflictDoNothing({ target: [agent.owner_id, agent.name] }).returning({ id: agent.id });
      return made.all().length === 1;
    });
  }

  async list(): Promise<Agent[]> {
    const all = this.connection.queries.select(columns).from(agent).orderBy(asc(agent.name), asc(agent.id));
    return all.all().map(agentOf);
  }

  async page(ownerId: string | null, window: PageWindow): Promise<Agent[]> {
    const whose = ownerId === null ? undefined : eq(agent.owner_id, ownerId);
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
    const here = and(eq(agent.owner_id, ownerId), eq(agent.name, name));
    return this.#one(here);
  }

  async update(id: string, patch: AgentPatch, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => this.patch(id, patch, changed));
  }

  async suspend(id: string, suspension: Suspension, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const outranked = and(eq(agent.lifecycle, "suspended"), eq(agent.halt_right, "owner"));
      const open = eq(agent.lifecycle, "active");
      const here = and(eq(agent.id, id), suspension.right === "owner" ? open : or(open, outranked));
      const set = { lifecycle: "suspended", ...suspensionRow(suspension), changed } as const;
      const update = this.connection.queries.update(agent).set(set).where(here);
      return update.returning({ id: agent.id }).all().length === 1;
    });
  }

  async resume(id: string, rights: readonly SuspensionRight[], record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const here = and(eq(agent.id, id), eq(agent.lifecycle, "suspended"), inArray(agent.halt_right, [...rights]));
      const set = { lifecycle: "active", ...suspensionRow(null), changed } as const;
      const update = this.connection.queries.update(agent).set(set).where(here);
      return update.returning({ id: agent.id }).all().length === 1;
    });
  }

  /** Within the caller's transaction. False, and nothing is written, where `update` says so. */
  patch(id: string, patch: AgentPatch, changed: number): boolean {
    const before = this.#byId(id);
    if (before === null) return false;
    const { name = before.name, owner_id = before.owner_id } = patch;
    const namesake = and(eq(agent.owner_id, owner_id), eq(agent.name, name), ne(agent.id, id));
    if (this.connection.queries.select({ id: agent.id }).from(agent).where(namesake).get() !== undefined) return false;
    // What is undefined is not set.
    this.connection.queries
      .update(agent)
      .set({ ...patch, changed })
      .where(eq(agent.id, id))
      .run();
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

type Row = Omit<Agent, "suspension"> & SuspensionColumns;

const agentOf = ({ halt_right, halt_by, halt_at, ...rest }: Row): Agent => ({
  ...rest,
  suspension: suspensionOf({ halt_right, halt_by, halt_at }),
});
