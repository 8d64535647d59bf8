import type { Answer } from "#dashboard/api/client";
import { Chip, spoken, toneOf } from "#dashboard/parts/chip";

export type Policy = Answer<"GET /api/policy">;
export type Row = Policy["rows"][number];
export type Cell = Row["cells"][number];
export type Origin = Cell["origin"];
export type Difference = Answer<"GET /api/policy/diff">["differences"][number];
/** A rule for a flag type at some origins, or that none is set by hand. */
export type Change = { readonly type: string; readonly origins: readonly Origin[] } & (
  | { readonly reset: true }
  | { readonly thresholds: Cell["thresholds"]; readonly mode?: Cell["mode"] }
);

/** Where a text comes from, for people. */
export const ORIGIN_WORDS: Readonly<Record<Origin, string>> = {
  system: "System",
  user: "User",
  assistant: "Assistant",
  tool_result: "Tool result",
  tool_args: "Tool arguments",
  tool_definition: "Tool definition",
  output: "Output",
};

type Thresholds = Cell["thresholds"];
type Mode = Cell["mode"];

/** `flag from 0.3, block from 0.8`. */
export const sayThresholds = (thresholds: Thresholds, mode: Mode | undefined): string => {
  const parts = (["flag", "redact", "block"] as const).flatMap((action) =>
    thresholds[action] === undefined ? [] : [`${action} from ${thresholds[action]}`],
  );
  const said = parts.length === 0 ? "nothing is done" : parts.join(", ");
  return mode === "monitor" ? `${said} (only flagged: monitor)` : said;
};

export const sayChange = (change: Change): string =>
  "reset" in change ? "as without a rule set by hand" : sayThresholds(change.thresholds, change.mode);

const saySaid = (said: Difference["before"]): string => (said ? sayThresholds(said.thresholds, said.mode) : "no rule");

/** What differs, a line each. */
export const Differences = ({ of }: { readonly of: readonly Difference[] }) =>
  of.length === 0 ? (
    <p className="text-muted">No rule differs.</p>
  ) : (
    <ul className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto">
      {of.map(({ type, origin, before, after }) => (
        <li key={`${type} ${origin}`} className="py-1.5">
          <p>
            <code className="font-mono text-[13px] font-medium">{type}</code>{" "}
            <span className="text-[13px] text-muted">{ORIGIN_WORDS[origin]}</span>
          </p>
          <p className="text-[13px]">
            <del className="text-muted">{saySaid(before)}</del> <ins className="no-underline">→ {saySaid(after)}</ins>
          </p>
        </li>
      ))}
    </ul>
  );

/** What is done at most, and from which score on. */
export const ActionChip = ({ of: { action, threshold, mode } }: { readonly of: Cell }) =>
  action === "allow" ? (
    <span className="text-muted">nothing</span>
  ) : (
    <Chip tone={mode === "monitor" ? "idle" : toneOf(action)}>
      {mode === "monitor" ? "watch" : spoken(action)} {threshold}
    </Chip>
  );
