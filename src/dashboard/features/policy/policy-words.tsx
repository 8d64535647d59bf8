import type { AnswerTo } from "#dashboard/api/client";
import { Chip, spoken, toneOf } from "#dashboard/parts/chip";
import type { PolicyDifference } from "#features/policy/schema";

export type Policy = AnswerTo<"GET /api/policy">;
export type Row = Policy["rows"][number];
export type GridCell = Row["cells"][number];
export type PolicyOrigin = GridCell["origin"];
/** A rule for a flag type at some origins, or that none is set by hand. */
export type PolicyDraftChange = { readonly type: string; readonly origins: readonly PolicyOrigin[] } & (
  | { readonly reset: true }
  | { readonly thresholds: GridCell["thresholds"]; readonly mode?: GridCell["mode"] }
);

/** Where a text comes from, for people. */
export const ORIGIN_WORDS: Readonly<Record<PolicyOrigin, string>> = {
  system: "System",
  user: "User",
  assistant: "Assistant",
  tool_result: "Tool result",
  tool_args: "Tool arguments",
  tool_definition: "Tool definition",
  output: "Output",
};

type Thresholds = GridCell["thresholds"];
type Mode = GridCell["mode"];

/** `flag from 0.3, block from 0.8`. */
export const sayThresholds = (thresholds: Thresholds, mode: Mode | undefined): string => {
  const parts = (["flag", "redact", "block"] as const).flatMap((action) =>
    thresholds[action] === undefined ? [] : [`${action} from ${thresholds[action]}`],
  );
  const said = parts.length === 0 ? "ignore" : parts.join(", ");
  return mode === "monitor" ? `${said} (only flagged: monitor)` : said;
};

export const sayChange = (change: PolicyDraftChange): string =>
  "reset" in change ? "without an edit" : sayThresholds(change.thresholds, change.mode);

const saySaid = (said: PolicyDifference["before"]): string =>
  said ? sayThresholds(said.thresholds, said.mode) : "no rule";

/** What differs, a line each. */
export const Differences = ({ of }: { readonly of: readonly PolicyDifference[] }) =>
  of.length === 0 ? (
    <p className="text-muted">No changed rules.</p>
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
export const ActionChip = ({ of: { action, threshold, mode } }: { readonly of: GridCell }) =>
  action === "allow" ? (
    <span className="text-muted">nothing</span>
  ) : (
    <Chip tone={mode === "monitor" ? "idle" : toneOf(action)}>
      {mode === "monitor" ? "watch" : spoken(action)} {threshold}
    </Chip>
  );
