import { atLeast, atMost, type Bar, row } from "./bar.ts";
import { beyondSlowest, type FanOut } from "./fan-out.ts";
import type { Row } from "./summary.ts";
import { addedBySearch, type ToolSearch } from "./tool-search.ts";

/** Everything a run of the tool bench measured; what was left out is undefined. */
export type ToolsMeasured = {
  readonly rows: readonly Row[];
  readonly fanOut?: FanOut | undefined;
  readonly search?: ToolSearch | undefined;
};

export const TOOL_BARS: readonly Bar<ToolsMeasured>[] = [
  atLeast("calls/s ÷ bare relay, c=16", 0.42, row("call", 16, "hub-full", "toPass")),
  atMost("added p50 of a call, c=1, ms", 0.4, 2, row("call", 1, "hub-full", "addedP50")),
  atLeast("lists/s ÷ bare relay, 20 tools, c=16", 0.5, row("list-20", 16, "hub-full", "toPass")),
  atLeast("lists/s ÷ bare relay, 1,000 tools, c=16", 0.5, row("list-1000", 16, "hub-full", "toPass")),
  atMost(
    "first list of 20 servers beyond the slowest one's, ms",
    8,
    1,
    ({ fanOut }) => fanOut && beyondSlowest(fanOut),
  ),
  atMost("search among 5,000 tools, added to a call, p50, ms", 5, 1, ({ search }) => search && addedBySearch(search)),
];
