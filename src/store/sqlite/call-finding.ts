import type { Database } from "bun:sqlite";
import type { CallFilter, CallScope } from "#store/call-index-port";
import type { CallHashes } from "./call-hash";

/*
 * Finding entries by several columns at once: the rarest of them drives, the others are looked at row by row. Column
 * names come from here only.
 */

type Column =
  | "kind"
  | "family"
  | "decision"
  | "outcome"
  | "user"
  | "agent"
  | "token"
  | "model"
  | "tool"
  | "conversation";

/** Some entries in order of their number: those an index finds. */
type Stream = { readonly from: string; readonly where: string; readonly values: readonly number[] };

/** One condition: the streams that together hold all it is true for, and how it reads for one entry `e`. */
export type Condition = {
  readonly streams: readonly Stream[];
  readonly holds: string;
  readonly values: readonly number[];
};

/** More streams than that are dearer than looking at every entry. */
const MOST_STREAMS = 100;
/** How far is counted to learn which condition is the rarest. */
const COUNTED = 2_000;

const column = (name: Column, value: number): Condition => {
  // The conversation's index leaves out what has none.
  const isSome = name === "conversation" ? " AND conversation <> 0" : "";
  return {
    streams: [{ from: "call_entry", where: `${name} = ?${isSome}`, values: [value] }],
    holds: `+e.${name} = ?`,
    values: [value],
  };
};

const scoped = ({ user_id, agent_ids }: NonNullable<CallScope>, hashes: CallHashes): Condition => {
  const user = hashes.of("user", user_id);
  const agents = agent_ids.map((id) => hashes.of("agent", id));
  const own = { from: "call_entry", where: "user = ? AND +agent = 0", values: [user] };
  const theirs = agents.map((agent) => ({ from: "call_entry", where: "agent = ?", values: [agent] }));
  const marks = agents.map(() => "?").join(", ");
  return {
    streams: [own, ...theirs],
    holds: `((+e.user = ? AND +e.agent = 0) OR +e.agent IN (${marks}))`,
    values: [user, ...agents],
  };
};

const flagged = (flag: number): Condition => ({
  streams: [{ from: "call_flag", where: "flag = ?", values: [flag] }],
  holds: "EXISTS (SELECT 1 FROM call_flag f WHERE f.flag = ? AND f.seq = e.seq)",
  values: [flag],
});

export const conditionsOf = (filter: CallFilter, scope: CallScope, hashes: CallHashes): Condition[] => {
  const { kind } = filter;
  const named: [Column, string | undefined][] = [
    kind?.includes(".") ? ["kind", kind] : ["family", kind],
    ["decision", filter.decision],
    ["outcome", filter.outcome],
    ["user", filter.user_id],
    ["agent", filter.agent_id],
    ["token", filter.token_id],
    ["model", filter.model],
    ["tool", filter.tool],
    ["conversation", filter.conversation_id],
  ];
  return [
    ...named.flatMap(([name, value]) => (value === undefined ? [] : [column(name, hashes.of(name, value))])),
    ...(filter.flag === undefined ? [] : [flagged(hashes.of("flag", filter.flag))]),
    ...(scope === null ? [] : [scoped(scope, hashes)]),
  ];
};

/** Entries above `low` and up to `high`. */
type Bounds = { readonly low: number; readonly high: number };

/** The union of a condition's streams, newest first. */
const unionOf = ({ streams }: Condition): string =>
  streams
    .map(({ from, where }) => `SELECT seq FROM ${from} WHERE ${where} AND seq > ? AND seq <= ?`)
    .join(" UNION ALL ");

const boundValues = ({ streams }: Condition, { low, high }: Bounds): number[] =>
  streams.flatMap(({ values }) => [...values, low, high]);

/** The rarest of the conditions; null when none is worth it: then every entry is looked at. */
export const rarestOf = (db: Database, conditions: readonly Condition[], bounds: Bounds): Condition | null => {
  let [rarest, fewest]: [Condition | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const condition of conditions) {
    if (condition.streams.length > MOST_STREAMS) continue;
    const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM (${unionOf(condition)}) LIMIT ${COUNTED})`;
    const n = db.query<{ n: number }, number[]>(sql).get(...boundValues(condition, bounds))?.n ?? 0;
    if (n < fewest) [rarest, fewest] = [condition, n];
  }
  return rarest;
};

/** Entries looked at in one go where an index drives, and where none does: some milliseconds each. */
const DRIVEN = 2_000;
const ALL = 20_000;

export type Slice = { readonly seqs: readonly number[]; readonly low: number };

/** One slice from the top of the bounds down: what holds there, newest first, and how far down it looked. */
export const sliceOf = (
  db: Database,
  conditions: readonly Condition[],
  driver: Condition | null,
  { bounds, most }: { readonly bounds: Bounds; readonly most: number },
): Slice => {
  const low = driver === null ? Math.max(bounds.low, bounds.high - ALL) : lowestOf(db, driver, bounds);
  const within = { low, high: bounds.high };
  const others = conditions.filter((condition) => condition !== driver);
  const inDriver = driver === null ? [] : [`e.seq IN (${unionOf(driver)})`];
  const where = [...inDriver, "e.seq > ?", "e.seq <= ?", ...others.map(({ holds }) => holds)].join(" AND ");
  const values = [
    ...(driver === null ? [] : boundValues(driver, within)),
    ...[within.low, within.high],
    ...others.flatMap((condition) => condition.values),
  ];
  const sql = `SELECT e.seq FROM call_entry e WHERE ${where} ORDER BY e.seq DESC LIMIT ?`;
  const found = db.query<{ seq: number }, number[]>(sql).all(...values, most);
  const seqs = found.map(({ seq }) => seq);
  const last = seqs.at(-1);
  // A full slice may have left some behind below its last.
  return { seqs, low: seqs.length === most && last !== undefined ? last - 1 : low };
};

const lowestOf = (db: Database, driver: Condition, bounds: Bounds): number => {
  const sql = `SELECT seq FROM (${unionOf(driver)}) ORDER BY seq DESC LIMIT 1 OFFSET ?`;
  const row = db.query<{ seq: number }, number[]>(sql).get(...boundValues(driver, bounds), DRIVEN - 1);
  return row === null ? bounds.low : Math.max(bounds.low, row.seq - 1);
};
