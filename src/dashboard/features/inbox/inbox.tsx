import { Link } from "@tanstack/react-router";
import { HoldDialog } from "#dashboard/features/holds/hold";
import { Button, buttonClass } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, Tag } from "#dashboard/parts/chip";
import { chosenOf, FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { useGet, useList } from "#dashboard/parts/hooks";
import { countOf, numberOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await, Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import type { Inbox, InboxItem, InboxKind } from "#features/inbox/schema";
import { BulkBar } from "./inbox-bulk";
import { ASSIGNEES, KINDS } from "./inbox-kinds";
import { SelectAll, selectColumn, useSelection } from "./inbox-selection";

/** Of a page of the list. */
const ROWS = "25";

const InboxScreen = () => {
  const counts = useGet("GET /api/inbox", { query: { limit: "1" } }, { everyMs: 30_000 });
  const { values, set } = useFilters(["hold", "kind", "assignee", "grouped"]);
  return (
    <Page title="Inbox" hint="Pending decisions, oldest first.">
      <Await query={counts}>
        {(data) => (
          <Kinds inbox={data} wanted={values.kind} onKind={(kind) => set({ kind })} onHold={(hold) => set({ hold })} />
        )}
      </Await>
      {values.hold && <HoldDialog key={values.hold} id={values.hold} onClose={() => set({ hold: "" })} />}
    </Page>
  );
};

const Kinds = ({
  inbox: { counts },
  wanted,
  onKind,
  onHold,
}: {
  readonly inbox: Inbox;
  readonly wanted: string | undefined;
  readonly onKind: (kind: InboxKind) => void;
  readonly onHold: (id: string) => void;
}) => {
  const there = KINDS.filter(([kind]) => counts[kind] > 0);
  const shown = there.find(([kind]) => kind === wanted) ?? there[0];
  if (!shown) {
    return (
      <Card>
        <Empty title="All caught up.">
          Held calls, reviews, tuning suggestions, policy changes and reports for your decision appear here.
        </Empty>
      </Card>
    );
  }
  return (
    <>
      <div className="flex flex-wrap gap-1.5">
        {there.map(([kind, title]) => (
          <Button
            key={kind}
            small
            aria-pressed={kind === shown[0]}
            kind={kind === shown[0] ? "primary" : "plain"}
            onClick={() => onKind(kind)}
          >
            {title} {numberOf(counts[kind])}
          </Button>
        ))}
      </div>
      <OneKind
        key={shown[0]}
        kind={shown[0]}
        title={shown[1]}
        hint={shown[2]}
        count={counts[shown[0]]}
        onHold={onHold}
      />
    </>
  );
};

const OneKind = ({
  kind,
  title,
  hint,
  count,
  onHold,
}: {
  readonly kind: InboxKind;
  readonly title: string;
  readonly hint: string;
  readonly count: number;
  readonly onHold: (id: string) => void;
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
        empty={null}
      />
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

export default InboxScreen;
