import { and, asc, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { ToolAssignment, ToolPin, ToolServer } from "#model/tools/tool";
import {
  all,
  anyRow,
  type Build,
  type Command,
  type Db,
  keptCommand,
  keptQuery,
  run,
  type Steps,
  type Words,
} from "#store/db";
import type {
  Added,
  ApprovedProposal,
  PendingAuthorization,
  ReadPin,
  SeenTool,
  SerialisedRecord,
  ToolGrant,
  ToolRegistry,
  ToolServerPatch,
  ToolServerStore,
} from "#store/port";
import { strings } from "#store/stored";
import type { Tables } from "#store/tables";
import { assign, assignmentOf, assignmentRows, unassign } from "./tool-assignments";
import { beginAuthorization, consumeAuthorization, dropGrants, grantOf, saveGrant } from "./tool-grants";
import { addedPin, approve, differencesOf, pinOf, pinRows, pinsOfServer, store } from "./tool-pins";
import { afterId, counted } from "./windows";

type ServerTable = Tables["toolServer"];
type Where = (server: ServerTable, words: Words) => SQL | undefined;
type Order = (server: ServerTable) => readonly SQL[];

const shown = (server: ServerTable) => {
  const { changed: _changed, ...columns } = getTableColumns(server);
  return columns;
};

const bySlug: Order = (server) => [asc(server.slug), asc(server.owner_id)];

/** What the lists of tool servers are taken in with, where calls are served: each statement is made once. */
class Statements {
  readonly pinsOf = keptQuery(pinsOfServer);
  readonly addPin = keptCommand(addedPin);
  readonly known = keptQuery((q, { toolServer: it }) =>
    q
      .select({ id: it.id })
      .from(it)
      .where(eq(it.id, sql.placeholder("id"))),
  );
  readonly touch = keptCommand((q, { toolServer: it }) =>
    q
      .update(it)
      .set({ changed: sql`${sql.placeholder("changed")}` })
      .where(eq(it.id, sql.placeholder("id"))),
  );
}

export class ToolServers implements ToolServerStore {
  readonly #statements = new Statements();

  constructor(private readonly db: Db) {}

  async add(
    it: ToolServer,
    record: SerialisedRecord,
    most = Number.POSITIVE_INFINITY,
    of?: ApprovedProposal,
  ): Promise<Added | "decided"> {
    let outcome: Added | "decided" = "done";
    await this.db.change("tools", record, function* (changed) {
      const already = yield* counted(({ toolServer }) => [toolServer, eq(toolServer.owner_id, it.owner_id)]);
      if (already >= most) outcome = "full";
      else if (of && !(yield* counted(({ proposal }) => [proposal, waits(proposal, of.id)]))) outcome = "decided";
      else {
        const isNew = yield* anyRow((q, { toolServer }) => {
          const insert = q.insert(toolServer).values({ ...it, changed });
          const target = [toolServer.owner_id, toolServer.slug];
          return insert.onConflictDoNothing({ target }).returning({ id: toolServer.id });
        });
        if (!isNew) outcome = "taken";
        else if (of) yield* run(approval(of, it.id));
      }
      return outcome === "done";
    });
    return outcome;
  }

  list(): Promise<ToolServer[]> {
    return this.#all(() => undefined, bySlug);
  }

  async page(ownerId: string | null, window: PageWindow, words = ""): Promise<ToolServer[]> {
    const rows = await this.db.all((q, { toolServer }, { holds }) => {
      const sought = words === "" ? undefined : holds(toolServer.slug, words);
      const whose = ownerId === null ? undefined : eq(toolServer.owner_id, ownerId);
      const found = q
        .select(shown(toolServer))
        .from(toolServer)
        .where(and(whose, sought, afterId(toolServer.id, window)));
      return found.orderBy(desc(toolServer.id)).limit(window.limit);
    });
    return rows.map(checked);
  }

  byIds(ids: Iterable<string>): Promise<ToolServer[]> {
    return this.#all((server, words) => words.among(server.id, ids));
  }

  named(slug: string): Promise<ToolServer[]> {
    return this.#all(
      (server) => eq(server.slug, slug),
      (server) => [asc(server.owner_id)],
    );
  }

  async byId(id: string): Promise<ToolServer | null> {
    return (await this.#all((server) => eq(server.id, id)))[0] ?? null;
  }

  update(id: string, patch: ToolServerPatch, record: SerialisedRecord): Promise<boolean> {
    const { credentials, ...plain } = patch;
    const raised = credentials === undefined ? 0 : 1;
    return this.db.change("tools", record, function* (changed) {
      // What other credentials were granted is not these ones'.
      if (credentials !== undefined) yield* dropGrants(id);
      return yield* anyRow((q, { toolServer: it }) => {
        const credential_version = sql`${it.credential_version} + ${raised}`;
        // What is undefined is not set.
        const set = { ...plain, ...credentials, credential_version, changed };
        return q.update(it).set(set).where(eq(it.id, id)).returning({ id: it.id });
      });
    });
  }

  remove(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("tools", record, () =>
      anyRow((q, { toolServer: it }) => q.delete(it).where(eq(it.id, id)).returning({ id: it.id })),
    );
  }

  async pins(serverId: string): Promise<ToolPin[]> {
    return (await this.db.all(this.#statements.pinsOf, { server: serverId })).map(pinOf);
  }

  async see(serverId: string, tools: readonly SeenTool[], record: SerialisedRecord): Promise<boolean> {
    // Lists are looked at where calls are served, and most are as before: only a difference waits for the write lock.
    if (differencesOf(await this.pins(serverId), tools) === null) return false;
    const servers = this;
    return this.db.changeSoon("tools", record, function* (revision) {
      const found = differencesOf(yield* servers.#pinsOf(serverId), tools);
      // The server may have been removed while its list was on its way.
      if (found === null || !(yield* anyRow(servers.#statements.known, { id: serverId }))) return false;
      yield* store(servers.#statements.addPin, serverId, found);
      yield* servers.#touch(serverId, revision);
      return true;
    });
  }

  async pin(serverId: string, tools: readonly ReadPin[], record: SerialisedRecord): Promise<string[]> {
    let approved: string[] = [];
    const servers = this;
    await this.db.change("tools", record, function* (revision) {
      approved = yield* approve(serverId, tools);
      if (approved.length > 0) yield* servers.#touch(serverId, revision);
      return approved.length > 0;
    });
    return approved;
  }

  async assign(assignment: ToolAssignment, record: SerialisedRecord): Promise<void> {
    const servers = this;
    await this.db.change("tools", record, function* (revision) {
      yield* assign(assignment);
      yield* servers.#touch(assignment.server_id, revision);
      return true;
    });
  }

  unassign(agentId: string, serverId: string, record: SerialisedRecord): Promise<boolean> {
    const servers = this;
    return this.db.change("tools", record, function* (revision) {
      const isGone = yield* unassign(agentId, serverId);
      if (isGone) yield* servers.#touch(serverId, revision);
      return isGone;
    });
  }

  async assignments(of: Parameters<ToolServerStore["assignments"]>[0]): Promise<ToolAssignment[]> {
    return (await this.db.all(assignmentRows(of))).map(assignmentOf);
  }

  grant(serverId: string): Promise<ToolGrant | null> {
    return grantOf(this.db, serverId);
  }

  saveGrant(serverId: string, expected: number, sealed: string): Promise<boolean> {
    return saveGrant(this.db, serverId, expected, sealed);
  }

  beginAuthorization(pending: PendingAuthorization): Promise<void> {
    return beginAuthorization(this.db, pending);
  }

  consumeAuthorization(stateHash: string, now: number): Promise<PendingAuthorization | null> {
    return consumeAuthorization(this.db, stateHash, now);
  }

  /** As of now, with what changed after a revision; 0 for all. */
  *registry(since: number): Steps<ToolRegistry> {
    const rows = yield* all((q, { toolServer: it }) => {
      return q
        .select({ ...shown(it), changed: it.changed })
        .from(it)
        .orderBy(...bySlug(it));
    });
    const servers = rows.map(({ changed: _changed, ...row }) => checked(row));
    const later = rows.filter(({ changed }) => changed > since).map(({ id }) => id);
    const ids = since === 0 ? null : later;
    // Somebody's first list changes all of their servers at once: asked for one by one, they cost milliseconds.
    const pins = (yield* all(pinRows(ids))).map(pinOf);
    const assignments = (yield* all(assignmentRows(ids && { servers: ids }))).map(assignmentOf);
    return { servers, changed: new Set(ids ?? servers.map(({ id }) => id)), pins, assignments };
  }

  *#pinsOf(server: string): Steps<ToolPin[]> {
    return (yield* all(this.#statements.pinsOf, { server })).map(pinOf);
  }

  #touch(id: string, changed: number): Steps<void> {
    return run(this.#statements.touch, { id, changed });
  }

  async #all(where: Where, order: Order = () => []): Promise<ToolServer[]> {
    const rows = await this.db.all((q, { toolServer }, words) => {
      const found = q.select(shown(toolServer)).from(toolServer).where(where(toolServer, words));
      return found.orderBy(...order(toolServer));
    });
    return rows.map(checked);
  }
}

const waits = ({ id, state }: Tables["proposal"], wanted: string): SQL | undefined =>
  and(eq(id, wanted), eq(state, "proposed"));

const approval = ({ id, decided_by, decided_at }: ApprovedProposal, server_id: string): Build<Command> => {
  const set = { state: "approved" as const, decided_by, decided_at, server_id };
  return (q, { proposal }) => q.update(proposal).set(set).where(waits(proposal, id));
};

type Row = Omit<ToolServer, "command" | "elicitation_hosts"> & Record<"command" | "elicitation_hosts", unknown>;

const checked = ({ command, elicitation_hosts: hosts, ...row }: Row): ToolServer => ({
  ...row,
  elicitation_hosts: hosts === null ? [] : strings(hosts, `elicitation hosts of tool server ${row.id}`),
  command: command === null ? null : strings(command, `words of the command of tool server ${row.id}`),
});
