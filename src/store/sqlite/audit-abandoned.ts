import type { Database } from "bun:sqlite";
import type { SerialisedRecord } from "#store/record";
import { type AuditChain, checkedName } from "./audit-chain";
import { breathe } from "./audit-reader";
import { transaction } from "./database";
import { endEpoch, fencedEpoch } from "./node-log";

/** Some milliseconds' work. */
const AT_ONCE = 100;

/** A node whose lease has run out is live until somebody has ended it: until then it may still record the end itself. */
const ABANDONED = `SELECT partition, seq FROM audit_open_call AS call
  WHERE seq > ? AND NOT EXISTS (
    SELECT 1 FROM node WHERE node.id = call.node AND node.epoch = call.epoch AND node.state = 'live'
  ) ORDER BY seq LIMIT ${AT_ONCE}`;

/** In the log of one node. */
const OF_EPOCHS = `SELECT partition, seq FROM audit_open_call WHERE seq > ? AND epoch <= ? ORDER BY seq LIMIT ${AT_ONCE}`;

type Call = { readonly partition: string; readonly seq: number };
type Needs = { readonly db: Database; readonly chain: AuditChain };
type EndOf = (request: SerialisedRecord) => SerialisedRecord | null;

/** The end of a call takes it out of the open ones in the same transaction, so that nobody ends it twice. */
export const endAbandoned = (needs: Needs, endOf: EndOf): Promise<number> => {
  const some = needs.db.query<Call, [number]>(ABANDONED);
  return endAll(
    needs,
    endOf,
    (after) => some.all(after),
    () => some.get(0) !== null,
  );
};

/**
 * The same in a node's own log. `endedUpTo`: the last epoch of the node that does not live; it is asked within the
 * transaction, and nothing is recorded by such an epoch from then on.
 */
export const endAbandonedOf = (needs: Needs, endOf: EndOf, endedUpTo: () => number): Promise<number> => {
  const { db } = needs;
  const some = db.query<Call, [number, number]>(OF_EPOCHS);
  const find = (after: number): Call[] => {
    const ended = endedUpTo();
    if (fencedEpoch(db) < ended) endEpoch(db, ended);
    return some.all(after, ended);
  };
  return endAll(needs, endOf, find, () => {
    const ended = endedUpTo();
    return fencedEpoch(db) < ended || some.get(0, ended) !== null;
  });
};

const endAll = async (
  { db, chain }: Needs,
  endOf: EndOf,
  find: (after: number) => Call[],
  isAny: () => boolean,
): Promise<number> => {
  let ended = 0;
  for (let after = 0; ; await breathe()) {
    // Nothing is locked where there is nothing, as nearly always.
    if (after === 0 && !isAny()) return ended;
    const calls = transaction<Call[]>(db, () => {
      const found = find(after);
      const ends = found.flatMap((call) => endOf(bodyOf(db, call) ?? "") ?? []);
      if (ends.length > 0) chain.append(ends);
      ended += ends.length;
      return found;
    });
    const last = calls.at(-1);
    if (last === undefined || calls.length < AT_ONCE) return ended;
    after = last.seq;
  }
};

const bodyOf = (db: Database, { partition, seq }: Call): string | null =>
  db.query<{ body: string }, [number]>(`SELECT body FROM ${checkedName(partition)} WHERE seq = ?`).get(seq)?.body ??
  null;
