import { Card } from "#dashboard/parts/card";
import { spoken, Tag } from "#dashboard/parts/chip";
import { type Column, known, Table } from "#dashboard/parts/table";
import { spanOf } from "#dashboard/parts/time";
import type { Call } from "./call-content";

type Question = Call["questions"][number] & { readonly at: number };

const COLUMNS: readonly Column<Question>[] = [
  {
    name: "Asked for",
    cell: ({ mode, host }) => (mode === "form" ? "a form" : <>a page of {host ?? "no valid host"}</>),
  },
  { name: "Outcome", cell: ({ outcome, reason }) => <Tag>{reason ? `${outcome}: ${spoken(reason)}` : outcome}</Tag> },
  { name: "User took", cell: ({ ms }) => (ms === 0 ? "" : spanOf(ms)), minor: true },
];

/** What the tool server asked the user during the call. */
export const CallQuestions = ({ questions }: { readonly questions: Call["questions"] }) => (
  <Card title="Questions to the user" hint="What was asked and answered is not recorded." flush>
    <Table
      label="Questions to the user"
      list={known(questions.map((question, at) => ({ ...question, at })))}
      columns={COLUMNS}
      keyOf={({ at }) => `${at}`}
      empty={null}
    />
  </Card>
);
