import { relative } from "node:path";
import { command } from "#test/support/program";
import type { Child } from "./child.ts";
import type { Endpoint, LoadJob, LoadResult } from "./load-job.ts";
import type { Shape } from "./shape.ts";

/** `direct`: the upstream itself, `pass`: the bare relay, `hub-…`: the hub by durability; else another gateway. */
export type TargetName = string;

/** One of the things compared: where it listens, and the process whose cost is measured. */
export type Target = { readonly name: TargetName; endpoint(shape: Shape): Endpoint; readonly pid: number };

/** The load generator, and all that it is pointed at in turn: upstream, bare relay, hubs. */
export type Course = { readonly load: Child<LoadJob, LoadResult>; readonly targets: readonly Target[] };

/** How the hubs of a run are started, for the report. */
export function hubText(): string {
  const line = command();
  const path = relative(process.cwd(), line.at(-1) ?? "");
  return line.length === 1 ? `hub: ${path}` : `hub: ${path}, NOT compiled; build it first`;
}
