import type { AuditRecord } from "#core/audit";
import { entryOf, prefixesOf } from "#core/call-entry";
import type { CallFilter, CallScope } from "#store/call-index-port";
import { type BlockRow, floatsIn, type Hashed, hashesIn } from "./call-block";
import { hash32 } from "./call-hash";

/* Finding records in blocks by several columns at once, and making sure on the record itself. */

type Column = Hashed | "at" | "flag";
type Test = (row: number) => boolean;

/** One condition: the columns it looks at, and how it reads for the rows of one block. */
type Condition = { readonly columns: readonly Column[]; readonly testOf: (block: BlockRow) => Test };

/** `name` in one column. */
export const equal = (column: Hashed, name: string): Condition => {
  const wanted = hash32(name);
  return {
    columns: [column],
    testOf: (block) => {
      const hashes = hashesIn(block[column]);
      return (row) => hashes[row] === wanted;
    },
  };
};

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

/** What each filter is called in a block and in an entry. */
const NAMED = [
  ["decision", "decision"],
  ["outcome", "outcome"],
  ["user", "user_id"],
  ["agent", "agent_id"],
  ["token", "token_id"],
  ["model", "model"],
  ["tool", "tool"],
  ["conversation", "conversation_id"],
] as const;

export const conditionsOf = (filter: CallFilter, scope: CallScope): Condition[] => {
  const { kind, flag, since, until } = filter;
  return [
    ...(kind === undefined ? [] : [equal(kind.includes(".") ? "kind" : "family", kind)]),
    ...NAMED.flatMap(([column, name]) => {
      const wanted = filter[name];
      return wanted === undefined ? [] : [equal(column, wanted)];
    }),
    ...(flag === undefined ? [] : [flagged(flag)]),
    ...(since === undefined && until === undefined ? [] : [timed(since, until)]),
    ...(scope === null ? [] : [scoped(scope)]),
  ];
};

export const columnsOf = (conditions: readonly Condition[]): Column[] => [
  ...new Set(conditions.flatMap(({ columns }) => columns)),
];

/** Records of a block up to a number, the newest first: those for which all holds, and the last not looked at. */
export const seqsIn = (
  block: BlockRow,
  conditions: readonly Condition[],
  { upTo, most }: { readonly upTo: number; readonly most: number },
): { readonly seqs: readonly number[]; readonly reached: number } => {
  const all = floatsIn(block.seq);
  const tests = conditions.map(({ testOf }) => testOf(block));
  const seqs: number[] = [];
  let row = block.last_seq <= upTo ? all.length : all.findLastIndex((seq) => seq <= upTo) + 1;
  while (row > 0 && seqs.length < most) {
    row -= 1;
    if (holds(tests, row)) seqs.push(all[row] ?? 0);
  }
  return { seqs, reached: (row === 0 ? block.first_seq : (all[row] ?? 0)) - 1 };
};

const holds = (tests: readonly Test[], row: number): boolean => {
  for (const test of tests) if (!test(row)) return false;
  return true;
};

/** Two names may share a hash: whether the record is really what was asked for. */
export const isWanted = (record: AuditRecord, { kind, flag, ...filter }: CallFilter, scope: CallScope): boolean => {
  const entry = entryOf(record);
  if (kind !== undefined && entry.kind !== kind && entry.kind.split(".", 1)[0] !== kind) return false;
  if (NAMED.some(([, name]) => filter[name] !== undefined && entry[name] !== filter[name])) return false;
  if (flag !== undefined && !entry.flags.some((type) => prefixesOf(type).includes(flag))) return false;
  if (scope === null) return true;
  const { agent_id, user_id } = entry;
  return agent_id === null ? user_id === scope.user_id : scope.agent_ids.includes(agent_id);
};
