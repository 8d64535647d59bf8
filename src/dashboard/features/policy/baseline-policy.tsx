import { Lock } from "lucide-react";
import { useState } from "react";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Card } from "#dashboard/parts/card";
import { cx } from "#dashboard/parts/class-names";
import { FilterBar, FilterChoice, FilterText, useFilters } from "#dashboard/parts/filters";
import { useGet } from "#dashboard/parts/hooks";
import { Await, Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { Draft } from "./policy-draft";
import { EditCell } from "./policy-edit";
import { ProposalCard } from "./policy-proposals";
import { Revisions } from "./policy-revisions";
import {
  ActionChip,
  type GridCell,
  ORIGIN_WORDS,
  type Policy,
  type PolicyDraftChange,
  type Row,
  sayThresholds,
} from "./policy-words";

const PolicyScreen = () => {
  const policy = useGet("GET /api/policy", {});
  return (
    <SettingsPage
      title="Baseline policy"
      hint="Actions by finding type and origin of the text. Applies to every call; agent profiles add to it."
    >
      <Await query={policy} lines={8}>
        {(data) => <Editor policy={data} onReload={async () => ((await policy.refetch()).data ?? data).revision} />}
      </Await>
    </SettingsPage>
  );
};

const Editor = ({ policy, onReload }: { readonly policy: Policy; readonly onReload: () => Promise<number> }) => {
  const [changes, setChanges] = useState<readonly PolicyDraftChange[]>([]);
  /** Kept while there are changes: what they were made on. */
  const [base, setBase] = useState(policy.revision);
  const [editing, setEditing] = useState<{ readonly row: Row; readonly cell: GridCell } | null>(null);
  const add = (change: PolicyDraftChange) => {
    if (changes.length === 0) setBase(policy.revision);
    setChanges([...changes, change]);
  };
  return (
    <>
      {policy.mode === "monitor" && (
        <p role="status" className="rounded-lg border border-warn/40 bg-warn-soft px-4 py-3 text-warn">
          Monitor mode (guard.mode): findings that would be redacted or blocked are only flagged.
        </p>
      )}
      {policy.waiting.map((proposal) => (
        <ProposalCard key={proposal.id} proposal={proposal} />
      ))}
      {changes.length > 0 && (
        <Draft changes={changes} base={base} onChanges={setChanges} onReload={async () => setBase(await onReload())} />
      )}
      <Rules policy={policy} changes={changes} onEdit={(row, cell) => setEditing({ row, cell })} />
      <Revisions current={policy.revision} />
      {editing && <EditCell row={editing.row} cell={editing.cell} onChange={add} onClose={() => setEditing(null)} />}
    </>
  );
};

const Rules = ({
  policy,
  changes,
  onEdit,
}: {
  readonly policy: Policy;
  readonly changes: readonly PolicyDraftChange[];
  readonly onEdit: (row: Row, cell: GridCell) => void;
}) => {
  const isAdmin = useHasRole("admin");
  const { values, filter, clear, active } = useFilters(["q", "family", "rows"]);
  const words = values.q?.toLowerCase() ?? "";
  const families = [...new Set(policy.rows.map(({ family }) => family))];
  const rows = policy.rows.filter(
    ({ type, family, has_own }) =>
      type.includes(words) &&
      (!values.family || family === values.family) &&
      (has_own || values.rows === "all" || words !== ""),
  );
  const isChanged = (row: Row, cell: GridCell) =>
    changes.some(({ type, origins }) => type === row.type && origins.includes(cell.origin));
  const columns: readonly Column<Row>[] = [
    {
      name: "Finding",
      cell: ({ type, family }) => (
        <code className={cx("font-mono text-[13px]", type === family ? "font-semibold" : "pl-3")}>{type}</code>
      ),
    },
    ...(policy.rows[0]?.cells ?? []).map(
      ({ origin }): Column<Row> => ({
        name: ORIGIN_WORDS[origin],
        cell: (row) => {
          const cell = row.cells.find((one) => one.origin === origin);
          return (
            cell && (
              <PolicyCell
                row={row}
                cell={cell}
                isChanged={isChanged(row, cell)}
                onEdit={isAdmin && cell.key === null ? () => onEdit(row, cell) : null}
              />
            )
          );
        },
      }),
    ),
  ];
  return (
    <Card
      flush
      title={`Revision ${policy.revision}`}
      hint="Strictest action and its lowest score. The row of a group applies to all types in it."
    >
      <FilterBar>
        <FilterText label="Finding type, such as pii.email" {...filter("q")} />
        <FilterChoice
          label="Group"
          {...filter("family")}
          choices={families.map((value) => ({ value, label: value }))}
        />
        <FilterChoice
          label="Rows"
          required
          {...filter("rows")}
          choices={[
            { value: "", label: "Rows: with own rules" },
            { value: "all", label: "Rows: all finding types" },
          ]}
        />
      </FilterBar>
      <Table
        label="Rules"
        list={known(rows)}
        columns={columns}
        keyOf={({ type }) => type}
        filters={{ active, clear }}
        empty={<Empty title="No rules." />}
      />
    </Card>
  );
};

const FROM = { default: "", configuration: "from the configuration", edit: "edited" } as const;

const PolicyCell = ({
  row,
  cell,
  isChanged,
  onEdit,
}: {
  readonly row: Row;
  readonly cell: GridCell;
  readonly isChanged: boolean;
  readonly onEdit: (() => void) | null;
}) => {
  const said = sayThresholds(cell.thresholds, cell.mode);
  const note = cell.key ?? FROM[cell.from];
  const content = (
    <span className="inline-flex flex-col items-start gap-0.5">
      <ActionChip of={cell} />
      {(note !== "" || isChanged) && (
        <span className="inline-flex items-center gap-1 text-xs text-muted">
          {cell.key !== null && <Lock className="size-3" aria-hidden />}
          {isChanged ? "changed, not saved" : cell.key !== null ? "locked" : note}
        </span>
      )}
    </span>
  );
  if (!onEdit) return <span title={`${said}${note && `; ${note}`}`}>{content}</span>;
  return (
    <button
      type="button"
      title={said}
      onClick={onEdit}
      className={cx(
        "-mx-1 min-h-6 rounded-md px-1 py-0.5 text-left hover:bg-raised",
        isChanged && "outline-2 outline-accent outline-dashed",
      )}
    >
      <span className="sr-only">
        {row.type}, {ORIGIN_WORDS[cell.origin]}:{" "}
      </span>
      {content}
    </button>
  );
};

export default PolicyScreen;
