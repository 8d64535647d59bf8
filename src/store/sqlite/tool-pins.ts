import { and, asc, eq, sql } from "drizzle-orm";
import type { ToolPin } from "#model/tools/tool";
import type { SeenTool } from "#store/port";
import { strings } from "./columns";
import type { Connection } from "./connection";
import { tables } from "./schema";

/*
 * The rows of tools, one by one. What writes here runs inside the transaction of `SqliteToolServers`.
 */

const { toolPin } = tables;

type Queries = Connection["queries"];

export const allPins = (queries: Queries): ToolPin[] =>
  queries.select().from(toolPin).orderBy(asc(toolPin.server_id), asc(toolPin.name)).all().map(checked);

/** Reads a server's pins, with a statement that is made once: taking in a list needs it several times. */
export const pinReader = (queries: Queries): ((serverId: string) => ToolPin[]) => {
  const here = eq(toolPin.server_id, sql.placeholder("server"));
  const found = queries.select().from(toolPin).where(here).orderBy(asc(toolPin.name)).prepare();
  return (server) => found.all({ server }).map(checked);
};

/** Adds a server's pin, with a statement that is made once: making one takes longer than running it for a whole list. */
export const pinAdder = (queries: Queries): ((serverId: string, it: SeenTool) => void) => {
  const place = sql.placeholder;
  const insert = queries
    .insert(toolPin)
    .values({
      server_id: place("server_id"),
      tool: place("tool"),
      name: place("name"),
      seen: place("seen"),
      seen_hash: place("seen_hash"),
      pinned: place("pinned"),
      pinned_hash: place("pinned_hash"),
      flags: place("flags"),
      refused: place("refused"),
      present: place("present"),
      seen_at: place("seen_at"),
    })
    .prepare();
  return (server, it) => {
    const { tool, name } = it;
    insert.run({ server_id: server, tool, name, ...seenColumns(it), ...pinnedColumns(it) });
  };
};

const checked = ({ flags, ...row }: Omit<ToolPin, "flags"> & { readonly flags: unknown }): ToolPin => ({
  ...row,
  flags: strings(flags, `flags of tool ${row.name}`),
});

/** How a server's list differs from what is stored of it. */
type Differences = {
  readonly added: readonly SeenTool[];
  readonly changed: readonly SeenTool[];
  /** By the server's own names. */
  readonly gone: readonly string[];
};

/** Null for none. */
export const differencesOf = (stored: readonly ToolPin[], listed: readonly SeenTool[]): Differences | null => {
  const known = new Map(stored.map((pin) => [pin.tool, pin]));
  const names = new Set(listed.map(({ tool }) => tool));
  if (names.size < listed.length) throw new Error("The list of a tool server names a tool twice");
  const added = listed.filter(({ tool }) => !known.has(tool));
  const changed = listed.filter((it) => {
    const pin = known.get(it.tool);
    return pin !== undefined && !isSeenSo(pin, it);
  });
  const gone = stored.filter(({ present, tool }) => present && !names.has(tool)).map(({ tool }) => tool);
  return added.length + changed.length + gone.length === 0 ? null : { added, changed, gone };
};

const isSeenSo = (pin: ToolPin, it: SeenTool): boolean =>
  pin.present &&
  pin.seen_hash === it.seen_hash &&
  pin.seen === it.seen &&
  pin.refused === it.refused &&
  Bun.deepEquals(pin.flags, it.flags);

/** `add`: of `pinAdder`. */
export const store = (
  queries: Queries,
  add: ReturnType<typeof pinAdder>,
  serverId: string,
  { added, changed, gone }: Differences,
): void => {
  const one = (tool: string) => and(eq(toolPin.server_id, serverId), eq(toolPin.tool, tool));
  for (const it of added) add(serverId, it);
  for (const it of changed) queries.update(toolPin).set(seenColumns(it)).where(one(it.tool)).run();
  for (const tool of gone) queries.update(toolPin).set({ present: false }).where(one(tool)).run();
};

const pinnedColumns = ({ pinIfNew, refused, seen, seen_hash }: SeenTool) =>
  pinIfNew && !refused ? { pinned: seen, pinned_hash: seen_hash } : { pinned: null, pinned_hash: null };

const seenColumns = ({ seen, seen_hash, flags, refused, seen_at }: SeenTool) => {
  return { seen, seen_hash, flags, refused, seen_at, present: true };
};

/** The names of those that were approved. */
export const approve = (
  queries: Queries,
  serverId: string,
  tools: readonly { readonly tool: string; readonly hash: string }[],
): string[] => {
  const approved = tools.flatMap(({ tool, hash }) => {
    // The approver has read the definition with this hash, and none that the server has listed since.
    const asRead = and(eq(toolPin.seen_hash, hash), eq(toolPin.refused, false));
    const update = queries
      .update(toolPin)
      .set({ pinned: sql`${toolPin.seen}`, pinned_hash: sql`${toolPin.seen_hash}` })
      .where(and(eq(toolPin.server_id, serverId), eq(toolPin.tool, tool), asRead));
    return update.returning({ name: toolPin.name }).all();
  });
  return [...new Set(approved.map(({ name }) => name))];
};
