import { Link } from "@tanstack/react-router";
import { Button, buttonClass } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, Tag } from "#dashboard/parts/chip";
import { chosenOf, FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { useList } from "#dashboard/parts/hooks";
import { countOf, numberOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import type { InboxItem, InboxKind } from "#features/inbox/schema";
import { BulkBar } from "./inbox-bulk";
import { ASSIGNEES } from "./inbox-kinds";
import { SelectAll, selectColumn, useSelection } from "./inbox-selection";

/** Of a page of the list. */
const ROWS = "25";

/** All that waits of one kind: told by groups where it can be, several decided at once. */
export const InboxList = ({
  kind,
  title,
  hint,
  count,
  more,
  onHold = () => {},
}: {
  readonly kind: InboxKind;
  readonly title: string;
  readonly hint: string;
  readonly count: number;
  /** Reports beyond those that are listed. */
  readonly more: number;
  readonly onHold?: (id: string) => void;
}) => {
  const { values, set, filter } = useFilters(["assignee", "grouped"]);
  const assignee = chosenOf(ASSIGNEES, values.assignee);
  const isGrouped = kind === "report" && values.grouped !== "off";
  const list = useList("GET /api/inbox", {
    query: {
      kind,
      limit: ROWS,
      ...(assignee && { assignee }),
      ...(isGrouped && { grouped: true }),
    },
  });
  const { items } = list;
  const selection = useSelection(items);
  return (
    <Card title={`${title} (${numberOf(count)})`} hint={hint} flush>
      <FilterBar>
        <FilterChoice label="Assigned" {...filter("assignee")} choices={ASSIGNEES} />
        {kind === "report" && (
          <Button
            aria-pressed={isGrouped}
            kind={isGrouped ? "primary" : "plain"}
            onClick={() => set({ grouped: isGrouped ? "off" : "" })}
          >
            Group like reports
          </Button>
        )}
        <SelectAll selection={selection} count={items.length} />
      </FilterBar>
      <BulkBar kind={kind} selected={selection.selected} onClear={selection.clear} />
      <Table
        label={title}
        list={list}
        columns={[selectColumn(selection, nameOf), ...columnsFor(kind, items, onHold)]}
        keyOf={({ id }) => id}
        to={({ url }) => url}
        filters={{ active: assignee !== undefined, clear: () => set({ assignee: "" }) }}
        empty={<Empty title="No reports wait." />}
      />
      {more > 0 && (
        <p className="border-t border-line px-4 py-2 text-muted">
          {countOf(more, "newer report")} wait too and are listed here as these are decided.{" "}
          <TextLink to="/reports?status=needs_human">All of them, page by page</TextLink>
        </p>
      )}
    </Card>
  );
};

const nameOf = ({ title, flag_types }: InboxItem): string => [title, ...flag_types].join(", ");

/** Only columns that say something of a kind. */
const columnsFor = (
  kind: InboxKind,
  items: readonly InboxItem[],
  onHold: (id: string) => void,
): readonly Column<InboxItem>[] => [
  {
    name: "Item",
    cell: ({ title, url, alone, flag_types, like_count }) => (
      <span className="flex flex-wrap items-center gap-2">
        <Link to={url} className="font-medium hover:underline">
          {title}
        </Link>
        {flag_types.slice(0, 3).map((type) => (
          <Tag key={type}>{type}</Tag>
        ))}
        {like_count > 0 && <Chip tone="info">{countOf(like_count + 1, "like report")}</Chip>}
        {alone && <Chip tone="warn">sole approver</Chip>}
      </span>
    ),
  },
  ...(items.some(({ agent }) => agent !== null) ? [AGENT] : []),
  ...(items.some(({ requested_by }) => requested_by !== null) ? [REQUESTED_BY] : []),
  { name: "Since", width: "lg:w-[12%]", cell: ({ since }) => <Time at={since} /> },
  ...(items.some(({ expires_at }) => expires_at !== null) ? [EXPIRES] : []),
  ...(items.some(({ assignee }) => assignee !== null) ? [ASSIGNEE] : []),
  {
    name: "Decide",
    width: "lg:w-28",
    hidden: true,
    align: "right",
    cell: ({ id, url, title }) =>
      kind === "held_call" ? (
        <Button small aria-label={`Decide: ${title}`} onClick={() => onHold(id)}>
          Decide
        </Button>
      ) : (
        <Link to={url} aria-label={`Open: ${title}`} className={buttonClass("plain", true)}>
          Open
        </Link>
      ),
  },
];

const AGENT: Column<InboxItem> = {
  name: "Agent",
  width: "lg:w-[18%]",
  cell: ({ agent }) =>
    agent ? <TextLink to={`/agents/${agent.id}`}>{agent.name}</TextLink> : <span className="text-muted">none</span>,
};
const REQUESTED_BY: Column<InboxItem> = {
  name: "Requested by",
  width: "lg:w-[20%]",
  cell: ({ requested_by, requesters }) => (
    <>
      {requested_by ?? "the hub"}
      {requesters > 1 && <span className="block text-[13px] text-muted">and {countOf(requesters - 1, "other")}</span>}
    </>
  ),
  minor: true,
};
const EXPIRES: Column<InboxItem> = {
  name: "Expires",
  width: "lg:w-[12%]",
  cell: ({ expires_at }) => expires_at && <Time at={expires_at} />,
};
const ASSIGNEE: Column<InboxItem> = {
  name: "Assigned to",
  width: "lg:w-[16%]",
  cell: ({ assignee }) => assignee ?? <span className="text-muted">nobody</span>,
};
