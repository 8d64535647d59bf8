import { Link } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useAgentName } from "#dashboard/app/agent-filter";
import { useNews } from "#dashboard/app/live";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Sparkline } from "#dashboard/parts/chart";
import { choicesOf, StateChip } from "#dashboard/parts/chip";
import { FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import type { LiveCalls } from "#features/events/live-message";

type Row = LiveCalls["calls"][number] & { readonly at: string };

/** As many as somebody can look back on. */
const MAX_EVENTS = 200;
const SECONDS = 60;

const columnsFor = (nameOf: (agentId: string) => string): readonly Column<Row>[] => [
  { name: "Time", cell: ({ at }) => <Time at={at} plain /> },
  { name: "Decision", cell: ({ decision }) => <StateChip of={decision} /> },
  {
    name: "Call",
    cell: ({ call_id, kind }) => (
      <Link to={`/calls/${call_id}`} className="font-medium hover:underline">
        {kind}
      </Link>
    ),
  },
  {
    name: "Agent",
    cell: ({ agent_id }) =>
      agent_id && (
        <Link to={`/agents/${agent_id}`} className="hover:underline">
          {nameOf(agent_id)}
        </Link>
      ),
    minor: true,
  },
];

const second = (): number => Math.floor(Date.now() / 1_000);

/** How many calls ended in each of the last seconds. By the clock: timers of a page in the background rest. */
const useRate = () => {
  const counts = useRef(new Map<number, number>());
  const [now, setNow] = useState(second);
  useEffect(() => {
    const timer = setInterval(() => {
      const at = second();
      for (const old of counts.current.keys()) if (old <= at - SECONDS) counts.current.delete(old);
      setNow(at);
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  const add = (count: number) => {
    const at = second();
    counts.current.set(at, (counts.current.get(at) ?? 0) + count);
  };
  const shown = Array.from({ length: SECONDS }, (_, at) => counts.current.get(now - SECONDS + 1 + at) ?? 0);
  return { shown, add };
};

const DECISIONS = ["allow", "flag", "redact", "block", "refused", "error"];

const LiveScreen = () => {
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [paused, setPaused] = useState(false);
  const [missed, setMissed] = useState(0);
  const rate = useRate();
  const nameOf = useAgentName();
  const { values, filter, clear, active } = useFilters(["decision"]);
  useNews("call.finished", (news) => {
    rate.add(news.count);
    if (paused) return setMissed((count) => count + news.count);
    setRows((old) => [...news.calls.map((call) => ({ ...call, at: news.at })).reverse(), ...old].slice(0, MAX_EVENTS));
  });
  const shown = rows.filter(({ decision }) => !values.decision || decision === values.decision);
  const last = rate.shown.reduce((sum, count) => sum + count, 0);
  return (
    <Page
      title="Live"
      hint="Decisions in real time, without content."
      actions={
        <>
          <span className="inline-flex items-center gap-2 text-muted">
            <Sparkline values={rate.shown} label={`${last} calls in the last minute`} />
            {last} in the last minute
          </span>
          <Button
            icon={paused ? Play : Pause}
            aria-pressed={paused}
            onClick={() => {
              setPaused(!paused);
              setMissed(0);
            }}
          >
            {paused ? `Resume${missed > 0 ? ` (${missed} skipped)` : ""}` : "Pause"}
          </Button>
        </>
      }
    >
      <Card flush>
        <FilterBar>
          <FilterChoice label="Decision" {...filter("decision")} choices={choicesOf(DECISIONS)} />
        </FilterBar>
        <Table
          label="Decisions"
          list={known(shown)}
          columns={columnsFor(nameOf)}
          keyOf={({ call_id }) => call_id}
          to={({ call_id }) => `/calls/${call_id}`}
          filters={{ active: active && rows.length > 0, clear }}
          empty={<Empty title="Waiting for the next call…">Calls appear here as soon as they are decided.</Empty>}
        />
      </Card>
    </Page>
  );
};

export default LiveScreen;
