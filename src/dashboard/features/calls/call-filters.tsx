import { Columns3, ListFilter, X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { Button, IconButton } from "#dashboard/parts/button";
import { spoken } from "#dashboard/parts/chip";
import { cx } from "#dashboard/parts/class-names";
import { Checkbox, Input } from "#dashboard/parts/field";
import { useGet } from "#dashboard/parts/hooks";
import { numberOf, usdOf } from "#dashboard/parts/numbers";
import { Popover } from "#dashboard/parts/popover";
import { Segments } from "#dashboard/parts/segments";
import { Await } from "#dashboard/parts/states";
import { COLUMN_CHOICES } from "./call-columns";
import type { CallFilterName, CallQuery } from "./call-query";

type Field = {
  readonly name: CallFilterName;
  /** What the hub calls the field. */
  readonly by: string;
  readonly label: string;
  /** What it takes beside the values that calls have. */
  readonly classes?: readonly string[];
  /** Its values are ids: names are asked for. */
  readonly isId?: true;
  /** Its values are words of the hub. */
  readonly isWord?: true;
};

const FIELDS: readonly Field[] = [
  { name: "decision", by: "decision", label: "Decision", isWord: true },
  { name: "agent_id", by: "agent_id", label: "Agent", isId: true },
  { name: "model", by: "model", label: "Model" },
  { name: "tool", by: "tool", label: "Tool" },
  { name: "user_id", by: "user_id", label: "User", isId: true },
  { name: "token_id", by: "token_id", label: "Key", isId: true },
  { name: "flag_type", by: "flag", label: "Finding" },
  { name: "status", by: "status", label: "Status", classes: ["2xx", "4xx", "5xx"] },
  { name: "conversation_id", by: "conversation_id", label: "Conversation" },
  { name: "kind", by: "kind", label: "Kind", classes: ["model"] },
  { name: "outcome", by: "outcome", label: "Outcome", isWord: true },
];

const NUMBERS = [
  { of: "latency_ms", label: "Duration", unit: "ms" },
  { of: "tokens", label: "Tokens", unit: "tokens" },
  { of: "cost_usd", label: "Cost", unit: "US dollars" },
] as const;

/** Every filter but the time, each a button that says what it is set to. On narrow screens they are opened first. */
export const CallFilters = ({ query }: { readonly query: CallQuery }) => {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={ListFilter} className="sm:hidden" aria-expanded={open} onClick={() => setOpen(!open)}>
        Filters
      </Button>
      <div className={cx("flex w-full flex-wrap items-center gap-2", !open && "max-sm:hidden")}>
        {FIELDS.map((field) => (
          <FieldFilter key={field.name} field={field} query={query} />
        ))}
        {NUMBERS.map((number) => (
          <NumberFilter key={number.of} number={number} query={query} />
        ))}
        {query.active && (
          <Button kind="quiet" onClick={query.clear}>
            Clear filters
          </Button>
        )}
      </div>
    </>
  );
};

/** A filter that is set, with what takes it away beside it. */
const Removable = ({
  label,
  isSet,
  onClear,
  children,
}: {
  readonly label: string;
  readonly isSet: boolean;
  readonly onClear: () => void;
  readonly children: React.ReactNode;
}) => (
  <span className="inline-flex max-w-full min-w-0 items-center">
    {children}
    {isSet && <IconButton icon={X} label={`Remove the filter ${label}`} onClick={onClear} />}
  </span>
);

const FieldFilter = ({ field, query }: { readonly field: Field; readonly query: CallQuery }) => {
  const { name, label, by } = field;
  const { value, onChange } = query.filter(name);
  const named = useGet(
    "GET /api/calls/values",
    { query: { by, [name]: value, category: "all", limit: 1 } },
    { enabled: value !== undefined && field.isId === true, apart: true },
  );
  const shown = named.data?.data[0]?.label ?? value;
  return (
    <Removable label={label} isSet={value !== undefined} onClear={() => onChange("")}>
      <Popover
        label={`Filter by ${label.toLowerCase()}`}
        shown={shown === undefined ? label : `${label}: ${field.isWord ? spoken(shown) : shown}`}
        active={value !== undefined}
      >
        {(close) => (
          <FieldValues
            field={field}
            query={query}
            value={value}
            onChoose={(chosen) => {
              onChange(chosen);
              close();
            }}
          />
        )}
      </Popover>
    </Removable>
  );
};

const SORTS = [
  { value: "calls", label: "By calls" },
  { value: "cost", label: "By cost" },
] as const;

/** The values that calls have which the other filters let through, each with what its calls come to. */
const FieldValues = ({
  field: { name, by, label, classes = [], isWord },
  query,
  value,
  onChoose,
}: {
  readonly field: Field;
  readonly query: CallQuery;
  readonly value: string | undefined;
  readonly onChoose: (value: string) => void;
}) => {
  const [typed, setTyped] = useState("");
  const [sort, setSort] = useState<(typeof SORTS)[number]["value"]>("calls");
  const asked = { ...query.asked, [name]: undefined, by, sort, limit: 100 };
  const values = useGet("GET /api/calls/values", { query: asked }, { apart: true });
  const sought = typed.trim().toLowerCase();
  const isSought = (text: string) => text.toLowerCase().includes(sought);
  const found = values.data?.data.filter((one) => isSought(one.label) || isSought(one.value)) ?? [];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || sought === "") return;
    event.preventDefault();
    onChoose(found[0]?.value ?? typed.trim());
  };
  return (
    <>
      <Input
        label={`Find a value of ${label.toLowerCase()}, or type one`}
        hidden
        placeholder="Find, or type a value"
        value={typed}
        onValue={setTyped}
        onKeyDown={onKeyDown}
      />
      <Segments label="Order" value={sort} onChange={setSort} choices={SORTS} />
      <Await query={values} lines={4}>
        {({ is_complete }) => (
          <ul className="min-h-0 overflow-y-auto">
            {classes.filter(isSought).map((one) => (
              <li key={one}>
                <Value label={one} isChosen={one === value} onChoose={() => onChoose(one)} />
              </li>
            ))}
            {found.map((one) => (
              <li key={one.value}>
                <Value
                  label={isWord ? spoken(one.label) : one.label}
                  isChosen={one.value === value}
                  note={`${numberOf(one.calls)}${one.cost_usd > 0 ? ` · ${usdOf(one.cost_usd)}` : ""}`}
                  onChoose={() => onChoose(one.value)}
                />
              </li>
            ))}
            {found.length + classes.length === 0 && <li className="px-2 py-1.5 text-muted">No values.</li>}
            {!is_complete && (
              <li className="px-2 py-1.5 text-[13px] text-muted">
                Of the newest calls. Narrow the time range to see all values.
              </li>
            )}
          </ul>
        )}
      </Await>
    </>
  );
};

const Value = ({
  label,
  note,
  isChosen,
  onChoose,
}: {
  readonly label: string;
  readonly note?: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) => (
  <button
    type="button"
    aria-pressed={isChosen}
    onClick={onChoose}
    className={cx(
      "flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-raised",
      isChosen && "bg-accent-soft font-medium",
    )}
  >
    <span className="min-w-0 flex-1 truncate">{label}</span>
    {note !== undefined && <span className="shrink-0 text-[13px] text-muted">{note}</span>}
  </button>
);

const NumberFilter = ({
  number: { of, label, unit },
  query,
}: {
  readonly number: (typeof NUMBERS)[number];
  readonly query: CallQuery;
}) => {
  const [min, max] = [query.values[`min_${of}`], query.values[`max_${of}`]];
  const set = (from: string, to: string) => query.set({ [`min_${of}`]: from, [`max_${of}`]: to });
  const isSet = min !== undefined || max !== undefined;
  return (
    <Removable label={label} isSet={isSet} onClear={() => set("", "")}>
      <Popover
        label={`Filter by ${label.toLowerCase()}`}
        shown={isSet ? `${label}: ${boundsOf(min, max)} ${unit}` : label}
        active={isSet}
      >
        {(close) => (
          <Bounds
            unit={unit}
            min={min ?? ""}
            max={max ?? ""}
            onApply={(from, to) => {
              set(from, to);
              close();
            }}
          />
        )}
      </Popover>
    </Removable>
  );
};

const boundsOf = (min: string | undefined, max: string | undefined): string => {
  if (min === undefined) return `≤ ${max}`;
  return max === undefined ? `≥ ${min}` : `${min} to ${max}`;
};

const Bounds = ({
  unit,
  min,
  max,
  onApply,
}: {
  readonly unit: string;
  readonly min: string;
  readonly max: string;
  readonly onApply: (min: string, max: string) => void;
}) => {
  const [from, setFrom] = useState(min);
  const [to, setTo] = useState(max);
  return (
    <form
      className="flex flex-col gap-3 p-1"
      onSubmit={(event) => {
        event.preventDefault();
        onApply(from.trim(), to.trim());
      }}
    >
      <Input label={`At least, in ${unit}`} inputMode="decimal" pattern={NUMBER} value={from} onValue={setFrom} />
      <Input label={`At most, in ${unit}`} inputMode="decimal" pattern={NUMBER} value={to} onValue={setTo} />
      <Button type="submit" kind="primary">
        Apply
      </Button>
    </form>
  );
};

/** What a browser lets through; the hub says what is wrong with the rest. */
const NUMBER = "[0-9]+(\\.[0-9]+)?";

/** Which columns a list of calls has. */
export const ColumnChoice = ({ query: { columns, setColumns } }: { readonly query: CallQuery }) => (
  <Popover label="Columns" icon={Columns3}>
    {() => (
      <fieldset className="flex min-h-0 flex-col gap-1.5 overflow-y-auto p-1">
        <legend className="sr-only">Columns</legend>
        {COLUMN_CHOICES.map(({ value, label }) => (
          <Checkbox
            key={value}
            label={label}
            checked={columns.includes(value)}
            disabled={value === "call"}
            onValue={(isShown) =>
              setColumns(isShown ? [...columns, value] : columns.filter((column) => column !== value))
            }
          />
        ))}
      </fieldset>
    )}
  </Popover>
);
