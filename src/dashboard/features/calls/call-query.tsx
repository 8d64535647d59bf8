import { useEffect, useState } from "react";
import { chosenOf, useFilters } from "#dashboard/parts/filters";
import { type CALL_CATEGORIES, CALL_SORTS } from "#model/call-entry";
import { type CallColumn, columnsIn, columnsText, DECISIONS } from "./call-columns";

/* What the address of a list of calls asks for. Filters are called as those of `GET /api/calls` are. */

const TEXTS = [
  "kind",
  "outcome",
  "flag_type",
  "agent_id",
  "user_id",
  "token_id",
  "model",
  "tool",
  "conversation_id",
  "status",
  "min_latency_ms",
  "max_latency_ms",
  "min_tokens",
  "max_tokens",
  "min_cost_usd",
  "max_cost_usd",
] as const;
const FILTERS = [...TEXTS, "decision", "category", "cost_basis"] as const;
/** `from` and `to` are RFC 3339; `since` and `until` are what they were called before. */
const TIMES = ["range", "from", "to", "since", "until"] as const;
const NAMES = [...FILTERS, ...TIMES, "sort", "columns"] as const;

export type CallFilterName = (typeof FILTERS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const RANGES = [
  { value: "15m", label: "Last 15 minutes", ms: HOUR_MS / 4 },
  { value: "1h", label: "Last hour", ms: HOUR_MS },
  { value: "6h", label: "Last 6 hours", ms: 6 * HOUR_MS },
  { value: "24h", label: "Last 24 hours", ms: DAY_MS },
  { value: "7d", label: "Last 7 days", ms: 7 * DAY_MS },
  { value: "30d", label: "Last 30 days", ms: 30 * DAY_MS },
] as const;

const everyMinute = (): number => Math.floor(Date.now() / 60_000) * 60_000;

/** The minute it is, Unix milliseconds: what is asked of the last hour stays the same for as long. */
const useMinute = (): number => {
  const [minute, setMinute] = useState(everyMinute);
  useEffect(() => {
    const timer = setInterval(() => setMinute(everyMinute()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return minute;
};

export const CATEGORIES = [
  { value: "call", label: "Model and tool calls" },
  { value: "other", label: "Other requests" },
  { value: "administration", label: "Administration" },
  { value: "all", label: "All records" },
] as const satisfies readonly { value: (typeof CALL_CATEGORIES)[number] | "all"; label: string }[];

const BASES = [
  { value: "usage", label: "Counted by the provider" },
  { value: "estimate", label: "Estimated" },
  { value: "unpriced", label: "Unpriced" },
] as const;

const SORTS = CALL_SORTS.map((value) => ({ value, label: value }));

/** The address as it is, as the hub is asked for it, and what changes it. */
export const useCallQuery = () => {
  const { values, filter, set } = useFilters(NAMES);
  const minute = useMinute();
  const range = RANGES.find(({ value }) => value === values.range);
  const from = values.from ?? values.since;
  const to = values.to ?? values.until;
  const decision = chosenOf(DECISIONS, values.decision);
  // A link that names a kind, or changes, asks for what no call is too.
  const usual = values.kind === undefined && decision !== "change" ? "call" : "all";
  const category = chosenOf(CATEGORIES, values.category) ?? usual;
  const asked = {
    ...Object.fromEntries(TEXTS.map((name) => [name, values[name]])),
    category,
    decision,
    cost_basis: chosenOf(BASES, values.cost_basis),
    since: range ? new Date(minute - range.ms).toISOString() : from,
    until: range ? undefined : to,
  };
  const sort = chosenOf(SORTS, values.sort) ?? "-time";
  return {
    asked,
    values,
    filter,
    category,
    range: range?.value,
    times: { from, to },
    setRange: (value: string) => set({ ...NO_TIME, range: value }),
    setTimes: (times: { readonly from: string; readonly to: string }) => set({ ...NO_TIME, ...times }),
    set,
    sort,
    sorting: {
      by: sort.replace("-", ""),
      isAscending: !sort.startsWith("-"),
      onSort: (by: string) => set({ sort: nextSort(sort, by) }),
    },
    columns: columnsIn(values.columns),
    setColumns: (columns: readonly CallColumn[]) => set({ columns: columnsText(columns) }),
    active: [...FILTERS, ...TIMES].some((name) => values[name] !== undefined),
    clear: () => set({ ...Object.fromEntries(FILTERS.map((name) => [name, ""])), ...NO_TIME }),
  };
};
export type CallQuery = ReturnType<typeof useCallQuery>;

const NO_TIME = { range: "", from: "", to: "", since: "", until: "" } as const;

/** The largest first, then the smallest, then as it was. */
const nextSort = (now: string, by: string): string => {
  if (now === `-${by}`) return by;
  return now === by && by !== "time" ? "" : `-${by}`.replace("-time", "");
};
