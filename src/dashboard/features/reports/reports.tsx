import { useHasRole } from "#dashboard/app/session";
import { BulkBar } from "#dashboard/features/inbox/inbox-bulk";
import { ASSIGNEES, type BulkItem } from "#dashboard/features/inbox/inbox-kinds";
import { InboxList } from "#dashboard/features/inbox/inbox-list";
import { SelectAll, selectColumn, useSelection } from "#dashboard/features/inbox/inbox-selection";
import { Bars } from "#dashboard/parts/bars";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chart } from "#dashboard/parts/chart";
import { choicesOf } from "#dashboard/parts/chip";
import { chosenOf, FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { useGet, useList } from "#dashboard/parts/hooks";
import { numberOf, shareOf } from "#dashboard/parts/numbers";
import { Page } from "#dashboard/parts/page";
import { Await, Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import type { DisputeRate } from "#features/report-review/schema";
import { reportColumns } from "./report-columns";
import { DECIDABLE, kindOf, type ReportData, SECTIONS } from "./report-words";

const STATUSES = choicesOf(["submitted", "reviewing", "reviewed", "needs_human", "closed", "withdrawn"]);
const DIRECTIONS = [
  { value: "false_positive", label: "Disputes" },
  { value: "false_negative", label: "Misses" },
];

const COLUMNS = reportColumns(true);
const COLUMNS_OF_DECIDERS = reportColumns(true, true);

const nameOf = (report: ReportData): string | null =>
  DECIDABLE.includes(report.status) ? [kindOf(report), ...report.flag_types].join(", ") : null;

const bulkItem = (report: ReportData): BulkItem => ({
  ...{ kind: "report", id: report.id, title: kindOf(report), direction: report.direction },
  ...{ like: [], content_hash: null, alone: false, assignee: report.assignee },
});

const ReportsScreen = () => {
  const { values, set } = useFilters(["grouped"]);
  const mayDecide = useHasRole("admin", "reviewer", "analyst");
  return (
    <Page title="Reports" hint="Disputes of wrong blocks, and reports of missed findings.">
      {mayDecide && values.grouped === "on" ? (
        <GroupedReports />
      ) : (
        <ReportList onGroup={() => set({ grouped: "on" })} />
      )}
      <Rates />
    </Page>
  );
};

/** What waits, like reports together: as in the inbox. */
const GroupedReports = () => {
  const inbox = useGet("GET /api/inbox", { query: { limit: "1" } }, { everyMs: 30_000 });
  return (
    <Await query={inbox}>
      {({ counts, more_reports }) => (
        <InboxList
          kind="report"
          title="Waiting reports"
          hint="Oldest first. Decided ones are in the list without groups."
          count={counts.report}
          more={more_reports}
        />
      )}
    </Await>
  );
};

const ReportList = ({ onGroup }: { readonly onGroup: () => void }) => {
  const { values, filter, clear, active } = useFilters(["status", "direction", "section", "assignee"]);
  const list = useList("GET /api/reports", { query: { ...values, assignee: chosenOf(ASSIGNEES, values.assignee) } });
  const mayDecide = useHasRole("admin", "reviewer", "analyst");
  const open = list.items.filter(({ status }) => mayDecide && DECIDABLE.includes(status));
  const selection = useSelection(open);
  return (
    <Card flush>
      <FilterBar>
        <FilterChoice label="Status" {...filter("status")} choices={STATUSES} />
        <FilterChoice label="Kind" {...filter("direction")} choices={DIRECTIONS} />
        <FilterChoice label="Section" {...filter("section")} choices={SECTIONS} />
        {mayDecide && <FilterChoice label="Assigned" {...filter("assignee")} choices={ASSIGNEES} />}
        {mayDecide && <Button onClick={onGroup}>Group like reports</Button>}
        {mayDecide && <SelectAll selection={selection} count={open.length} />}
      </FilterBar>
      <BulkBar kind="report" selected={selection.selected.map(bulkItem)} onClear={selection.clear} />
      <Table
        label="Reports"
        list={list}
        columns={mayDecide ? [selectColumn(selection, nameOf), ...COLUMNS_OF_DECIDERS] : COLUMNS}
        keyOf={({ id }) => id}
        to={({ id }) => `/reports/${id}`}
        filters={{ active, clear }}
        empty={
          <Empty title="No reports yet.">
            Dispute a blocked call or report a miss on the page of the call. Agents send reports to POST
            /v1/guard/disputes.
          </Empty>
        }
      />
    </Card>
  );
};

const Rates = () => {
  const rates = useGet("GET /api/reports/rates", { query: { days: "90" } });
  return (
    <Card
      title="False positives by finding type"
      hint="Share of false positives in the decided disputes of the last 90 days."
    >
      <Await query={rates}>
        {({ data }) => (data.length === 0 ? <p className="text-muted">No disputes.</p> : <RateBars rates={data} />)}
      </Await>
    </Card>
  );
};

const MAX_BARS = 12;

const RateBars = ({ rates }: { readonly rates: readonly DisputeRate[] }) => {
  const told = ({ false_positive, true_positive }: DisputeRate) => false_positive + true_positive;
  return (
    <Chart
      summary={`${numberOf(rates.length)} ${rates.length === 1 ? "finding type was" : "finding types were"} disputed.`}
      table={{
        columns: ["Finding type", "Disputes", "False positive", "True positive", "Inconclusive", "Open", "Rate"],
        rows: rates.map((one) => [
          ...[one.flag_type, one.disputes, one.false_positive, one.true_positive, one.inconclusive, one.open],
          one.rate === null ? "unknown" : shareOf(one.rate),
        ]),
      }}
    >
      <Bars
        most={1}
        bars={rates.slice(0, MAX_BARS).map((one) => ({
          name: one.flag_type,
          value: one.rate ?? 0,
          tone: (one.rate ?? 0) >= 0.5 ? ("bad" as const) : ("accent" as const),
          text:
            one.rate === null
              ? `${numberOf(one.disputes)} open`
              : `${shareOf(one.rate)}: ${numberOf(one.false_positive)} of ${numberOf(told(one))}`,
        }))}
      />
    </Chart>
  );
};

export default ReportsScreen;
