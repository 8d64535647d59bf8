import { type Cell, isValid } from "./cell.ts";
import type { TargetName } from "./course.ts";
import { isStream, type Shape, titleOf } from "./shape.ts";
import { median } from "./stats.ts";
import { figure, megabytes, table } from "./table.ts";

/** All rounds of one target in one shape at one concurrency: medians over the valid ones. */
export type Row = {
  readonly shape: Shape;
  readonly concurrency: number;
  readonly target: TargetName;
  readonly validRounds: number;
  readonly rounds: number;
  readonly errors: readonly string[];
  readonly perSecond: number;
  /** Requests per second divided by the bare relay's in the same round. */
  readonly toPass: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly firstByte: number;
  readonly firstText: number;
  /** CPU of a request without the compiler threads, and theirs. */
  readonly cpuMicros: number;
  readonly jitMicros: number;
  /** CPU divided by the bare relay's in the same round. */
  readonly cpuToPass: number;
  /** Time to the first text, less that of the upstream asked directly in the same round; milliseconds. */
  readonly addedFirstText: number;
  /** Median time of a request, less the bare relay's in the same round; milliseconds. */
  readonly addedP50: number;
  readonly loadCpuMicros: number;
  readonly residentBytes: number;
  readonly foreignCores: number;
};

export function summarise(cells: readonly Cell[]): Row[] {
  const groups = Map.groupBy(cells, (cell) => `${cell.shape} ${cell.concurrency} ${cell.target}`);
  return [...groups.values()].flatMap((group) => (group[0] === undefined ? [] : [rowOf(group[0], group, cells)]));
}

function rowOf(first: Cell, group: readonly Cell[], cells: readonly Cell[]): Row {
  const { shape, concurrency, target } = first;
  const valid = group.filter(isValid);
  const middle = (value: (cell: Cell) => number | undefined): number =>
    median(valid.map(value).filter((found) => found !== undefined));
  /** The same round's cell of another target. */
  const beside = (cell: Cell, name: TargetName): Cell | undefined =>
    cells.find(
      (other) =>
        other.target === name &&
        other.shape === shape &&
        other.concurrency === concurrency &&
        other.round === cell.round &&
        isValid(other),
    );
  const compare = (name: TargetName, value: (cell: Cell, other: Cell) => number | undefined): number =>
    middle((cell) => {
      const other = beside(cell, name);
      return other === undefined ? undefined : value(cell, other);
    });
  return {
    shape,
    concurrency,
    target,
    validRounds: valid.length,
    rounds: group.length,
    errors: [...new Set(group.flatMap((cell) => Object.keys(cell.errors)))],
    perSecond: middle((cell) => cell.perSecond),
    toPass: compare("pass", (cell, pass) => cell.perSecond / pass.perSecond),
    p50: middle((cell) => cell.latency.p50),
    p90: middle((cell) => cell.latency.p90),
    p99: middle((cell) => cell.latency.p99),
    firstByte: middle((cell) => cell.firstByte.p50),
    firstText: middle((cell) => cell.firstText.p50),
    cpuMicros: middle((cell) => cell.cpuMicros),
    jitMicros: middle((cell) => cell.jitMicros),
    cpuToPass: compare("pass", (cell, pass) => quotient(cell.cpuMicros, pass.cpuMicros)),
    addedFirstText: compare("direct", (cell, direct) => cell.firstText.p50 - direct.firstText.p50),
    addedP50: compare("pass", (cell, pass) => cell.latency.p50 - pass.latency.p50),
    loadCpuMicros: middle((cell) => cell.loadCpuMicros),
    residentBytes: middle((cell) => cell.residentBytes),
    foreignCores: middle((cell) => cell.foreignCores),
  };
}

function quotient(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

/** A table for each shape, in the order they were measured first. */
export function summaryText(rows: readonly Row[]): string {
  const shapes = [...new Set(rows.map(({ shape }) => shape))];
  return shapes.map((shape) => `${titleOf(shape)}\n${shapeText(rows, shape)}\n`).join("\n");
}

function shapeText(rows: readonly Row[], shape: Shape): string {
  const streams = isStream(shape);
  const head = ["c", "target", "/s", "÷ pass", "p50 ms", "p90", "p99", ...(streams ? ["1st byte", "1st text"] : [])];
  const body = rows
    .filter((row) => row.shape === shape)
    .toSorted((a, b) => a.concurrency - b.concurrency)
    .map((row) => [
      `${row.concurrency}`,
      row.target,
      figure(row.perSecond),
      figure(row.toPass, 2),
      figure(row.p50, 2),
      figure(row.p90, 2),
      figure(row.p99, 2),
      ...(streams ? [figure(row.firstByte, 2), figure(row.firstText, 2)] : []),
      figure(row.cpuMicros, 1),
      figure(row.cpuToPass, 2),
      figure(row.jitMicros, 1),
      figure(row.loadCpuMicros, 1),
      megabytes(row.residentBytes),
      figure(row.foreignCores, 2),
      `${row.validRounds}/${row.rounds}`,
      row.errors.join("; "),
    ]);
  return table([...head, "CPU µs", "÷ pass", "JIT µs", "load µs", "RSS MB", "foreign", "valid", ""], body);
}
