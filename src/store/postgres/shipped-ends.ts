import { columnsOf } from "#store/audit-link";
import type { SerialisedRecord } from "#store/record";
import type { InterruptedCalls, ShippedRow } from "#store/shipped-port";
import { appendSigned, type ChainSigner, lockedEnd, type Sql } from "./chain";
import type { Pool } from "./pool";

/*
 * Calls whose end was not shipped. While a hub lives it ships the end itself. What a dead one left is ended by another, as
 * far as it was shipped: nothing can be written to its log, which is on its own disk and must not fork, so the chain of
 * changes says which calls they were, signed, and their final records are kept beside the log. A hub that comes back has
 * the last word: the end that its own log says takes the place of the one that others said.
 */

/** Of one node in one go. */
const MOST = 500;

const OPENED = `INSERT INTO record_open (call_id, node, seq, at, id, user_id, agent_id, outcome, body, prev_hash, hash)
  SELECT call_id, $1, seq, at, id, user_id, agent_id, outcome, body, prev_hash, hash
  FROM json_to_recordset(($2::text)::json) AS given (call_id text, seq bigint, at bigint, id text, user_id text,
    agent_id text, outcome text, body text, prev_hash text, hash text)
  ON CONFLICT (call_id) DO NOTHING`;
const CLOSED = `DELETE FROM record_open WHERE node = $1
  AND call_id = ANY(ARRAY(SELECT json_array_elements_text(($2::text)::json)))`;

/** In the transaction in which the rows are shipped. */
export const noteOpenCalls = async (sql: Sql, node: string, rows: readonly ShippedRow[]): Promise<void> => {
  const opened = new Map<string, ShippedRow>();
  const closed: string[] = [];
  for (const row of rows) {
    if (row.phase === "request") opened.set(row.call_id, row);
    else if (!opened.delete(row.call_id)) closed.push(row.call_id);
  }
  if (opened.size > 0) await sql.unsafe(OPENED, [node, JSON.stringify([...opened.values()])]);
  if (closed.length > 0) await sql.unsafe(CLOSED, [node, JSON.stringify(closed)]);
};

const OPEN = `SELECT call_id, node, body FROM record_open
  WHERE ended_at IS NULL AND node = $1 ORDER BY seq LIMIT ${MOST}`;
/** A node that stopped in order has ended its calls itself, and ships that when it starts again, unless it was removed. */
const DEAD = `SELECT DISTINCT open.node FROM record_open AS open LEFT JOIN node ON node.id = open.node
  WHERE open.ended_at IS NULL AND (node.id IS NULL OR node.state = 'ended')`;
const END = `UPDATE record_open SET ended_at = $2, at = given.at, id = given.id, outcome = given.outcome, body = given.body
  FROM json_to_recordset(($1::text)::json)
    AS given (call_id text, at bigint, id text, outcome text, body text)
  WHERE record_open.call_id = given.call_id AND ended_at IS NULL`;

type EndNeeds = {
  readonly pool: Pool;
  readonly signer: ChainSigner;
  readonly now: () => number;
};

/** See `Shipping.endInterrupted`. */
export const endShipped = async (
  needs: EndNeeds,
  endOf: (request: SerialisedRecord) => SerialisedRecord | null,
  recordOf: (calls: InterruptedCalls) => SerialisedRecord,
): Promise<number> => {
  const dead = await needs.pool.plain((sql) => sql.unsafe<{ node: string }[]>(DEAD));
  let ended = 0;
  for (const { node } of dead) ended += await endOfNode(needs, node, endOf, recordOf);
  return ended;
};

const endOfNode = (
  { pool, signer, now }: EndNeeds,
  node: string,
  endOf: (request: SerialisedRecord) => SerialisedRecord | null,
  recordOf: (calls: InterruptedCalls) => SerialisedRecord,
): Promise<number> =>
  pool.transaction("", async ({ sql }) => {
    // Several hubs may find the same calls: the lock of the chain lets one after the other look.
    const end = await lockedEnd(sql);
    const open = await sql.unsafe<{ call_id: string; body: string }[]>(OPEN, [node]);
    const ends = open.flatMap(({ call_id, body }) => {
      const last = endOf(body);
      if (last === null) return [];
      const { id, at, outcome } = columnsOf(last);
      return [{ call_id, id, at, outcome, body: last }];
    });
    if (ends.length === 0) return 0;
    await sql.unsafe(END, [JSON.stringify(ends), now()]);
    const record = recordOf({ node, calls: ends.map(({ call_id }) => call_id) });
    await appendSigned(sql, { signer, now }, end, record);
    return ends.length;
  });
