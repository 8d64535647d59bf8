import { Link } from "@tanstack/react-router";
import { choicesOf, StateChip, Tag } from "#dashboard/parts/chip";
import { costOf, roughly } from "#dashboard/parts/numbers";
import type { Column } from "#dashboard/parts/table";
import { ExactTime, spanOf } from "#dashboard/parts/time";

/** A call as lists show it, finished a while ago or just now. */
export type ShownCall = {
  readonly call_id: string;
  readonly at: string;
  readonly kind: string;
  readonly decision: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly agent_id: string | null;
  readonly agent: string | null;
  readonly user_id: string | null;
  readonly user: string | null;
  readonly via: string;
  readonly token_id: string | null;
  readonly token: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly tool: string | null;
  readonly conversation_id: string | null;
  readonly flags: readonly { readonly type: string }[];
  readonly total_tokens: number | null;
  readonly cost_usd: number | null;
  readonly cost_basis: string | null;
  readonly total_ms: number | null;
  readonly scan_us: number | null;
  readonly change: { readonly subject: string } | null;
};

/** What became of a call, as lists are filtered by it. */
export const DECISIONS = choicesOf(["allow", "flag", "redact", "block", "refused", "error", "change"]);

/** Findings that are named in a row; of more there is the number. */
const FEW = 3;

const words = (text: string | null) => text !== null && <span className="block max-w-56 truncate">{text}</span>;

const CALL_COLUMNS = {
  time: { name: "Time", sort: "time", cell: ({ at }) => <ExactTime at={at} /> },
  decision: { name: "Decision", cell: ({ decision }) => <StateChip of={decision} /> },
  call: {
    name: "Call",
    cell: ({ call_id, kind, model, tool, change }) => (
      <Link to={`/calls/${call_id}`} className="block max-w-72 truncate font-medium hover:underline sm:max-lg:max-w-44">
        {tool ?? model ?? change?.subject ?? kind}
        <span className="block truncate text-[13px] font-normal text-muted">{kind}</span>
      </Link>
    ),
  },
  caller: {
    name: "Caller",
    minor: true,
    cell: ({ agent, user, via }) => (
      <span className="block max-w-56 truncate">
        {agent ?? user ?? via}
        {agent && <span className="block truncate text-[13px] text-muted">{user}</span>}
      </span>
    ),
  },
  agent: { name: "Agent", cell: ({ agent, agent_id }) => words(agent ?? agent_id) },
  user: { name: "User", cell: ({ user, user_id }) => words(user ?? user_id) },
  key: { name: "Key", minor: true, cell: ({ token, token_id }) => words(token ?? token_id) },
  model: { name: "Model", cell: ({ model }) => words(model) },
  provider: { name: "Provider", minor: true, cell: ({ provider }) => words(provider) },
  tool: { name: "Tool", cell: ({ tool }) => words(tool) },
  conversation: { name: "Conversation", minor: true, cell: ({ conversation_id }) => words(conversation_id) },
  outcome: { name: "Outcome", minor: true, cell: ({ outcome }) => words(outcome) },
  status: { name: "Status", align: "right", minor: "wide", cell: ({ status }) => status },
  findings: {
    name: "Findings",
    minor: "wide",
    cell: ({ flags }) =>
      flags.length > 0 && (
        <span className="flex max-w-72 flex-wrap gap-1">
          {flags.slice(0, FEW).map(({ type }) => (
            <Tag key={type}>{type}</Tag>
          ))}
          {flags.length > FEW && <span className="text-muted">+{flags.length - FEW}</span>}
        </span>
      ),
  },
  tokens: {
    name: "Tokens",
    sort: "tokens",
    minor: true,
    align: "right",
    cell: ({ total_tokens }) => (total_tokens === null ? "" : roughly(total_tokens)),
  },
  cost: { name: "Cost", sort: "cost", minor: true, align: "right", cell: costOf },
  scan: {
    name: "Scanning",
    minor: true,
    align: "right",
    cell: ({ scan_us }) => (scan_us === null ? "" : spanOf(scan_us / 1_000)),
  },
  latency: {
    name: "Duration",
    sort: "latency",
    align: "right",
    cell: ({ total_ms }) => total_ms !== null && <span className="whitespace-nowrap">{spanOf(total_ms)}</span>,
  },
} as const satisfies Readonly<Record<string, Column<ShownCall>>>;

export type CallColumn = keyof typeof CALL_COLUMNS;
const isColumn = (name: string): name is CallColumn => Object.hasOwn(CALL_COLUMNS, name);

export const COLUMN_CHOICES = Object.entries(CALL_COLUMNS).flatMap(([value, { name }]) =>
  isColumn(value) ? [{ value, label: name }] : [],
);

const USUAL: readonly CallColumn[] = [
  "time",
  "decision",
  "call",
  "caller",
  "status",
  "findings",
  "tokens",
  "cost",
  "latency",
];

/** Those that an address names, in the order of all; the usual ones where it names none. A row always leads to its call. */
export const columnsIn = (text: string | undefined): readonly CallColumn[] => {
  const named = (text ?? "").split(",").filter(isColumn);
  if (named.length === 0) return USUAL;
  return COLUMN_CHOICES.flatMap(({ value }) => (named.includes(value) || value === "call" ? value : []));
};

/** As an address names them; nothing for the usual ones. */
export const columnsText = (columns: readonly CallColumn[]): string => {
  const isUsual = columns.length === USUAL.length && columns.every((one) => USUAL.includes(one));
  return isUsual ? "" : columns.join(",");
};

/** Of those that an address names none is left out on narrow screens: they were chosen. */
export const columnsFor = (text: string | undefined): readonly Column<ShownCall>[] => {
  const columns = shownColumns(columnsIn(text));
  return text === undefined ? columns : columns.map((column) => ({ ...column, minor: false }));
};

const shownColumns = (columns: readonly CallColumn[]): readonly Column<ShownCall>[] =>
  columns.map((name) => CALL_COLUMNS[name]);

/** A list of calls, with who made them or, where all are one agent's, without. */
export const callColumns = (withCaller: boolean): readonly Column<ShownCall>[] =>
  shownColumns(USUAL.filter((name) => withCaller || name !== "caller"));
