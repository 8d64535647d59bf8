import { Check, Circle, CircleDot, type LucideIcon, X } from "lucide-react";
import { spoken } from "#dashboard/parts/chip";
import { cx } from "#dashboard/parts/class-names";
import type { OpenSuggestion } from "./tuning-words";

type State = OpenSuggestion["status"];

const PATH: readonly State[] = ["proposed", "pending_approval", "approved", "applied"];
/** Final states outside the path, and the last state before each. */
const OFF: Readonly<Partial<Record<State, State>>> = {
  reverted: "applied",
  expired: "approved",
  rejected: "proposed",
  stale: "proposed",
};

type Progress = "past" | "here" | "off" | "ahead";

const SIGNS: Readonly<Record<Progress, readonly [icon: LucideIcon, style: string, told: string]>> = {
  past: [Check, "text-ok", "done"],
  here: [CircleDot, "text-accent", "now"],
  off: [X, "text-bad", "now"],
  ahead: [Circle, "text-muted", "pending"],
};

const stationsOf = ({ status, approval }: OpenSuggestion): readonly (readonly [State, Progress])[] => {
  const left = OFF[status];
  if (left === undefined) {
    const here = PATH.indexOf(status);
    return PATH.map((state, at) => [state, at < here ? "past" : at === here ? "here" : "ahead"]);
  }
  const last = left === "proposed" && approval !== null ? "pending_approval" : left;
  const past = PATH.slice(0, PATH.indexOf(last) + 1).map((state) => [state, "past"] as const);
  return [...past, [status, "off"]];
};

/** How far a change has come, from the suggestion to the rule. */
export const TuningTimeline = ({ it }: { readonly it: OpenSuggestion }) => (
  <ol aria-label="Progress" className="flex flex-wrap items-center gap-x-1 gap-y-2 text-[13px]">
    {stationsOf(it).map(([state, progress], at) => {
      const [Icon, style, told] = SIGNS[progress];
      const isHere = told === "now";
      return (
        <li key={state} aria-current={isHere ? "step" : undefined} className="flex items-center gap-1">
          {at > 0 && <span aria-hidden className="mx-1 h-px w-6 bg-strong-line" />}
          <Icon aria-hidden className={cx("size-4", style)} />
          <span className={isHere ? "font-semibold" : "text-muted"}>
            {spoken(state)}
            <span className="sr-only"> ({told})</span>
          </span>
        </li>
      );
    })}
  </ol>
);
