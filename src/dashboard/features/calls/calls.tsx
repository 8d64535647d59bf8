import { Link } from "@tanstack/react-router";
import { Download, Radio } from "lucide-react";
import { useMemo } from "react";
import { addressFor } from "#dashboard/api/client";
import { SavedViews } from "#dashboard/features/views/saved-views";
import { buttonClass } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { FilterBar, FilterChoice, FilterTags } from "#dashboard/parts/filters";
import { useGet, useList } from "#dashboard/parts/hooks";
import { LongRows } from "#dashboard/parts/long-rows";
import { countOf, numberOf, roughly, usdOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { exactTime, zoneName } from "#dashboard/parts/time";
import { columnsFor } from "./call-columns";
import { CallFilters, ColumnChoice } from "./call-filters";
import { CATEGORIES, type CallQuery, useCallQuery } from "./call-query";
import { CallRange } from "./call-range";
import { CallSearch } from "./call-search";

const PAGE = 50;

const CallsScreen = () => {
  const query = useCallQuery();
  const { asked, sort, filter, values } = query;
  const list = useList("GET /api/calls", { query: { ...asked, sort, limit: PAGE } });
  const columns = useMemo(() => columnsFor(values.columns), [values.columns]);
  return (
    <Page
      title="Calls"
      hint={`Calls of models and tools, and administrative changes. Times are in ${zoneName()}.`}
      actions={
        <>
          <Link to="/live" search={(now: object) => now} className={buttonClass()}>
            <Radio className="size-4" aria-hidden />
            Live
          </Link>
          <SavedViews screen="calls" />
          <ColumnChoice query={query} />
          <a
            className={buttonClass()}
            href={addressFor("GET /api/calls/export", { query: asked })}
            download="calls.csv"
            title="At most 100,000 calls, newest first"
          >
            <Download className="size-4" aria-hidden />
            Export CSV
          </a>
        </>
      }
    >
      <Card flush>
        <FilterBar>
          <CallRange query={query} />
          <FilterChoice label="Records" {...filter("category")} value={query.category} choices={CATEGORIES} required />
          <CallSearch query={query} />
          <CallFilters query={query} />
          <FilterTags filters={[{ label: "Cost basis", ...filter("cost_basis") }]} />
        </FilterBar>
        <Totals query={query} trace={values.conversation_id ? list.items[0]?.call_id : undefined} />
        <Table
          label="Calls"
          list={list}
          columns={columns}
          keyOf={({ id }) => id}
          to={({ call_id }) => `/calls/${call_id}`}
          filters={query}
          sorting={query.sorting}
          rows={LongRows}
          empty={
            <Empty title="No calls yet.">
              Point a client at the hub with a key: its settings are under Settings, Keys.
            </Empty>
          }
        />
      </Card>
    </Page>
  );
};

/** Counting looks at every call: not anew with each one that comes. */
const COUNTED = { apart: true, everyMs: 30_000 } as const;

/** What all that match come to, on other pages too. */
const Totals = ({
  query: { asked, category, sort },
  trace,
}: {
  readonly query: CallQuery;
  /** A call of the one conversation that is filtered. */
  readonly trace: string | undefined;
}) => {
  const { data } = useGet("GET /api/calls/totals", { query: asked }, COUNTED);
  if (!data) return <p className="border-b border-line px-4 py-2 text-muted">Counting…</p>;
  const { calls, tokens, cost_usd, unpriced_calls, is_complete, scanned_until, behind } = data;
  const isSorted = sort !== "-time" && sort !== "time";
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 border-b border-line px-4 py-2 text-muted">
      <span className="font-medium text-text">
        {is_complete ? "" : "At least "}
        {category === "call" ? countOf(calls, "call") : countOf(calls, "record")}
      </span>
      {tokens.total > 0 && <span>{roughly(tokens.total)} tokens</span>}
      {cost_usd > 0 && <span>{usdOf(cost_usd)}</span>}
      {unpriced_calls > 0 && <span>{numberOf(unpriced_calls)} unpriced</span>}
      {scanned_until !== null && (
        <span>
          {isSorted ? "Counted and sorted" : "Counted"} back to {exactTime(scanned_until)}: narrow the time range for
          all
        </span>
      )}
      {trace && <TextLink to={`/calls/${trace}/conversation`}>View trace</TextLink>}
      {behind > 0 && <span>{countOf(behind, "record")} not indexed yet</span>}
    </p>
  );
};

export default CallsScreen;
