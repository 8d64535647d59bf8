import type { Course, Target, TargetName } from "./course.ts";
import { compiledBetween, compilerMicros, cpuMicros, machineMicros, residentBytes } from "./cpu.ts";
import type { LoopResult, Until } from "./load-job.ts";
import type { Shape } from "./shape.ts";

/** One measurement of one target. */
export type Cell = {
  readonly target: TargetName;
  readonly shape: Shape;
  readonly concurrency: number;
  readonly round: number;
  /** Answers, all of them complete and right. */
  readonly requests: number;
  /** What went wrong, and how often. Any error makes the cell invalid. */
  readonly errors: Readonly<Record<string, number>>;
  readonly perSecond: number;
  readonly latency: LoopResult["whole"];
  readonly firstByte: LoopResult["firstByte"];
  readonly firstText: LoopResult["firstText"];
  /** CPU time of the target's process tree for each request, without its compiler threads. */
  readonly cpuMicros: number | undefined;
  /** CPU time of the target's compiler threads for each request: what is left of warming up. */
  readonly jitMicros: number | undefined;
  /** CPU time of the load generator for each request. */
  readonly loadCpuMicros: number;
  readonly residentBytes: number | undefined;
  /** Cores kept busy by what is not part of the bench. */
  readonly foreignCores: number | undefined;
};

/** Paced streams all last about as long: begun together, they would begin together for ever. */
const PACED_STREAM_MS = 130;

export type Asked = {
  readonly target: Target;
  readonly shape: Shape;
  readonly concurrency: number;
  readonly until: Until;
  readonly round: number;
};

export const isValid = (cell: Cell): boolean => cell.requests > 0 && Object.keys(cell.errors).length === 0;

export async function measureCell({ load }: Course, asked: Asked): Promise<Cell> {
  const { target, shape, concurrency, until, round } = asked;
  const before = account(target.pid);
  const result = await load.run({
    kind: "closed-loop",
    endpoint: target.endpoint(shape),
    shape,
    concurrency,
    spreadMs: shape === "paced" ? PACED_STREAM_MS : 0,
    until,
  });
  const after = account(target.pid);
  if (result.kind !== "closed-loop") throw new Error("not what was asked for");
  const foreign = difference(after.foreign, before.foreign);
  const all = difference(after.target, before.target);
  const compiled = all === undefined ? undefined : compiledBetween(before.compilers, after.compilers);
  const spent = difference(all, compiled);
  return {
    target: target.name,
    shape,
    concurrency,
    round,
    requests: result.requests,
    errors: result.errors,
    perSecond: result.requests / result.seconds,
    latency: result.whole,
    firstByte: result.firstByte,
    firstText: result.firstText,
    cpuMicros: spent === undefined ? undefined : spent / result.requests,
    jitMicros: compiled === undefined ? undefined : compiled / result.requests,
    loadCpuMicros: result.cpuMicros / result.requests,
    residentBytes: residentBytes(target.pid),
    foreignCores: foreign === undefined ? undefined : Math.max(0, foreign / 1e6 / result.seconds),
  };
}

function account(target: number) {
  // Everything the bench started is below this process.
  const foreign = difference(machineMicros(), cpuMicros(process.pid));
  return { target: cpuMicros(target), compilers: compilerMicros(target), foreign };
}

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}
