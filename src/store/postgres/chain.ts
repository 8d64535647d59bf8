import { columnsOf, GENESIS, type Head, linkHash } from "#store/audit-link";
import type { SerialisedRecord } from "#store/record";
import type { ShippedCheckpoint, ShippedHead } from "#store/shipped-port";
import { begins, digestOf, LOST } from "#store/sqlite/audit-checkpoints";
import { type AuditSigner, checkpointText, headText } from "#store/sqlite/audit-signer";
import { UnfitDatabase } from "./errors";
import { keyOf } from "./keys";

/*
 * The chain of changes, as it is appended to and signed. A process that appends holds the lock of the chain's end until
 * its transaction is over, so that the chain does not fork.
 */

/** What says how far the logs of hubs go, or what is gone of them, is signed as it is written. */
export const SIGNED_KINDS: readonly string[] = ["audit.anchor", "audit.drop", "node.remove", "node.interrupted"];

export type ChainSigner = Pick<AuditSigner, "known" | "sign">;
export type Sql = Pick<Bun.SQL, "unsafe">;

const END = "SELECT seq, hash FROM chain WHERE name = 'governance' FOR UPDATE";

const LINK = `WITH ended AS (UPDATE chain SET seq = $1, hash = $2 WHERE name = 'governance')
  INSERT INTO governance_record (seq, at, body, prev_hash, hash) VALUES ($1, $3, $4, $5, $2)`;

const NEWEST = "SELECT seq, hash, at, key_id, signature, prev FROM chain_checkpoint ORDER BY seq DESC LIMIT 1";
const KNOWN = `SELECT head.seq, head.checkpoint, head.key_id, head.signature, chain_key.public_key
  FROM chain_head AS head LEFT JOIN chain_key ON chain_key.id = head.key_id`;
const CHECKPOINT = `WITH signed AS (
    INSERT INTO chain_checkpoint (seq, hash, at, key_id, signature, prev) VALUES ($1, $2, $3, $4, $5, $6))
  INSERT INTO chain_head (only_row, seq, checkpoint, key_id, signature) VALUES (true, $1, $7, $4, $8)
    ON CONFLICT (only_row) DO UPDATE SET seq = excluded.seq, checkpoint = excluded.checkpoint,
      key_id = excluded.key_id, signature = excluded.signature`;
const KEY = "INSERT INTO chain_key (id, public_key) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";

/** Locks the end of the chain until the transaction is over. */
export const lockedEnd = async (sql: Sql): Promise<Head> => {
  const [row] = await sql.unsafe<{ seq: unknown; hash: string }[]>(END);
  if (row === undefined) throw new UnfitDatabase("The database has no chain of changes");
  return { seq: Number(row.seq), hash: row.hash };
};

/** Of a key that signs or has signed, before it does. */
export const knowKey = async (sql: Sql, signer: ChainSigner): Promise<void> => {
  const { id, publicKey } = signer.known();
  await sql.unsafe(KEY, [id, publicKey]);
};

/** No change of the configuration: nobody is told of it, and it has no revision. `end` is locked. */
export const appendSigned = async (
  sql: Sql,
  { signer, now }: { readonly signer: ChainSigner; readonly now: () => number },
  end: Head,
  body: SerialisedRecord,
): Promise<Head> => {
  const seq = end.seq + 1;
  const head = { seq, hash: linkHash(end.hash, seq, body) };
  await sql.unsafe(LINK, [seq, head.hash, columnsOf(body).at, body, end.hash]);
  await signEnd(sql, signer, head, now());
  return head;
};

/** Signs the end of the chain, which is locked. `at` in Unix milliseconds. */
export const signEnd = async (sql: Sql, signer: ChainSigner, { seq, hash }: Head, at: number): Promise<void> => {
  await knowKey(sql, signer);
  const prev = await before(sql);
  const { keyId, signature } = signer.sign(checkpointText({ seq, hash }, at, prev));
  const digest = digestOf({ seq, hash, at, prev });
  const newest = signer.sign(headText(seq, digest)).signature;
  await sql.unsafe(CHECKPOINT, [seq, hash, at, keyId, signature, prev, digest, newest]);
};

/** Nothing is chained to what may have been tampered with: see `Checkpoints` of the other store. */
const before = async (sql: Sql): Promise<string> => {
  const [last] = await sql.unsafe<ShippedCheckpoint[]>(NEWEST);
  const [known] = await sql.unsafe<(ShippedHead & { public_key: string | null })[]>(KNOWN);
  if (last === undefined) return known === undefined ? begins(GENESIS) : LOST;
  const digest = digestOf({ ...last, seq: Number(last.seq), at: Number(last.at) });
  if (known?.checkpoint !== digest) return LOST;
  const key = keyOf({ key_id: known.key_id, public_key: known.public_key ?? "" });
  return key?.hasSigned(headText(Number(known.seq), digest), known.signature) === true ? digest : LOST;
};
