import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { buttonClass } from "./button";
import { type Choice, Select } from "./field";

/** What a filter is now, and what is told of another. */
export type Filter = { readonly value: string | undefined; readonly onChange: (value: string) => void };

/** Filters live in the address, so that a view can be sent to somebody. */
export const useFilters = <const Names extends readonly string[]>(names: Names) => {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const values = Object.fromEntries(
    names.flatMap((name) => (search[name] === undefined ? [] : [[name, String(search[name])]])),
  ) as { readonly [Name in Names[number]]?: string };
  const put = (changed: Readonly<Record<string, string | undefined>>) =>
    void navigate({
      to: ".",
      replace: true,
      resetScroll: false,
      search: (old: Readonly<Record<string, unknown>>) =>
        Object.fromEntries(
          Object.entries({ ...old, ...changed }).filter(([, value]) => value !== "" && value !== undefined),
        ),
    });
  const clear = () => void navigate({ to: ".", replace: true, search: {} });
  const set = (changed: { readonly [Name in Names[number]]?: string }) => put(changed);
  /** Ties one of them to its control. */
  const filter = <Name extends Names[number]>(name: Name): Filter => ({
    value: values[name],
    onChange: (next) => put({ [name]: next }),
  });
  return { values, set, filter, clear, active: Object.keys(values).length > 0 };
};

/** The choice that the address names; nothing for any other text. */
export const chosenOf = <const Value extends string>(
  choices: readonly Choice<Value>[],
  text: string | undefined,
): Value | undefined => choices.find(({ value }) => value === text)?.value;

export const FilterBar = ({ children }: { readonly children: React.ReactNode }) => (
  <search className="flex flex-wrap items-end gap-2 border-b border-line px-4 py-2.5">{children}</search>
);

/** One of a few; the first choice stands for all. */
export const FilterChoice = ({
  label,
  value,
  onChange,
  choices,
  required = false,
}: {
  readonly label: string;
  readonly choices: readonly Choice[];
  /** There is no such thing as all of them. */
  readonly required?: boolean;
} & Filter) => (
  <div className="w-auto max-w-60 min-w-32">
    <Select
      label={label}
      hidden
      value={value ?? ""}
      onValue={onChange}
      choices={required ? choices : [{ value: "", label: `${label}: all` }, ...choices]}
    />
  </div>
);

/** Words to look for: `/` comes here. Told of once the typing rests. */
export const FilterText = ({ label, value, onChange }: { readonly label: string } & Filter) => {
  const [typed, setTyped] = useState(value ?? "");
  const told = useRef(typed);
  useEffect(() => {
    const now = value ?? "";
    // The address has what was told; more may have been typed since.
    if (now === told.current) return;
    told.current = now;
    setTyped(now);
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    if (typed === (value ?? "")) return;
    const timer = setTimeout(() => {
      told.current = typed;
      onChange(typed);
    }, 250);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div className="relative min-w-40 flex-1 basis-40">
      <Search className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-muted" aria-hidden />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        data-search=""
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="h-8.5 w-full rounded-md border border-strong-line bg-panel pr-2.5 pl-8 placeholder:text-muted"
      />
    </div>
  );
};

/** Filters that a link has set and that have no control of their own: each is said, and can be taken away. */
export const FilterTags = ({ filters }: { readonly filters: readonly ({ readonly label: string } & Filter)[] }) =>
  filters.map(
    ({ label, value, onChange }) =>
      value !== undefined && (
        <button
          key={label}
          type="button"
          onClick={() => onChange("")}
          className={`${buttonClass()} max-w-full min-w-0`}
        >
          <span className="truncate">
            {label}: {value}
          </span>
          <X className="size-4 shrink-0" aria-hidden />
          <span className="sr-only">Take this filter away</span>
        </button>
      ),
  );

/** What is opened by name: in the address, so that it can be gone to from anywhere. */
export type Opening = "new" | "stop";

/** Whether a screen's dialog is open, and what opens and closes it. */
export const useOpened = (name: Opening): readonly [open: boolean, set: (open: boolean) => void] => {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (open: boolean) =>
    void navigate({
      to: ".",
      replace: true,
      resetScroll: false,
      search: ({ open: _, ...rest }: Readonly<Record<string, unknown>>) => (open ? { ...rest, open: name } : rest),
    });
  return [search["open"] === name, set];
};
