import type { AuditRecord } from "#model/audit";
import { entryOf, prefixesOf } from "#model/call-entry";
import { ANY_MODEL_CALL, isModelCall, MODEL_CALL_KINDS } from "#model/model-api";
import type { CallFilter, CallScope } from "#store/call-index-port";
import { type BlockRow, floatsIn, type Hashed, hashesIn } from "./call-block";
import { hash32 } from "./call-hash";

/* Finding records in blocks by several columns at once, and making sure on the record itself. */

type Column = Hashed | "at" | "flag";
type Test = (row: number) => boolean;

/** One condition: the columns it looks at, and how it reads for the rows of one block. */
type Condition = {
  readonly columns: readonly Column[];
  readonly testOf: (block: BlockRow) => Test;
  /** What one column must be, where that is all there is to it: such rows are found without looking at each. */
  readonly is?: { readonly column: Hashed; readonly wanted: number };
};

/** `name` in one column. */
export const equal = (column: Hashed, name: string): Condition => {
  const wanted = hash32(name);
  return {
    columns: [column],
    is: { column, wanted },
    testOf: (block) => {
      const hashes = hashesIn(block[column]);
      return (row) => hashes[row] === wanted;
    },
  };
};

/** A kind, all kinds with the same first word, or all kinds of calls to models. */
const ofKind = (kind: string): Condition => {
  if (kind !== ANY_MODEL_CALL) return equal(kind.includes(".") ? "kind" : "family", kind);
  const wanted = new Set(MODEL_CALL_KINDS.map(hash32));
  return {
    columns: ["kind"],
    testOf: (block) => {
      const kinds = hashesIn(block.kind);
      return (row) => wanted.has(kinds[row] ?? 0);
    },
  };
};

/** The same of a record. */
const isOfKind = (kind: string, wanted: string): boolean =>
  wanted === ANY_MODEL_CALL ? isModelCall(kind) : kind === wanted || kind.split(".", 1)[0] === wanted;

const flagged = (type: string): Condition => {
  const wanted = hash32(type);
  return {
    columns: ["flag"],
    testOf: ({ flag }) => {
      const pairs = hashesIn(flag);
      const rows = new Set<number>();
      for (let pair = 0; pair + 1 < pairs.length; pair += 2) {
        if (pairs[pair + 1] === wanted) rows.add(pairs[pair] ?? 0);
      }
      return (row) => rows.has(row);
    },
  };
};

const timed = (since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY): Condition => ({
  columns: ["at"],
  testOf: ({ at }) => {
    const ats = floatsIn(at);
    return (row) => {
      const moment = ats[row] ?? 0;
      return moment >= since && moment < until;
    };
  },
});

const scoped = ({ user_id, agent_ids }: NonNullable<CallScope>): Condition => {
  const user = hash32(user_id);
  const agents = new Set(agent_ids.map(hash32));
  return {
    columns: ["user", "agent"],
    testOf: (block) => {
      const [users, theirs] = [hashesIn(block.user), hashesIn(block.agent)];
      return (row) => {
        const agent = theirs[row] ?? 0;
        return agent === 0 ? users[row] === user : agents.has(agent);
      };
    },
  };
};

/** What each filter is called in a block and in an entry; those that few calls pass come first. */
const NAMED = [
  ["conversation", "conversation_id"],
  ["tool", "tool"],
  ["token", "token_id"],
  ["model", "model"],
  ["agent", "agent_id"],
  ["user", "user_id"],
  ["outcome", "outcome"],
  ["decision", "decision"],
] as const;

export const conditionsOf = (filter: CallFilter, scope: CallScope): Condition[] => {
  const { kind, flag, since, until } = filter;
  return [
    ...NAMED.flatMap(([column, name]) => {
      const wanted = filter[name];
      return wanted === undefined ? [] : [equal(column, wanted)];
    }),
    ...(kind === undefined ? [] : [ofKind(kind)]),
    ...(flag === undefined ? [] : [flagged(flag)]),
    ...(since === undefined && until === undefined ? [] : [timed(since, until)]),
    ...(scope === null ? [] : [scoped(scope)]),
  ];
};

export const columnsOf = (conditions: readonly Condition[]): Column[] => [
  ...new Set(conditions.flatMap(({ columns }) => columns)),
];

/** Rows of a block from `below` down: those for which all holds, and where it stopped: nothing at or above is left. */
export const rowsIn = (
  block: BlockRow,
  conditions: readonly Condition[],
  { below, most }: { readonly below: number; readonly most: number },
): { readonly rows: readonly number[]; readonly below: number } => {
  const [first] = conditions;
  const others = first?.is ? conditions.slice(1) : conditions;
  const before = first?.is ? jumping(hashesIn(block[first.is.column]), first.is.wanted) : (row: number) => row - 1;
  const tests = others.map(({ testOf }) => testOf(block));
  const rows: number[] = [];
  let row = before(below);
  while (row >= 0) {
    if (holds(tests, row)) rows.push(row);
    if (rows.length >= most) return { rows, below: row };
    row = before(row);
  }
  return { rows, below: 0 };
};

/** The next row further down that is what is wanted; negative for none. */
const jumping =
  (hashes: Uint32Array, wanted: number) =>
  (row: number): number =>
    row === 0 ? -1 : hashes.lastIndexOf(wanted, row - 1);

const holds = (tests: readonly Test[], row: number): boolean => {
  for (const test of tests) if (!test(row)) return false;
  return true;
};

/** Two names may share a hash: whether the record is really what was asked for. */
export const isWanted = (record: AuditRecord, { kind, flag, ...filter }: CallFilter, scope: CallScope): boolean => {
  const entry = entryOf(record);
  if (kind !== undefined && !isOfKind(entry.kind, kind)) return false;
  if (NAMED.some(([, name]) => filter[name] !== undefined && entry[name] !== filter[name])) return false;
  if (flag !== undefined && !entry.flags.some((type) => prefixesOf(type).includes(flag))) return false;
  if (scope === null) return true;
  const { agent_id, user_id } = entry;
  return agent_id === null ? user_id === scope.user_id : scope.agent_ids.includes(agent_id);
};
