import type { ReactNode } from "react";
import { spoken } from "./chip";
import { Value } from "./value";

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
