import { type Alert, type AlertKind, kindOf } from "#model/alert";

/* What an alert says to people. Names of agents and servers are in it, and nothing of any call. */

const rounded = (value: number): string => String(Math.round(value * 10) / 10);

/** With its unit; nothing for what is only so or not so. */
export const amountOf = (kind: AlertKind, value: number): string => {
  switch (kindOf(kind).unit) {
    case "percent":
      return `${rounded(value)} %`;
    case "usd":
      return `$${value.toFixed(2)}`;
    case "hours":
      return `${rounded(value)} hours`;
    case "milliseconds":
      return `${Math.round(value)} ms`;
    case "state":
      return "";
  }
};

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** `15 minutes`, in the largest unit it is whole in. */
export const spanOf = (seconds: number): string => {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size && seconds % size === 0) ?? UNITS[3];
  const count = Math.round(seconds / size);
  return count === 1 ? unit : `${count} ${unit}s`;
};

type Said = Pick<Alert, "kind" | "label" | "subject" | "threshold" | "window_seconds"> & { readonly value: number };

/** One sentence. */
export const sentenceOf = ({ kind, label, subject, value, threshold, window_seconds }: Said): string => {
  const amount = amountOf(kind, value);
  const limit = `(limit ${amountOf(kind, threshold)})`;
  const name = label ?? (subject === "" ? "the hub" : subject);
  const calls = subject === "" ? "calls" : `calls of ${name}`;
  switch (kind) {
    case "block_rate":
      return `${amount} of ${calls} were blocked in the last ${spanOf(window_seconds)} ${limit}.`;
    case "error_rate":
      return `${amount} of ${calls} failed in the last ${spanOf(window_seconds)} ${limit}.`;
    case "spend":
      return `The ${calls} of the last ${spanOf(window_seconds)} cost ${amount} ${limit}.`;
    case "budget":
      return `${amount} of a budget are spent: ${name} ${limit}.`;
    case "drift":
      return `The calls of ${name} differ from its drift baseline.`;
    case "audit_log":
      return `The audit log of ${name} cannot be written, or its last check found faults.`;
    case "backup_age":
      return `The newest backup of ${name} is ${amount} old ${limit}.`;
    case "loop_delay":
      return `The event loop of ${name} was up to ${amount} late ${limit}.`;
    case "tool_server":
      return `The tool server ${name} cannot be reached, or does not list its tools.`;
    case "provider":
      return `Calls to the provider ${name} fail again and again.`;
  }
};
