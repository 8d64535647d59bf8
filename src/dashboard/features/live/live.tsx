import { Link } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useNews } from "#dashboard/app/live";
import { columnsFor } from "#dashboard/features/calls/call-columns";
import { CallFilters, ColumnChoice } from "#dashboard/features/calls/call-filters";
import { isAsked } from "#dashboard/features/calls/call-match";
import { CATEGORIES, useCallQuery } from "#dashboard/features/calls/call-query";
import { Button, buttonClass } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Sparkline } from "#dashboard/parts/chart";
import { FilterBar, FilterChoice } from "#dashboard/parts/filters";
import { LongRows } from "#dashboard/parts/long-rows";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { known, Table } from "#dashboard/parts/table";
import { zoneName } from "#dashboard/parts/time";
import type { LiveCall } from "#features/events/live-message";

/** As many as somebody can look back on. */
const MAX_EVENTS = 200;
const SECONDS = 60;

const rowOf = ({ flags, ...call }: LiveCall) => ({
  ...call,
  flags: flags.map((type) => ({ type })),
  token: null,
  change: null,
});
type Row = ReturnType<typeof rowOf>;

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

const LiveScreen = () => {
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [paused, setPaused] = useState(false);
  const [missed, setMissed] = useState(0);
  const rate = useRate();
  const query = useCallQuery();
  const columns = useMemo(() => columnsFor(query.values.columns), [query.values.columns]);
  useNews("call.finished", (news) => {
    rate.add(news.count);
    if (paused) return setMissed((count) => count + news.count);
    setRows((old) => [...news.calls.map(rowOf).reverse(), ...old].slice(0, MAX_EVENTS));
  });
  const shown = rows.filter((row) => isAsked(row, query));
  const last = rate.shown.reduce((sum, count) => sum + count, 0);
  return (
    <Page
      title="Live"
      hint={`Calls as they end, without content. Times are in ${zoneName()}.`}
      actions={
        <>
          <span className="inline-flex items-center gap-2 text-muted">
            <Sparkline values={rate.shown} label={`${last} calls in the last minute`} />
            {last} in the last minute
          </span>
          <Link to="/calls" search={(now: object) => now} className={buttonClass()}>
            Past calls
          </Link>
          <ColumnChoice query={query} />
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
          <FilterChoice
            label="Records"
            {...query.filter("category")}
            value={query.category}
            choices={CATEGORIES.filter(({ value }) => value !== "administration")}
            required
          />
          <CallFilters query={query} />
        </FilterBar>
        <Table
          label="Calls"
          list={known(shown)}
          columns={columns}
          rows={LongRows}
          keyOf={({ call_id }) => call_id}
          to={({ call_id }) => `/calls/${call_id}`}
          filters={{ active: query.active && rows.length > 0, clear: query.clear }}
          empty={<Empty title="Waiting for the next call…">Calls appear here as soon as they are decided.</Empty>}
        />
      </Card>
    </Page>
  );
};

export default LiveScreen;
