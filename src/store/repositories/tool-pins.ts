import { and, asc, eq, sql } from "drizzle-orm";
import type { ToolPin } from "#model/tools/tool";
import { all, type KeptCommand, type Queries, run, type Steps, type Words } from "#store/db";
import type { ReadPin, SeenTool } from "#store/port";
import { strings } from "#store/stored";
import type { Tables } from "#store/tables";

/*
 * The rows of tools, one by one. What writes here runs inside a change of `ToolServers`.
 */

/** Of some servers, or all for null. */
export const pinRows =
  (servers: readonly string[] | null) =>
  (q: Queries, { toolPin }: Tables, words: Words) =>
    q
      .select()
      .from(toolPin)
      .where(servers === null ? undefined : words.among(toolPin.server_id, servers))
      .orderBy(asc(toolPin.server_id), asc(toolPin.kind), asc(toolPin.name));

/** A server's, of the placeholder `server`. */
export const pinsOfServer = (q: Queries, { toolPin }: Tables) =>
  q
    .select()
    .from(toolPin)
    .where(eq(toolPin.server_id, sql.placeholder("server")))
    .orderBy(asc(toolPin.kind), asc(toolPin.name));

export const pinOf = ({ flags, ...row }: Omit<ToolPin, "flags"> & { readonly flags: unknown }): ToolPin => ({
  ...row,
  flags: strings(flags, `flags of tool ${row.name}`),
});

/** How a server's list differs from what is stored of it. */
type Differences = {
  readonly added: readonly SeenTool[];
  readonly changed: readonly SeenTool[];
  readonly gone: readonly PinKey[];
};
type PinKey = Pick<ToolPin, "kind" | "tool">;
const keyOf = ({ kind, tool }: PinKey): string => `${kind} ${tool}`;

/** Null for none. */
export const differencesOf = (stored: readonly ToolPin[], listed: readonly SeenTool[]): Differences | null => {
  const known = new Map(stored.map((pin) => [keyOf(pin), pin]));
  const names = new Set(listed.map(keyOf));
  if (names.size < listed.length) throw new Error("The list of a tool server names a tool twice");
  const added = listed.filter((it) => !known.has(keyOf(it)));
  const changed = listed.filter((it) => {
    const pin = known.get(keyOf(it));
    return pin !== undefined && !isSeenSo(pin, it);
  });
  const gone = stored.filter((pin) => pin.present && !names.has(keyOf(pin)));
  return added.length + changed.length + gone.length === 0 ? null : { added, changed, gone };
};

const isSeenSo = (pin: ToolPin, it: SeenTool): boolean =>
  pin.present &&
  pin.seen_hash === it.seen_hash &&
  pin.seen === it.seen &&
  pin.refused === it.refused &&
  Bun.deepEquals(pin.flags, it.flags);

/** `adding`: of `addedPin`, made once. */
export function* store(adding: KeptCommand, serverId: string, { added, changed, gone }: Differences): Steps<void> {
  for (const it of added) {
    const { kind, tool, name } = it;
    yield* run(adding, { server_id: serverId, kind, tool, name, ...seenColumns(it), ...pinnedColumns(it) });
  }
  for (const it of changed) {
    yield* set(serverId, it, it.isPinnedAnew === true ? { ...seenColumns(it), ...pinnedColumns(it) } : seenColumns(it));
  }
  for (const pin of gone) yield* set(serverId, pin, { present: false });
}

/** Adds a pin of placeholders: making a statement takes longer than running it for a whole list. */
export const addedPin = (q: Queries, { toolPin }: Tables) => {
  const place = sql.placeholder;
  return q.insert(toolPin).values({
    server_id: place("server_id"),
    kind: sql<ToolPin["kind"]>`${place("kind")}`,
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
    lacks_meta: place("lacks_meta"),
  });
};

const set = (
  serverId: string,
  { kind, tool }: PinKey,
  values: Partial<Tables["toolPin"]["$inferInsert"]>,
): Steps<void> =>
  run((q, { toolPin: it }) =>
    q
      .update(it)
      .set(values)
      .where(and(eq(it.server_id, serverId), eq(it.kind, kind), eq(it.tool, tool))),
  );

const pinnedColumns = ({ pinIfNew, refused, seen, seen_hash }: SeenTool) =>
  pinIfNew && !refused ? { pinned: seen, pinned_hash: seen_hash } : { pinned: null, pinned_hash: null };

const seenColumns = ({ seen, seen_hash, flags, refused, seen_at, lacks_meta }: SeenTool) => {
  return { seen, seen_hash, flags, refused, seen_at, lacks_meta, present: true };
};

/** The names of those that were approved. */
export function* approve(serverId: string, tools: readonly ReadPin[]): Steps<string[]> {
  const approved = new Set<string>();
  for (const { kind = "tool", tool, hash } of tools) {
    const rows = yield* all((q, { toolPin: it }) => {
      // The approver has read the definition with this hash, and none that the server has listed since.
      const asRead = and(eq(it.seen_hash, hash), eq(it.refused, false));
      return q
        .update(it)
        .set({ pinned: sql`${it.seen}`, pinned_hash: sql`${it.seen_hash}` })
        .where(and(eq(it.server_id, serverId), eq(it.kind, kind), eq(it.tool, tool), asRead))
        .returning({ name: it.name });
    });
    for (const { name } of rows) approved.add(name);
  }
  return [...approved];
}
