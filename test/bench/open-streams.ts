import { cpuMicros, residentBytes } from "./cpu.ts";
import type { OpenResult } from "./load-job.ts";
import type { ModelCourse } from "./model-course.ts";
import { figure, megabytes, table } from "./table.ts";

/** Shorter than this, and the runtime's garbage collector may not come round even twice. */
const JUDGED_SECONDS = 30;

export type OpenStreams = {
  readonly wanted: number;
  /** Streams with text in them, still running at the end. */
  readonly open: number;
  readonly errors: OpenResult["errors"];
  /** Memory of the hub before the first stream. */
  readonly bytesBefore: number | undefined;
  /** Memory with all streams open and trickling, second by second. */
  readonly bytes: readonly number[];
  /** Cores the hub needs to trickle them all. */
  readonly cores: number | undefined;
};

/** Opens many slow streams in one hub and watches its memory while they trickle. */
export async function openStreams(course: ModelCourse, streams: number, seconds: number): Promise<OpenStreams> {
  const { load } = course;
  await using hub = await course.startHub("full");
  const bytesBefore = residentBytes(hub.pid);
  const opened = await load.run({ kind: "open", endpoint: hub.endpoint("json"), streams, withinSeconds: 30 });
  const watched = isWhole(opened, streams) ? await watch(hub.pid, seconds) : { bytes: [], cores: undefined };
  const closed = await load.run({ kind: "close" });
  if (closed.kind !== "open") throw new Error("not what was asked for");
  return { wanted: streams, open: closed.open, errors: closed.errors, bytesBefore, ...watched };
}

function isWhole(result: { kind: string; open?: number }, streams: number): boolean {
  return result.kind === "open" && result.open === streams;
}

async function watch(pid: number, seconds: number): Promise<Pick<OpenStreams, "bytes" | "cores">> {
  const began = performance.now();
  const before = cpuMicros(pid);
  const bytes: number[] = [];
  for (let second = 0; second <= seconds; second += 1) {
    await Bun.sleep(began + second * 1_000 - performance.now());
    bytes.push(residentBytes(pid) ?? Number.NaN);
  }
  const after = cpuMicros(pid);
  const micros = (performance.now() - began) * 1_000;
  return { bytes, cores: before === undefined || after === undefined ? undefined : (after - before) / micros };
}

/**
 * What the memory grew by: the lowest reading of the second half less the lowest of the first. Lowest,
 * because a garbage-collected process grows between two collections whether it leaks or not. Undefined when
 * it was watched too briefly to tell.
 */
export function growthBytes({ bytes }: OpenStreams): number | undefined {
  if (bytes.length === 0) return Number.NaN;
  if (bytes.length <= JUDGED_SECONDS) return undefined;
  const middle = bytes.length >> 1;
  return Math.min(...bytes.slice(middle)) - Math.min(...bytes.slice(0, middle));
}

export function openText(result: OpenStreams): string {
  const { bytes } = result;
  const last = bytes.length - 1;
  const moments = [0, 1 / 3, 2 / 3, 1].map((part) => Math.round(last * part));
  const middle = bytes.length >> 1;
  const lows = [bytes.slice(0, middle), bytes.slice(middle)].map((half) => megabytes(Math.min(...half)));
  const head = ["streams", "open", "before", ...moments.map((second) => `${second} s`)];
  const row = [`${result.wanted}`, `${result.open}`, megabytes(result.bytesBefore)];
  return [
    table(
      [...head, "low, 1st half", "2nd half", "peak", "cores"],
      [
        [
          ...row,
          ...moments.map((second) => megabytes(bytes[second])),
          ...lows,
          megabytes(Math.max(...bytes)),
          figure(result.cores, 2),
        ],
      ],
    ),
    ...Object.entries(result.errors).map(([reason, count]) => `${count} × ${reason}`),
  ].join("\n");
}
