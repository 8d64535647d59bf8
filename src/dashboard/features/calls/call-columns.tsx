import { Link } from "@tanstack/react-router";
import { choicesOf, StateChip, Tag } from "#dashboard/parts/chip";
import type { ItemOf } from "#dashboard/parts/hooks";
import { costOf, roughly } from "#dashboard/parts/numbers";
import type { Column } from "#dashboard/parts/table";
import { spanOf, Time } from "#dashboard/parts/time";

type Call = ItemOf<"GET /api/calls">;

/** What became of a call, as lists are filtered by it. */
export const DECISIONS = choicesOf(["allow", "flag", "redact", "block", "refused", "error", "change"]);

/** Findings that are named in a row; of more there is the number. */
const FEW = 3;

const CALLER: Column<Call> = {
  name: "Caller",
  cell: ({ agent, user, via }) => (
    <span className="block max-w-56 truncate">
      {agent ?? user ?? via}
      {agent && <span className="block truncate text-[13px] text-muted">{user}</span>}
    </span>
  ),
};

/** A list of calls, with who made them or, where all are one agent's, without. */
export const callColumns = (withCaller: boolean): readonly Column<Call>[] => [
  { name: "Time", cell: ({ at }) => <Time at={at} /> },
  { name: "Decision", cell: ({ decision }) => <StateChip of={decision} /> },
  {
    name: "Call",
    cell: ({ call_id, kind, model, tool, change }) => (
      <Link to={`/calls/${call_id}`} className="block max-w-72 truncate font-medium hover:underline">
        {tool ?? model ?? change?.subject ?? kind}
        <span className="block truncate text-[13px] font-normal text-muted">{kind}</span>
      </Link>
    ),
  },
  ...(withCaller ? [CALLER] : []),
  {
    name: "Findings",
    minor: true,
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
  {
    name: "Tokens",
    minor: true,
    align: "right",
    cell: ({ total_tokens }) => (total_tokens === null ? "" : roughly(total_tokens)),
  },
  { name: "Cost", minor: true, align: "right", cell: costOf },
  { name: "Duration", align: "right", cell: ({ total_ms }) => (total_ms === null ? "" : spanOf(total_ms)) },
];
