/** How much the tool gateway costs on top of a bare relay: calls in three dialects, reads, prompts, lists, a first list of many, searches. */

import { judge } from "./bar.ts";
import type { Cell } from "./cell.ts";
import { fanOutText, measureFanOut } from "./fan-out.ts";
import type { Flags, Options } from "./options.ts";
import { opening, progress, report } from "./report.ts";
import { alternate } from "./rounds.ts";
import type { ToolShape } from "./shape.ts";
import { summarise } from "./summary.ts";
import { GATEWAY, ToolCourse } from "./tool-course.ts";
import { measureToolSearch, toolSearchText } from "./tool-search.ts";
import { TOOL_BARS } from "./tool-targets.ts";

const SECTIONS = ["call", "list", "offers", "dialects", "fan-out", "search"] as const;
type Section = (typeof SECTIONS)[number];

export const TOOL_FLAGS: Flags<Section> = {
  bench: "tools",
  sections: SECTIONS,
  full: { seconds: "1.2", rounds: "4", c: "1,16" },
  quick: { seconds: "0.5", rounds: "2", c: "1,16" },
};

/** Dialects differ in what is parsed and written, which one concurrency shows. */
const DIALECT_CONCURRENCY = 16;

export async function benchTools(options: Options<Section>): Promise<void> {
  const machine = opening(options);
  const { quick, only, within } = options;
  const fanOut = only.includes("fan-out") ? await fanOutOf(quick ? 2 : 5, within) : undefined;
  if (only.includes("search")) progress("search: two hubs with the same tools");
  const search = only.includes("search") ? await measureToolSearch(within) : undefined;
  const cells = await onCourse(options);
  const measured = { rows: summarise(cells), fanOut, search };
  const texts = [fanOut && fanOutText(fanOut), search && toolSearchText(search)];
  await report(options, { machine, ...measured, cells }, texts, judge(TOOL_BARS, measured));
}

function fanOutOf(times: number, within: string) {
  progress(`first lists: ${times} people`);
  return measureFanOut(times, within, GATEWAY);
}

async function onCourse({ quick, seconds, rounds, concurrencies, only, within }: Options<Section>): Promise<Cell[]> {
  const shapes: ToolShape[] = [];
  if (only.includes("call")) shapes.push("call");
  if (only.includes("list")) shapes.push("list-20", "list-1000");
  if (only.includes("offers")) shapes.push("read", "prompt", "resources-20");
  const dialects: ToolShape[] = only.includes("dialects") ? ["call-2026", "call-minimal"] : [];
  if (shapes.length + dialects.length === 0) return [];
  await using course = await ToolCourse.open(within);
  const pace = { targets: course.targets, rounds, seconds, warmUp: quick ? "tenth" : "whole" } as const;
  const cells: Cell[] = [];
  if (shapes.length > 0) cells.push(...(await alternate(course, { ...pace, shapes, concurrencies }, progress)));
  if (dialects.length > 0) {
    const plan = { ...pace, shapes: dialects, concurrencies: [DIALECT_CONCURRENCY] };
    cells.push(...(await alternate(course, plan, progress)));
  }
  return cells;
}
