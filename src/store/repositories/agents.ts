import { and, asc, desc, eq, exists, getTableColumns, gt, inArray, ne, or, type SQL } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Agent } from "#model/agent";
import type { Suspension, SuspensionRight } from "#model/suspension";
import { all, anyRow, type Db, one, run, type Steps, type Words } from "#store/db";
import type { AgentPatch } from "#store/governance-port";
import type { AgentStore, SerialisedRecord } from "#store/port";
import { type SuspensionColumns, suspensionOf, suspensionRow } from "#store/stored";
import type { Tables } from "#store/tables";
import { afterId } from "./windows";

type AgentTable = Tables["agent"];
type Where = (agent: AgentTable, words: Words) => SQL | undefined;
type Order = (agent: AgentTable) => readonly SQL[];

const shown = (agent: AgentTable) => {
  const { changed: _changed, ...columns } = getTableColumns(agent);
  return columns;
};

const byName: Order = (agent) => [asc(agent.name), asc(agent.id)];
const newest: Order = (agent) => [desc(agent.id)];

export class Agents implements AgentStore {
  constructor(private readonly db: Db) {}

  create(it: Agent, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, (changed) =>
      anyRow((q, { agent }) => {
        const insert = q.insert(agent).values({ ...it, ...suspensionRow(it.suspension), changed });
        return insert.onConflictDoNothing({ target: [agent.owner_id, agent.name] }).returning({ id: agent.id });
      }),
    );
  }

  list(): Promise<Agent[]> {
    return this.#all(() => undefined, byName);
  }

  async page(ownerId: string | null, window: PageWindow, words = ""): Promise<Agent[]> {
    const rows = await this.db.all((q, { agent, user }, { holds }) => {
      const whose = ownerId === null ? undefined : eq(agent.owner_id, ownerId);
      const owner = q
        .select({ id: user.id })
        .from(user)
        .where(and(eq(user.id, agent.owner_id), holds(user.email, words)));
      const sought = words === "" ? undefined : or(holds(agent.name, words), exists(owner));
      const found = q
        .select(shown(agent))
        .from(agent)
        .where(and(whose, sought, afterId(agent.id, window)));
      return found.orderBy(...newest(agent)).limit(window.limit);
    });
    return rows.map(agentOf);
  }

  byIds(ids: Iterable<string>): Promise<Agent[]> {
    return this.#all((agent, words) => words.among(agent.id, ids));
  }

  named(name: string): Promise<Agent[]> {
    return this.#all((agent, words) => words.sameLetters(agent.name, name));
  }

  async byId(id: string): Promise<Agent | null> {
    return (await this.#all((agent) => eq(agent.id, id)))[0] ?? null;
  }

  async byName(ownerId: string, name: string): Promise<Agent | null> {
    return (await this.#all((agent) => and(eq(agent.owner_id, ownerId), eq(agent.name, name))))[0] ?? null;
  }

  update(id: string, patch: AgentPatch, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, (changed) => this.patch(id, patch, changed));
  }

  suspend(id: string, suspension: Suspension, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, (changed) =>
      anyRow((q, { agent }) => {
        const outranked = and(eq(agent.lifecycle, "suspended"), eq(agent.halt_right, "owner"));
        const open = eq(agent.lifecycle, "active");
        const here = and(eq(agent.id, id), suspension.right === "owner" ? open : or(open, outranked));
        const set = { lifecycle: "suspended", ...suspensionRow(suspension), changed } as const;
        return q.update(agent).set(set).where(here).returning({ id: agent.id });
      }),
    );
  }

  resume(id: string, rights: readonly SuspensionRight[], record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, (changed) =>
      anyRow((q, { agent }) => {
        const here = and(eq(agent.id, id), eq(agent.lifecycle, "suspended"), inArray(agent.halt_right, [...rights]));
        const set = { lifecycle: "active", ...suspensionRow(null), changed } as const;
        return q.update(agent).set(set).where(here).returning({ id: agent.id });
      }),
    );
  }

  /** Within a change. False, and nothing is written, where `update` says so. */
  *patch(id: string, patch: AgentPatch, changed: number): Steps<boolean> {
    const before = yield* one((q, { agent }) => q.select(shown(agent)).from(agent).where(eq(agent.id, id)));
    if (before === null) return false;
    const { name = before.name, owner_id = before.owner_id } = patch;
    const isTaken = yield* anyRow((q, { agent }) => {
      const namesake = and(eq(agent.owner_id, owner_id), eq(agent.name, name), ne(agent.id, id));
      return q.select({ id: agent.id }).from(agent).where(namesake);
    });
    if (isTaken) return false;
    // What is undefined is not set.
    yield* run((q, { agent }) =>
      q
        .update(agent)
        .set({ ...patch, changed })
        .where(eq(agent.id, id)),
    );
    return true;
  }

  /** The same where it is one part of a greater change: throws, so that none of it is made. */
  *mustPatch(id: string, patch: AgentPatch, changed: number): Steps<void> {
    if (!(yield* this.patch(id, patch, changed))) throw new Error(`Agent ${id} cannot be changed as wanted`);
  }

  *changedAfter(revision: number): Steps<Agent[]> {
    const rows = yield* all((q, { agent }) => q.select(shown(agent)).from(agent).where(gt(agent.changed, revision)));
    return rows.map(agentOf);
  }

  async #all(where: Where, order: Order = () => []): Promise<Agent[]> {
    const rows = await this.db.all((q, { agent }, words) => {
      const found = q.select(shown(agent)).from(agent).where(where(agent, words));
      return found.orderBy(...order(agent));
    });
    return rows.map(agentOf);
  }
}

type Row = Omit<Agent, "suspension"> & SuspensionColumns;

const agentOf = ({ halt_right, halt_by, halt_at, ...rest }: Row): Agent => ({
  ...rest,
  suspension: suspensionOf({ halt_right, halt_by, halt_at }),
});
