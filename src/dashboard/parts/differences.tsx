import type { ReactNode } from "react";
import { spoken, Tag } from "./chip";

const FEW = 12;

const wordOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return JSON.stringify(value);
  return Object.entries(value)
    .filter(([, part]) => part !== null)
    .map(([name, part]) => `${name}: ${typeof part === "object" ? JSON.stringify(part) : String(part)}`)
    .join(", ");
};

/** A value of a document as people read it: lists as words, nothing as such, the rest as it is written. */
export const Value = ({ of: value }: { readonly of: unknown }) => {
  if (value === null || value === undefined) return <span className="text-muted">none</span>;
  if (value === "") return <span className="text-muted">empty</span>;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (!Array.isArray(value)) return <span className="break-words">{wordOf(value)}</span>;
  if (value.length === 0) return <span className="text-muted">none</span>;
  const words = value.map(wordOf);
  return (
    <span className="flex min-w-0 flex-wrap gap-1" title={words.join("\n")}>
      {words.slice(0, FEW).map((word) => (
        <Tag key={word}>{word}</Tag>
      ))}
      {words.length > FEW && <span className="text-muted">+{words.length - FEW}</span>}
    </span>
  );
};

/** Where two documents differ, as the hub tells it: a JSON pointer, what was there, what is there now. */
type Difference = { readonly pointer: string; readonly before?: unknown; readonly after?: unknown };

const named = (pointer: string): string =>
  pointer
    .slice(1)
    .split("/")
    .map((part) => spoken(part.replaceAll("~1", "/").replaceAll("~0", "~")))
    .join(" › ");

/** What changed from one document to the next, place by place: what was there above, what is there now below. */
export const Differences = <Change extends Difference>({
  changes,
  note,
  nameOf = ({ pointer }) => named(pointer),
  show = (value) => <Value of={value} />,
}: {
  readonly changes: readonly Change[];
  /** What else is said of a change. */
  readonly note?: (change: Change) => ReactNode;
  /** What a place is called; its path where nothing is said. */
  readonly nameOf?: (change: Change) => string;
  readonly show?: (value: unknown, change: Change) => ReactNode;
}) => (
  <ul className="flex flex-col">
    {changes.map((change) => (
      <li key={change.pointer} className="border-b border-line px-4 py-2.5 last:border-b-0">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {nameOf(change)} {note?.(change)}
        </p>
        <div className="mt-1 flex gap-2 rounded bg-bad-soft px-2 py-1 text-text">
          <span className="font-mono text-bad" aria-hidden>
            −
          </span>
          <span className="sr-only">Before:</span>
          <div className="min-w-0 flex-1">{show(change.before, change)}</div>
        </div>
        <div className="mt-1 flex gap-2 rounded bg-ok-soft px-2 py-1 text-text">
          <span className="font-mono text-ok" aria-hidden>
            +
          </span>
          <span className="sr-only">Now:</span>
          <div className="min-w-0 flex-1">{show(change.after, change)}</div>
        </div>
      </li>
    ))}
  </ul>
);
