import { bodyOf, flagTypes, merged } from "#audit/audit-rows";
import { GuardError } from "#core/errors";
import { callsAlone } from "#features/calls/query";
import { type CallNames, type CallRow, recordOf, shownFacts, shownRow } from "#features/calls/schema";
import type { AuditRecord } from "#model/audit";
import { CALL_GROUPS, isCallGroup } from "#model/call-entry";
import { usdOf } from "#model/money";
import { systemClock } from "#platform/clock";
import { isUuid } from "#platform/ids";
import { VALUE_ORDERS } from "#store/call-index-port";
import type { AuditRow } from "#store/record";
import { callFilterOf, callOrderOf, linesIn, newestCalls } from "./call-filter";
import { EXIT, usage } from "./exit";
import { card } from "./output";
import { type CliSession, reading } from "./session";
import type { RunVerb } from "./verb";

const DEFAULT_LINES = 50;

export const namesOf = async ({ store }: CliSession): Promise<CallNames> => {
  const users = new Map((await store.users.list()).map(({ id, email }) => [id, email]));
  const agents = new Map((await store.agents.list()).map(({ id, name }) => [id, name]));
  return { user: (id) => users.get(id) ?? null, agent: (id) => agents.get(id) ?? null, token: () => null };
};

export const time = (at: string): string => at.replace("T", " ").replace("Z", "");

/** Six digits after the point: what a thousand tokens of a small model cost is less than a cent. */
export const dollars = (usd: number | null): string => (usd === null ? "" : usd.toFixed(6));

const cellsOf = (row: CallRow, record: AuditRecord): string[] => [
  time(row.at),
  row.call_id,
  row.kind,
  row.agent ?? row.user ?? row.via,
  row.tool ?? row.model ?? "",
  row.decision,
  flagTypes(record),
  row.total_tokens === null ? "" : String(row.total_tokens),
  row.cost_basis === "unpriced" ? "unpriced" : dollars(row.cost_usd),
  row.total_ms === null ? "" : row.total_ms.toFixed(0),
];
const HEADINGS = ["TIME (UTC)", "ID", "KIND", "CALLER", "MODEL OR TOOL", "DECISION", "FLAGS", "TOKENS", "USD", "MS"];

/** Administration is no call, unless somebody asks for it. */
const isCall = (row: AuditRow): boolean => bodyOf(row).call !== undefined;

/** `call list`: as the page of calls finds them. */
export const listCalls: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const most = linesIn(args, DEFAULT_LINES);
  const { rows, names } = await reading(invocation, async (session) => {
    const filter = await callFilterOf(session, args, systemClock());
    const all = filter.kind !== undefined || filter.decision === "change" || args.text("category") !== undefined;
    const found = await newestCalls(session, filter, {
      most,
      order: callOrderOf(args),
      ...(!all && { isWanted: isCall }),
    });
    return { rows: found, names: await namesOf(session) };
  });
  const records = rows.flatMap((row) => recordOf(row) ?? []);
  const cells = records.map((record) => cellsOf(shownRow(record, names), record));
  await out.result(rows.map(merged), cells.length === 0 ? "No calls." : out.table(HEADINGS, cells));
  return EXIT.ok;
};

/** Until all were looked at. Milliseconds. */
const PATIENCE_MS = 600_000;

/** `call values`: what the calls of each agent, model or user come to. */
export const callValues: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const [group, order] = [args.need("by"), args.text("order") ?? "calls"];
  if (!isCallGroup(group)) throw usage(`--by: one of ${Object.keys(CALL_GROUPS).join(", ")}`);
  const chosen = VALUE_ORDERS.find((one) => one === order);
  if (chosen === undefined) throw usage(`--order: one of ${VALUE_ORDERS.join(", ")}`);
  const by = CALL_GROUPS[group];
  const most = linesIn(args, DEFAULT_VALUES);
  const { values, names } = await reading(invocation, async (session) => {
    const filter = await callFilterOf(session, args, systemClock(), callsAlone);
    const question = { filter, scope: null, by, order: chosen, most, patienceMs: PATIENCE_MS };
    return { values: (await session.store.calls.values(question)).values, names: await namesOf(session) };
  });
  const labelled = values.map(({ value, sum }) => ({
    value,
    label: (by === "agent_id" && names.agent(value)) || (by === "user_id" && names.user(value)) || value,
    ...{ calls: sum.calls, tokens: sum.tokens, cost_usd: usdOf(sum.cost) },
  }));
  const cells = labelled.map((one) => [one.label, String(one.calls), String(one.tokens), dollars(one.cost_usd)]);
  await out.result(labelled, cells.length === 0 ? "No calls." : out.table(VALUE_HEADINGS, cells));
  return EXIT.ok;
};

const DEFAULT_VALUES = 20;
const VALUE_HEADINGS = ["VALUE", "CALLS", "TOKENS", "USD"];

const known = (value: string | number | null): string | null => (value === null ? null : String(value));

const ms = (value: number): string => `${value.toFixed(1)} ms`;

const cardOf = (record: AuditRecord, row: AuditRow, names: CallNames): string => {
  const shown = shownRow(record, names);
  const { tokens, timings, denied_by, upstream_model, attempts, findings, questions } = shownFacts(record);
  const caller = { user: shown.user ?? shown.user_id, agent: shown.agent ?? shown.agent_id, token: shown.token_id };
  return card({
    id: shown.call_id,
    event: shown.event_id,
    kind: shown.kind,
    "time (UTC)": time(shown.at),
    ...caller,
    via: shown.via,
    model: shown.model,
    "provider's model": upstream_model,
    provider: shown.provider,
    tool: shown.tool,
    conversation: shown.conversation_id,
    outcome: shown.outcome,
    decision: shown.decision,
    "refused by": denied_by && `${denied_by.layer}: ${denied_by.rule}`,
    status: known(shown.status),
    code: shown.code,
    attempts: known(attempts),
    tokens:
      tokens && `${tokens.total}: prompt ${tokens.prompt}, completion ${tokens.completion}, cached ${tokens.cached}`,
    cost:
      shown.cost_basis &&
      (shown.cost_usd === null ? shown.cost_basis : `${dollars(shown.cost_usd)} USD, ${shown.cost_basis}`),
    took: timings && `${ms(timings.total_ms)}: scan ${ms(timings.guard_ms)}, provider ${ms(timings.upstream_ms)}`,
    policy: known(shown.policy_revision),
    profile: shown.profile_version === null ? null : `v${shown.profile_version}`,
    questions:
      questions.length === 0
        ? null
        : questions.map(({ mode, outcome, reason }) => `${mode} ${reason ?? outcome}`).join(", "),
    findings: record.call === undefined ? null : String(findings.length),
    subject: shown.change && `${shown.change.subject} ${shown.change.subject_id}`,
    record: `${row.node === undefined ? "" : `${row.node}:`}${row.seq}:${row.hash}`,
  });
};

/** By any id of a call. */
export const callOf = async ({ store: { calls } }: CliSession, id: string): Promise<AuditRow | null> =>
  isUuid(id) ? ((await calls.byEvent(id)) ?? (await calls.byRecord(id)) ?? (await calls.byCall(id))) : null;

/** `call show`: by any id that a list or an error names. */
export const showCall: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const id = args.needOperand(0).toLowerCase();
  const { row, names } = await reading(invocation, async (session) => {
    return { row: await callOf(session, id), names: await namesOf(session) };
  });
  const record = row && recordOf(row);
  if (!row || !record) throw new GuardError("not_found", `There is no call ${id}`, { param: "id" });
  const findings = shownFacts(record).findings.map((one) => [
    ...[one.action, one.type, one.score.toFixed(2), one.origin, `${one.param} ${one.start}–${one.end}`, one.detector],
  ]);
  const table = out.table(["ACTION", "TYPE", "SCORE", "ORIGIN", "AT", "DETECTOR"], findings);
  await out.result(merged(row), [cardOf(record, row, names), ...(findings.length === 0 ? [] : ["", table])].join("\n"));
  return EXIT.ok;
};
