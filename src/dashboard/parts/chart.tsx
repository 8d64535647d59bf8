import { type ReactNode, useState } from "react";
import { Button } from "./button";
import { ScrollBox } from "./card";

type ChartTable = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
};

/** A picture, a sentence that says what it shows, and the same as a table for who reads rather than looks. */
export const Chart = ({
  summary,
  table,
  live = false,
  actions,
  children,
}: {
  readonly summary: string;
  readonly table: ChartTable;
  /** It names itself and can be operated: not one picture. */
  readonly live?: boolean;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => {
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      {asTable && <TableView table={table} label={summary} />}
      {!asTable && (live ? children : <Picture label={summary}>{children}</Picture>)}
      <figcaption className="flex flex-wrap items-center justify-between gap-2 text-[13px] text-muted">
        <span>{summary}</span>
        <span className="flex flex-wrap items-center gap-1">
          {actions}
          <Button kind="quiet" small onClick={() => setAsTable(!asTable)} aria-pressed={asTable}>
            {asTable ? "View as chart" : "View as table"}
          </Button>
        </span>
      </figcaption>
    </figure>
  );
};

const Picture = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div role="img" aria-label={label}>
    {children}
  </div>
);

const TableView = ({ table, label }: { readonly table: ChartTable; readonly label: string }) => (
  <ScrollBox label={label} className="max-h-64">
    <table className="w-full text-left">
      <thead>
        <tr className="text-[13px] text-muted">
          {table.columns.map((name) => (
            <th key={name} scope="col" className="px-2 py-1 font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, number) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows may be alike, such as an hour that comes twice in autumn
          <tr key={number} className="border-t border-line">
            {row.map((cell, at) => (
              <td key={table.columns[at]} className="px-2 py-1">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
);

/** A line of the last days, small enough for a row. */
export const Sparkline = ({
  values,
  label,
  most,
}: {
  readonly values: readonly (number | null)[];
  readonly label: string;
  readonly most?: number;
}) => {
  const WIDTH = 96;
  const HEIGHT = 24;
  const top = Math.max(most ?? 0, ...values.map((value) => value ?? 0), 1);
  const step = values.length > 1 ? WIDTH / (values.length - 1) : WIDTH;
  const points = values.flatMap((value, at) =>
    value === null ? [] : [`${(at * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`],
  );
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-6 w-24 text-accent" role="img" aria-label={label}>
      {points.length > 1 ? (
        <polyline
          points={points.join(" ")}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinejoin="round"
        />
      ) : (
        <line x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} stroke="var(--line)" strokeDasharray="2 3" />
      )}
    </svg>
  );
};
