import { Link } from "@tanstack/react-router";
import { StateChip, Tag } from "#dashboard/parts/chip";
import type { Column } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { kindOf, type ReportData, sectionName, wordsOf } from "./report-words";

const ASSIGNEE: Column<ReportData> = {
  name: "Assigned to",
  cell: ({ assignee }) => assignee ?? <span className="text-muted">nobody</span>,
  minor: "wide",
};

const AGENT: Column<ReportData> = {
  name: "Agent",
  cell: ({ agent }) => agent ?? <span className="text-muted">none</span>,
  minor: true,
};

/** What is told of each report in a list; on an agent's own screen it goes without saying which agent's it is. */
export const reportColumns = (withAgent: boolean, withAssignee = false): readonly Column<ReportData>[] => [
  {
    name: "Report",
    cell: (report) => (
      <>
        <Link to={`/reports/${report.id}`} className="font-medium hover:underline">
          {kindOf(report)}
        </Link>
        <span className="mt-0.5 flex max-w-72 flex-wrap gap-1">
          {report.flag_types.slice(0, 3).map((type) => (
            <Tag key={type}>{type}</Tag>
          ))}
        </span>
      </>
    ),
  },
  { name: "Status", cell: ({ status }) => <StateChip of={status} /> },
  {
    name: "Verdict",
    cell: ({ direction, decision, llm_verdict }) => {
      const verdict = decision ?? llm_verdict;
      if (!verdict) return <span className="text-muted">open</span>;
      return (
        <>
          {wordsOf(direction, verdict)}
          <span className="block text-[13px] text-muted">{decision ? "by a person" : "by the reviewer model"}</span>
        </>
      );
    },
  },
  { name: "Section", cell: ({ questionnaire_section }) => sectionName(questionnaire_section), minor: true },
  ...(withAgent ? [AGENT] : []),
  { name: "By", cell: ({ reporter }) => reporter, minor: true },
  ...(withAssignee ? [ASSIGNEE] : []),
  { name: "Sent", cell: ({ created_at }) => <Time at={created_at} /> },
];
