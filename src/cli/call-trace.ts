import { GuardError } from "#core/errors";
import { recordOf } from "#features/calls/schema";
import { TraceSums, traceOf } from "#features/calls/trace";
import type { TraceCall, TraceTotals } from "#features/calls/trace-schema";
import { isTraffic } from "#model/call-entry";
import { nested, turnsOf } from "#model/conversation-trace";
import type { AuditRow } from "#store/record";
import { linesIn, newestCalls } from "./call-filter";
import { callOf, dollars, namesOf, time } from "./calls";
import { EXIT } from "./exit";
import { reading } from "./session";
import type { RunVerb } from "./verb";

const DEFAULT_LINES = 200;

const HEADINGS = ["TURN", "START (UTC)", "ID", "MODEL OR TOOL", "DECISION", "FINDINGS", "TOKENS", "USD", "MS"];

const cellsOf = (call: TraceCall, turn: string, depth: string): string[] => [
  turn,
  time(call.started_at),
  call.call_id,
  `${depth}${call.tool ?? call.model ?? call.kind}`,
  call.decision,
  call.flags.map(({ type }) => type).join(", "),
  call.total_tokens === null ? "" : String(call.total_tokens),
  call.cost_basis === "unpriced" ? "unpriced" : dollars(call.cost_usd),
  call.total_ms === null ? "" : call.total_ms.toFixed(0),
];

/** Tool calls are indented below the model call that asked for them. */
const rowsOf = (calls: readonly TraceCall[]): string[][] =>
  turnsOf(calls).flatMap((turn, at) =>
    nested(turn).flatMap(({ call, tools }) => [
      cellsOf(call, String(at + 1), ""),
      ...tools.map((tool) => cellsOf(tool, String(at + 1), "└ ")),
    ]),
  );

const totalsText = (totals: TraceTotals): string =>
  [
    `${totals.calls} calls (${totals.model_calls} model, ${totals.tool_calls} tool)`,
    `${totals.tokens.prompt} tokens in, ${totals.tokens.completion} out`,
    `${totals.cost_usd.toFixed(6)} USD${totals.unpriced_calls > 0 ? ` without ${totals.unpriced_calls} unpriced` : ""}`,
    `${totals.elapsed_ms.toFixed(0)} ms`,
    `${totals.blocked} blocked`,
  ].join(", ");

/** `call trace`: the conversation of a call, oldest first. */
export const traceCall: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const id = args.needOperand(0).toLowerCase();
  const most = linesIn(args, DEFAULT_LINES);
  const { record, rows, names } = await reading(invocation, async (session) => {
    const row = await callOf(session, id);
    const record = row && recordOf(row);
    if (!record) throw new GuardError("not_found", `There is no call ${id}`, { param: "id" });
    const { agent_id, user_id } = record.actor;
    const conversation_id = record.call?.conversation_id ?? null;
    if (conversation_id === null) throw noConversation(id);
    const filter = { conversation_id, ...(agent_id === null ? { user_id: user_id ?? "" } : { agent_id }) };
    const isWanted = (one: AuditRow): boolean => {
      const read = recordOf(one);
      return read !== null && isTraffic(read) && read.actor.agent_id === agent_id;
    };
    // One more, so that it is known whether there are more.
    const found = await newestCalls(session, filter, { most: most + 1, isWanted });
    return { record, rows: found, names: await namesOf(session) };
  });
  const records = rows.slice(0, most).flatMap((row) => recordOf(row) ?? []);
  const sums = new TraceSums();
  for (const one of records) sums.add(one);
  const totals = sums.shown(rows.length <= most);
  const calls = traceOf(records, [], names);
  const result = { conversation_id: record.call?.conversation_id ?? null, totals, calls };
  const note = totals.is_complete ? "" : `\nThe latest ${records.length} calls; --lines shows more.`;
  await out.result(result, `${out.table(HEADINGS, rowsOf(calls))}\n\n${totalsText(totals)}${note}`);
  return EXIT.ok;
};

const noConversation = (id: string): GuardError =>
  new GuardError("not_found", `Call ${id} belongs to no conversation: it sent no x-conversation-id.`, { param: "id" });
