import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useGet } from "#dashboard/api/hooks";
import { Button, buttonClass } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { useFilters } from "#dashboard/parts/filters";
import { numberOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await, Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import type { Inbox, InboxItem, InboxKind } from "#modules/inbox/shapes";
import { HoldDialog } from "./hold";

const KINDS: readonly (readonly [kind: InboxKind, title: string, hint: string])[] = [
  ["held_call", "Held calls", "An agent waits. What nobody decides on in time is denied."],
  ["review", "Reviews", "Agents that wait for approval."],
  ["tuning", "Changes of the scanner", "Somebody asks to loosen or tighten a rule."],
  ["policy", "Baseline policy", "Somebody asks to loosen it for the whole hub."],
  ["report", "Reports", "Disputes and misses that no model could judge."],
  ["rebaseline", "Drift", "Agents that do something else than when they were approved."],
  ["tool_definition", "Tools", "New or changed definitions that agents are not shown yet."],
];

/** More than anybody has waiting. */
const MOST = "200";

const InboxScreen = () => {
  const inbox = useGet("GET /api/inbox", { query: { limit: MOST } }, { everyMs: 30_000 });
  const { values, set } = useFilters(["hold"]);
  return (
    <Page title="Inbox" hint="What waits for your decision, the oldest first.">
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
        <Empty title="Nothing waits for you.">
          Held calls, reviews, changes of the scanner or of the baseline policy and reports that you may decide on
          appear here by themselves.
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
      {has_more && <p className="text-muted">There is more: it appears as you decide on these.</p>}
    </>
  );
};

const columnsFor = (onHold: (id: string) => void): readonly Column<InboxItem>[] => [
  {
    name: "What",
    cell: ({ title, url, alone }) => (
      <span className="flex flex-wrap items-center gap-2">
        <Link to={url} className="font-medium hover:underline">
          {title}
        </Link>
        {alone && <Chip tone="warn">you decide alone</Chip>}
      </span>
    ),
  },
  {
    name: "Agent",
    width: "lg:w-[18%]",
    cell: ({ agent }) =>
      agent ? <TextLink to={`/agents/${agent.id}`}>{agent.name}</TextLink> : <span className="text-muted">none</span>,
  },
  { name: "Asked by", width: "lg:w-[20%]", cell: ({ requested_by }) => requested_by ?? "the hub", minor: true },
  { name: "Since", width: "lg:w-[12%]", cell: ({ since }) => <Time at={since} /> },
  {
    name: "Runs out",
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
        <Link to={url} aria-label={`Look at it: ${title}`} className={buttonClass("plain", true)}>
          Look at it
        </Link>
      ),
  },
];

export default InboxScreen;
