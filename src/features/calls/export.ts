import { csvLine } from "#core/csv";
import type { FoundCalls } from "#store/call-index-port";
import type { AuditRow } from "#store/record";
import type { CallRow } from "./schema";

/** Rows of one export; and of one search of it. */
export const MAX_EXPORTED = 100_000;
const PAGE = 500;

const COLUMNS: readonly (readonly [name: string, read: (row: CallRow) => unknown])[] = [
  ["at", ({ at }) => at],
  ["call_id", ({ call_id }) => call_id],
  ["kind", ({ kind }) => kind],
  ["decision", ({ decision }) => decision],
  ["outcome", ({ outcome }) => outcome],
  ["status", ({ status }) => status],
  ["code", ({ code }) => code],
  ["agent_id", ({ agent_id }) => agent_id],
  ["agent", ({ agent }) => agent],
  ["user_id", ({ user_id }) => user_id],
  ["user", ({ user }) => user],
  ["token_id", ({ token_id }) => token_id],
  ["token", ({ token }) => token],
  ["via", ({ via }) => via],
  ["model", ({ model }) => model],
  ["provider", ({ provider }) => provider],
  ["tool", ({ tool }) => tool],
  ["conversation_id", ({ conversation_id }) => conversation_id],
  ["findings", ({ flags }) => flags.map(({ type, action, count }) => `${type}:${action}:${count}`).join(" ")],
  ["total_tokens", ({ total_tokens }) => total_tokens],
  ["cost_usd", ({ cost_usd }) => cost_usd],
  ["cost_basis", ({ cost_basis }) => cost_basis],
  ["total_ms", ({ total_ms }) => total_ms],
  ["scan_us", ({ scan_us }) => scan_us],
  ["event_id", ({ event_id }) => event_id],
  ["subject", ({ change }) => change?.subject],
  ["subject_id", ({ change }) => change?.subject_id],
];

/** A line for the names of the columns, then one a call, as fast as its reader takes them. */
export const exportOf = (
  search: (before: string | null, limit: number) => Promise<FoundCalls>,
  shown: (rows: readonly AuditRow[]) => Promise<readonly CallRow[]>,
): ReadableStream<Uint8Array> => {
  const text = new TextEncoder();
  const lines = linesOf(search, shown);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(text.encode(value));
    },
    async cancel() {
      await lines.return();
    },
  });
};

async function* linesOf(
  search: Parameters<typeof exportOf>[0],
  shown: Parameters<typeof exportOf>[1],
): AsyncGenerator<string, void, void> {
  yield csvLine(COLUMNS.map(([name]) => name));
  let before: string | null = null;
  for (let left = MAX_EXPORTED; left > 0; ) {
    const found: FoundCalls = await search(before, Math.min(PAGE, left));
    const rows = await shown(found.rows);
    const batch = rows.map((row) => csvLine(COLUMNS.map(([, read]) => read(row)))).join("");
    // A search that found nothing in its time goes on.
    if (batch !== "") yield batch;
    left -= found.rows.length;
    before = found.next;
    if (before === null) return;
  }
}
