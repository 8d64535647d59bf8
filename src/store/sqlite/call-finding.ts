import type { AuditRecord } from "#model/audit";
import {
  type CallCategory,
  type CallMeasure,
  categoryOf,
  entryOf,
  measuresOf,
  prefixesOf,
  TOOL_CALL,
} from "#model/call-entry";
import { ANY_MODEL_CALL, isModelCall, MODEL_CALL_KINDS } from "#model/model-api";
import type { CallFilter, CallScope, Range } from "#store/call-index-port";
import { BLOCK, type Hashed, type Numbers, type StoredBlock } from "./call-block";
import { hash32 } from "./call-hash";

/* Finding records in blocks by several columns at once, and making sure on the record itself. */

/** Which records of a block are still wanted, ascending; a condition leaves those for which it holds. */
export type Rows = Uint16Array;
type Condition = (block: StoredBlock, rows: Rows) => Rows;

/** The same array, shorter. */
const kept = (rows: Rows, isKept: (row: number) => boolean): Rows => {
  let count = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? 0;
    if (!isKept(row)) continue;
    rows[count] = row;
    count += 1;
  }
  return rows.subarray(0, count);
};

/** `name` in one column. */
export const equal = (column: Hashed, name: string): Condition => {
  const wanted = hash32(name);
  return (block, rows) => {
    const hashes = block.hashes(column);
    // Most blocks have nothing of what is rare, and this finds that out without looking at each row.
    if (!hashes.includes(wanted)) return rows.subarray(0, 0);
    let count = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      rows[count] = row;
      // Without a branch: which rows are wanted follows no pattern.
      count += hashes[row] === wanted ? 1 : 0;
    }
    return rows.subarray(0, count);
  };
};

const MODEL_KINDS: ReadonlySet<number> = new Set(MODEL_CALL_KINDS.map(hash32));

const ofKinds =
  (kinds: ReadonlySet<number>): Condition =>
  (block, rows) => {
    const hashes = block.hashes("kind");
    // The same kind comes again and again: most rows are like the one before.
    let [last, is] = [0, false];
    return kept(rows, (row) => {
      const kind = hashes[row] ?? 0;
      if (kind !== last) [last, is] = [kind, kinds.has(kind)];
      return is;
    });
  };

/** A kind, all kinds with the same first word, or all kinds of calls to models. */
const ofKind = (kind: string): Condition =>
  kind === ANY_MODEL_CALL ? ofKinds(MODEL_KINDS) : equal(kind.includes(".") ? "kind" : "family", kind);

/** The same of a record. */
const isOfKind = (kind: string, wanted: string): boolean =>
  wanted === ANY_MODEL_CALL ? isModelCall(kind) : kind === wanted || kind.split(".", 1)[0] === wanted;

const CALL_KINDS: ReadonlySet<number> = new Set([...MODEL_KINDS, hash32(TOOL_CALL)]);
const CHANGE = hash32("change");

const ofCategory = (category: CallCategory): Condition => {
  if (category === "call") {
    const among = ofKinds(CALL_KINDS);
    return (block, rows) => (block.row.calls === block.row.count ? rows : among(block, rows));
  }
  if (category === "administration") return equal("decision", "change");
  return (block, rows) => {
    const [kinds, decisions] = [block.hashes("kind"), block.hashes("decision")];
    return kept(rows, (row) => decisions[row] !== CHANGE && !CALL_KINDS.has(kinds[row] ?? 0));
  };
};

const flagged = (type: string): Condition => {
  const wanted = hash32(type);
  return (block, rows) => {
    const pairs = block.hashes("flag");
    // The record of a pair may have that number as well.
    if (!pairs.includes(wanted)) return rows.subarray(0, 0);
    const isFlagged = new Uint8Array(BLOCK);
    for (let pair = 0; pair + 1 < pairs.length; pair += 2) {
      if (pairs[pair + 1] === wanted) isFlagged[pairs[pair] ?? 0] = 1;
    }
    return kept(rows, (row) => isFlagged[row] === 1);
  };
};

const timed =
  (since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY): Condition =>
  (block, rows) => {
    if (block.row.since >= since && block.row.until < until) return rows;
    const ats = block.numbers("at");
    return kept(rows, (row) => {
      const moment = ats[row] ?? 0;
      return moment >= since && moment < until;
    });
  };

/** Inclusive. What has no such number is in no range. */
const within = (measure: CallMeasure, { min, max }: Range): Condition => {
  // Numbers of a narrow column were rounded; rounding keeps their order, so nothing is lost by rounding the bounds too.
  const bound = (numbers: Numbers, value: number) => (numbers instanceof Float32Array ? Math.fround(value) : value);
  return (block, rows) => {
    const numbers = block.numbers(measure);
    const from = bound(numbers, min ?? Number.NEGATIVE_INFINITY);
    const to = bound(numbers, max ?? Number.POSITIVE_INFINITY);
    return kept(rows, (row) => {
      const number = numbers[row] ?? Number.NaN;
      return number >= from && number <= to;
    });
  };
};

const scoped = ({ user_id, agent_ids }: NonNullable<CallScope>): Condition => {
  const user = hash32(user_id);
  const agents = new Set(agent_ids.map(hash32));
  return (block, rows) => {
    const [users, theirs] = [block.hashes("user"), block.hashes("agent")];
    return kept(rows, (row) => {
      const agent = theirs[row] ?? 0;
      return agent === 0 ? users[row] === user : agents.has(agent);
    });
  };
};

/** What each filter is called in a block and in an entry; those that few calls pass come first. */
export const NAMED = [
  ["conversation", "conversation_id"],
  ["tool", "tool"],
  ["token", "token_id"],
  ["model", "model"],
  ["agent", "agent_id"],
  ["user", "user_id"],
  ["outcome", "outcome"],
  ["basis", "cost_basis"],
  ["decision", "decision"],
] as const;

const MEASURED = ["cost", "tokens", "ms", "status"] as const;

export const conditionsOf = (filter: CallFilter, scope: CallScope): Condition[] => {
  const { kind, category, flag, since, until } = filter;
  return [
    ...(since === undefined && until === undefined ? [] : [timed(since, until)]),
    ...NAMED.flatMap(([column, name]) => {
      const wanted = filter[name];
      return wanted === undefined ? [] : [equal(column, wanted)];
    }),
    ...(kind === undefined ? [] : [ofKind(kind)]),
    ...(category === undefined ? [] : [ofCategory(category)]),
    ...(flag === undefined ? [] : [flagged(flag)]),
    ...MEASURED.flatMap((measure) => {
      const range = filter[measure];
      return range === undefined ? [] : [within(measure, range)];
    }),
    ...(scope === null ? [] : [scoped(scope)]),
  ];
};

const EVERY = Uint16Array.from({ length: BLOCK }, (_, row) => row);

/** The rows of a block, those below `below` at most, for which all holds. */
export const rowsIn = (block: StoredBlock, conditions: readonly Condition[], below = block.row.count): Rows => {
  let rows: Rows = EVERY.slice(0, Math.min(below, block.row.count));
  for (const narrow of conditions) {
    if (rows.length === 0) break;
    rows = narrow(block, rows);
  }
  return rows;
};

const isWithin = (number: number | null, { min, max }: Range): boolean =>
  number !== null && number >= (min ?? Number.NEGATIVE_INFINITY) && number <= (max ?? Number.POSITIVE_INFINITY);

/** Two names may share a hash: whether the record is really what was asked for. */
export const isWanted = (record: AuditRecord, filter: CallFilter, scope: CallScope): boolean => {
  const { kind, category, flag } = filter;
  const entry = entryOf(record);
  if (kind !== undefined && !isOfKind(entry.kind, kind)) return false;
  if (category !== undefined && categoryOf(record) !== category) return false;
  if (NAMED.some(([, name]) => filter[name] !== undefined && entry[name] !== filter[name])) return false;
  if (flag !== undefined && !entry.flags.some((type) => prefixesOf(type).includes(flag))) return false;
  const measures = measuresOf(record);
  for (const measure of MEASURED) {
    const range = filter[measure];
    if (range !== undefined && !isWithin(measures[measure], range)) return false;
  }
  if (scope === null) return true;
  const { agent_id, user_id } = entry;
  return agent_id === null ? user_id === scope.user_id : scope.agent_ids.includes(agent_id);
};
