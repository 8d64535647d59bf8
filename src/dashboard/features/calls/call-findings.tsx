import { Card } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { countOf, numberOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { type Column, known, Table } from "#dashboard/parts/table";
import type { Call } from "./call-content";

type Finding = Call["findings"][number];

const COLUMNS: readonly Column<Finding>[] = [
  {
    name: "Type",
    cell: ({ type, detector }) => (
      <>
        <Tag>{type}</Tag>
        {detector !== type && <span className="block text-[13px] text-muted">{detector}</span>}
      </>
    ),
  },
  {
    name: "Action",
    cell: ({ action, would }) => (
      <>
        <StateChip of={action} />
        {would && <span className="block text-[13px] text-muted">would {would}</span>}
      </>
    ),
  },
  {
    name: "Location",
    cell: ({ param, start, end, masked }) => (
      <>
        <code className="font-mono text-xs">{param}</code>
        <span className="block max-w-64 truncate text-[13px] text-muted">
          {numberOf(start)} to {numberOf(end)} {masked}
        </span>
      </>
    ),
  },
  { name: "Origin", cell: ({ origin }) => origin, minor: true },
  { name: "Score", cell: ({ score }) => score.toFixed(2), align: "right" },
  {
    name: "Source rule",
    cell: ({ layer, rule, tuned }) => (
      <span className="text-[13px] text-muted">
        {[layer, rule].filter(Boolean).join(": ") || "baseline"}
        {tuned && ", tuned"}
      </span>
    ),
    minor: true,
  },
];

/** What the scanner claims of a call, without the text it is about, and how much of it was read. */
export const CallFindings = ({ call: { findings, coverage, reports, suggestions } }: { readonly call: Call }) => (
  <Card title="Findings" hint="Locations only: the audit log stores no content." flush>
    <Table
      label="Findings"
      list={known(findings)}
      columns={COLUMNS}
      keyOf={({ param, start, end, type, detector }) => `${param} ${start} ${end} ${type} ${detector}`}
      empty={<p className="px-4 py-6 text-center text-muted">No findings.</p>}
    />
    <div className="flex flex-col gap-1 border-t border-line px-4 py-3 text-[13px] text-muted">
      {coverage && (
        <p>
          Scanned: {countOf(coverage.input.chars, "character")} in {countOf(coverage.input.texts, "request part")},{" "}
          {coverage.output.texts === 0
            ? "none in the response"
            : `${numberOf(coverage.output.chars)} in ${countOf(coverage.output.texts, "response part")}`}
          .
          {[...coverage.input.unscanned, ...coverage.output.unscanned].map(({ param, reason }) => (
            <span key={`${param} ${reason}`} className="block text-warn">
              Not scanned: {param} ({reason})
            </span>
          ))}
        </p>
      )}
      {reports.map(({ id, direction, status }) => (
        <p key={id}>
          <TextLink to={`/reports/${id}`}>
            {direction === "false_positive" ? "Disputed" : "Reported as a miss"}
          </TextLink>
          : {status}
        </p>
      ))}
      {suggestions.map(({ id, status }) => (
        <p key={id}>
          <TextLink to={`/tuning/${id}`}>Tuning suggestion</TextLink>: {status}
        </p>
      ))}
    </div>
  </Card>
);
