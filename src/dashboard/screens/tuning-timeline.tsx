import { Check, Circle, CircleDot, type LucideIcon, X } from "lucide-react";
import { spoken } from "#dashboard/parts/chip";
import { cx } from "#dashboard/parts/class-names";
import type { OpenSuggestion } from "./tuning-words";

type State = OpenSuggestion["status"];

const ROAD: readonly State[] = ["proposed", "pending_approval", "approved", "applied"];
/** Where it left the road, and after which station. */
const OFF: Readonly<Partial<Record<State, State>>> = {
  reverted: "applied",
  expired: "approved",
  rejected: "proposed",
  stale: "proposed",
};

type Standing = "past" | "here" | "off" | "ahead";

const SIGNS: Readonly<Record<Standing, readonly [icon: LucideIcon, look: string, told: string]>> = {
  past: [Check, "text-ok", "done"],
  here: [CircleDot, "text-accent", "now"],
  off: [X, "text-bad", "now"],
  ahead: [Circle, "text-muted", "to come"],
};

const stationsOf = ({ status, approval }: OpenSuggestion): readonly (readonly [State, Standing])[] => {
  const left = OFF[status];
  if (left === undefined) {
    const here = ROAD.indexOf(status);
    return ROAD.map((state, at) => [state, at < here ? "past" : at === here ? "here" : "ahead"]);
  }
  const last = left === "proposed" && approval !== null ? "pending_approval" : left;
  const past = ROAD.slice(0, ROAD.indexOf(last) + 1).map((state) => [state, "past"] as const);
  return [...past, [status, "off"]];
};

/** How far a change has come, from the suggestion to the rule. */
export const TuningTimeline = ({ it }: { readonly it: OpenSuggestion }) => (
  <ol aria-label="How far it has come" className="flex flex-wrap items-center gap-x-1 gap-y-2 text-[13px]">
    {stationsOf(it).map(([state, standing], at) => {
      const [Icon, look, told] = SIGNS[standing];
      const isHere = told === "now";
      return (
        <li key={state} aria-current={isHere ? "step" : undefined} className="flex items-center gap-1">
          {at > 0 && <span aria-hidden className="mx-1 h-px w-6 bg-strong-line" />}
          <Icon aria-hidden className={cx("size-4", look)} />
          <span className={isHere ? "font-semibold" : "text-muted"}>
            {spoken(state)}
            <span className="sr-only"> ({told})</span>
          </span>
        </li>
      );
    })}
  </ol>
);
