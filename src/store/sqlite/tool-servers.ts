import { and, asc, desc, eq, getTableColumns, gt, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { ToolAssignment, ToolPin, ToolServer } from "#model/tools/tool";
import type {
  Added,
  PendingAuthorization,
  SeenTool,
  SerialisedRecord,
  ToolGrant,
  ToolRegistry,
  ToolServerPatch,
  ToolServerStore,
} from "#store/port";
import { strings } from "./columns";
import { type Connection, counted } from "./connection";
import { tables } from "./schema";
import { allAssignments, assign, assignmentsOf, unassign } from "./tool-assignments";
import { beginAuthorization, consumeAuthorization, dropGrants, grantOf, saveGrant } from "./tool-grants";
import { allPins, approve, differencesOf, pinAdder, pinReader, store } from "./tool-pins";
import { afterId, among } from "./windows";

const { toolServer } = tables;

const { changed: _changed, ...columns } = getTableColumns(toolServer);

export class SqliteToolServers implements ToolServerStore {
  #made: Statements | null = null;

  constructor(private readonly connection: Connection) {}

  async add(it: ToolServer, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<Added> {
    const { queries } = this.connection;
    let outcome: Added = "done";
    this.connection.change("tools", record, (changed) => {
      const insert = queries.insert(toolServer).values({ ...it, changed });
      const made = insert.onConflictDoNothing({ target: [toolServer.owner_id, toolServer.slug] });
      if (counted(queries, toolServer, eq(toolServer.owner_id, it.owner_id)) >= most) outcome = "full";
      else if (made.returning({ id: toolServer.id }).all().length === 0) outcome = "taken";
      return outcome === "done";
    });
    return outcome;
  }

  async list(): Promise<ToolServer[]> {
    return this.#list();
  }

  async page(ownerId: string | null, window: PageWindow): Promise<ToolServer[]> {
    const whose = ownerId === null ? undefined : eq(toolServer.owner_id, ownerId);
    const found = this.connection.queries
      .select(columns)
      .from(toolServer)
      .where(and(whose, afterId(toolServer.id, window)));
    return found.orderBy(desc(toolServer.id)).limit(window.limit).all().map(checked);
  }

  async byIds(ids: Iterable<string>): Promise<ToolServer[]> {
    return this.connection.queries.select(columns).from(toolServer).where(among(toolServer.id, ids)).all().map(checked);
  }

  async named(slug: string): Promise<ToolServer[]> {
    const found = this.connection.queries.select(columns).from(toolServer).where(eq(toolServer.slug, slug));
    return found.orderBy(asc(toolServer.owner_id)).all().map(checked);
  }

  async byId(id: string): Promise<ToolServer | null> {
    return this.#one(eq(toolServer.id, id));
  }

  async update(id: string, patch: ToolServerPatch, record: SerialisedRecord): Promise<boolean> {
    const { credentials, ...plain } = patch;
    const raised = credentials === undefined ? 0 : 1;
    // What is undefined is not set.
    const set = {
      ...plain,
      ...credentials,
      credential_version: sql`${toolServer.credential_version} + ${raised}`,
    };
    return this.connection.change("tools", record, (changed) => {
      // What other credentials were granted is not these ones'.
      if (credentials !== undefined) dropGrants(this.connection.queries, id);
      const update = this.connection.queries
        .update(toolServer)
        .set({ ...set, changed })
        .where(eq(toolServer.id, id));
      return update.returning({ id: toolServer.id }).all().length === 1;
    });
  }

  async remove(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("tools", record, () => {
      const removal = this.connection.queries.delete(toolServer).where(eq(toolServer.id, id));
      return removal.returning({ id: toolServer.id }).all().length === 1;
    });
  }

  async pins(serverId: string): Promise<ToolPin[]> {
    return this.#statements.pinsOf(serverId);
  }

  async see(serverId: string, tools: readonly SeenTool[], record: SerialisedRecord): Promise<boolean> {
    const { queries } = this.connection;
    const differences = () => differencesOf(this.#statements.pinsOf(serverId), tools);
    // Lists are looked at where calls are served, and most are as before: only a difference waits for the write lock.
    if (differences() === null) return false;
    return this.connection.changeSoon("tools", record, (revision) => {
      const found = differences();
      // The server may have been removed while its list was on its way.
      if (found === null || this.#statements.known.get({ id: serverId }) === undefined) return false;
      store(queries, this.#statements.addPin, serverId, found);
      this.#touch(serverId, revision);
      return true;
    });
  }

  async pin(
    serverId: string,
    tools: readonly { readonly tool: string; readonly hash: string }[],
    record: SerialisedRecord,
  ): Promise<string[]> {
    let approved: string[] = [];
    this.connection.change("tools", record, (revision) => {
      approved = approve(this.connection.queries, serverId, tools);
      if (approved.length > 0) this.#touch(serverId, revision);
      return approved.length > 0;
    });
    return approved;
  }

  async assign(assignment: ToolAssignment, record: SerialisedRecord): Promise<void> {
    this.connection.change("tools", record, (revision) => {
      assign(this.connection.queries, assignment);
      this.#touch(assignment.server_id, revision);
      return true;
    });
  }

  async unassign(agentId: string, serverId: string, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("tools", record, (revision) => {
      const isGone = unassign(this.connection.queries, agentId, serverId);
      if (isGone) this.#touch(serverId, revision);
      return isGone;
    });
  }

  async assignments(of: Parameters<ToolServerStore["assignments"]>[0]): Promise<ToolAssignment[]> {
    return assignmentsOf(this.connection.queries, of);
  }

  async grant(serverId: string): Promise<ToolGrant | null> {
    return grantOf(this.connection.queries, serverId);
  }

  async saveGrant(serverId: string, expected: number, sealed: string): Promise<boolean> {
    return saveGrant(this.connection.queries, serverId, expected, sealed);
  }

  async beginAuthorization(pending: PendingAuthorization): Promise<void> {
    beginAuthorization(this.connection, pending);
  }

  async consumeAuthorization(stateHash: string, now: number): Promise<PendingAuthorization | null> {
    return consumeAuthorization(this.connection.queries, stateHash, now);
  }

  /** As of now, with what changed after a revision; 0 for all. */
  registry(since: number): ToolRegistry {
    const { queries } = this.connection;
    const servers = this.#list();
    if (since === 0) {
      const changed = new Set(servers.map(({ id }) => id));
      return { servers, changed, pins: allPins(queries), assignments: allAssignments(queries) };
    }
    const later = queries.select({ id: toolServer.id }).from(toolServer).where(gt(toolServer.changed, since)).all();
    const ids = later.map(({ id }) => id);
    return {
      servers,
      changed: new Set(ids),
      pins: ids.flatMap((id) => this.#statements.pinsOf(id)),
      assignments: ids.flatMap((server_id) => assignmentsOf(queries, { server_id })),
    };
  }

  /** Made when they are first needed: opening a store does not wait for them. */
  get #statements(): Statements {
    this.#made ??= statementsOf(this.connection.queries);
    return this.#made;
  }

  #touch(id: string, changed: number): void {
    this.#statements.touch.run({ id, changed });
  }

  #list(): ToolServer[] {
    const order = [asc(toolServer.slug), asc(toolServer.owner_id)];
    return this.connection.queries
      .select(columns)
      .from(toolServer)
      .orderBy(...order)
      .all()
      .map(checked);
  }

  #one(condition: SQL | undefined): ToolServer | null {
    const row = this.connection.queries.select(columns).from(toolServer).where(condition).get();
    return row === undefined ? null : checked(row);
  }
}

/** What the lists of tool servers are taken in with, where calls are served: each statement is made once. */
const statementsOf = (queries: Connection["queries"]) => {
  const here = eq(toolServer.id, sql.placeholder("id"));
  const changed = sql`${sql.placeholder("changed")}`;
  return {
    pinsOf: pinReader(queries),
    addPin: pinAdder(queries),
    known: queries.select({ id: toolServer.id }).from(toolServer).where(here).prepare(),
    touch: queries.update(toolServer).set({ changed }).where(here).prepare(),
  };
};
type Statements = ReturnType<typeof statementsOf>;

const checked = ({ command, ...row }: Omit<ToolServer, "command"> & { readonly command: unknown }): ToolServer => ({
  ...row,
  command: command === null ? null : strings(command, `words of the command of tool server ${row.id}`),
});
