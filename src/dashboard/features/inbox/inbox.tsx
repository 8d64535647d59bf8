import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { HoldDialog } from "#dashboard/features/holds/hold";
import { Button, buttonClass } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { useFilters } from "#dashboard/parts/filters";
import { useGet } from "#dashboard/parts/hooks";
import { numberOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await, Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import type { Inbox, InboxItem, InboxKind } from "#features/inbox/schema";

const KINDS: readonly (readonly [kind: InboxKind, title: string, hint: string])[] = [
  ["held_call", "Held calls", "Tool calls that need a decision. They are denied when they expire."],
  ["review", "Reviews", "Agents awaiting approval."],
  ["tuning", "Tuning suggestions", "Requests to loosen or tighten the scanner."],
  ["policy", "Baseline policy", "Requests to loosen the baseline policy."],
  ["report", "Reports", "Disputes and misses for human decision."],
  ["rebaseline", "Drift", "Agents whose behaviour deviates from their drift baseline."],
  ["tool_definition", "Tools", "New or changed tool definitions, hidden until approved."],
];

/** More than anybody has waiting. */
const MAX_ITEMS = "200";

const InboxScreen = () => {
  const inbox = useGet("GET /api/inbox", { query: { limit: MAX_ITEMS } }, { everyMs: 30_000 });
  const { values, set } = useFilters(["hold"]);
  return (
    <Page title="Inbox" hint="Pending decisions, oldest first.">
      <Await query={inbox}>{(data) => <Groups inbox={data} onHold={(hold) => set({ hold })} />}</Await>
      {values.hold && <HoldDialog key={values.hold} id={values.hold} onClose={() => set({ hold: "" })} />}
    </Page>
  );
};

const Groups = ({ inbox, onHold }: { readonly inbox: Inbox; readonly onHold: (id: string) => void }) => {
  const { data, counts, has_more } = inbox;
  const [only, setOnly] = useState<InboxKind | null>(null);
  if (data.length === 0) {
    return (
      <Card>
        <Empty title="All caught up.">
          Held calls, reviews, tuning suggestions, policy changes and reports for your decision appear here.
        </Empty>
      </Card>
    );
  }
  const there = KINDS.filter(([kind]) => counts[kind] > 0);
  const shown = there.filter(([kind]) => only === null || only === kind);
  return (
    <>
      <div className="flex flex-wrap gap-1.5">
        <Button
          small
          aria-pressed={only === null}
          kind={only === null ? "primary" : "plain"}
          onClick={() => setOnly(null)}
        >
          All {numberOf(counts.total)}
        </Button>
        {there.map(([kind, title]) => (
          <Button
            key={kind}
            small
            aria-pressed={only === kind}
            kind={only === kind ? "primary" : "plain"}
            onClick={() => setOnly(kind)}
          >
            {title} {numberOf(counts[kind])}
          </Button>
        ))}
      </div>
      {shown.map(([kind, title, hint]) => (
        <Card key={kind} title={`${title} (${numberOf(counts[kind])})`} hint={hint} flush>
          <Table
            label={title}
            list={known(data.filter((item) => item.kind === kind))}
            columns={columnsFor(onHold)}
            keyOf={({ id }) => id}
            to={({ url }) => url}
            empty={null}
          />
        </Card>
      ))}
      {has_more && <p className="text-muted">More items appear as you decide on these.</p>}
    </>
  );
};

const columnsFor = (onHold: (id: string) => void): readonly Column<InboxItem>[] => [
  {
    name: "Item",
    cell: ({ title, url, alone }) => (
      <span className="flex flex-wrap items-center gap-2">
        <Link to={url} className="font-medium hover:underline">
          {title}
        </Link>
        {alone && <Chip tone="warn">sole approver</Chip>}
      </span>
    ),
  },
  {
    name: "Agent",
    width: "lg:w-[18%]",
    cell: ({ agent }) =>
      agent ? <TextLink to={`/agents/${agent.id}`}>{agent.name}</TextLink> : <span className="text-muted">none</span>,
  },
  { name: "Requested by", width: "lg:w-[20%]", cell: ({ requested_by }) => requested_by ?? "the hub", minor: true },
  { name: "Since", width: "lg:w-[12%]", cell: ({ since }) => <Time at={since} /> },
  {
    name: "Expires",
    width: "lg:w-[12%]",
    cell: ({ expires_at }) => expires_at && <Time at={expires_at} />,
  },
  {
    name: "Decide",
    width: "lg:w-28",
    hidden: true,
    align: "right",
    cell: ({ id, kind, url, title }) =>
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

export default InboxScreen;
