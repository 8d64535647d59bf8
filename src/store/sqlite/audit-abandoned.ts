import type { Database } from "bun:sqlite";
import type { SerialisedRecord } from "#store/record";
import { type AuditChain, checkedName } from "./audit-chain";
import { breathe } from "./audit-reader";
import { transaction } from "./database";

/** Some milliseconds' work. */
const AT_ONCE = 100;

/** A node whose lease has run out is live until somebody has ended it: until then it may still record the end itself. */
const ABANDONED = `SELECT partition, seq FROM audit_open_call AS call
  WHERE seq > ? AND NOT EXISTS (
    SELECT 1 FROM node WHERE node.id = call.node AND node.epoch = call.epoch AND node.state = 'live'
  ) ORDER BY seq LIMIT ${AT_ONCE}`;

type Call = { readonly partition: string; readonly seq: number };
type Needs = { readonly db: Database; readonly chain: AuditChain };

/** The end of a call takes it out of the open ones in the same transaction, so that nobody ends it twice. */
export const endAbandoned = async (
  { db, chain }: Needs,
  endOf: (request: SerialisedRecord) => SerialisedRecord | null,
): Promise<number> => {
  const some = db.query<Call, [number]>(ABANDONED);
  let ended = 0;
  for (let after = 0; ; await breathe()) {
    // Nothing is locked where there is nothing, as nearly always.
    if (some.get(after) === null) return ended;
    const calls = transaction<Call[]>(db, () => {
      const found = some.all(after);
      const ends = found.flatMap((call) => endOf(bodyOf(db, call) ?? "") ?? []);
      if (ends.length > 0) chain.append(ends);
      ended += ends.length;
      return found;
    });
    const last = calls.at(-1);
    if (last === undefined) return ended;
    after = last.seq;
  }
};

const bodyOf = (db: Database, { partition, seq }: Call): string | null =>
  db.query<{ body: string }, [number]>(`SELECT body FROM ${checkedName(partition)} WHERE seq = ?`).get(seq)?.body ??
  null;
