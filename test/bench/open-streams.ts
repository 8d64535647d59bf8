import type { Course } from "./course.ts";
import { cpuMicros, residentBytes } from "./cpu.ts";
import type { OpenResult } from "./load-job.ts";
import { figure, megabytes, table } from "./table.ts";

export type OpenStreams = {
  readonly wanted: number;
  /** Streams with text in them, still running at the end. */
  readonly open: number;
  readonly errors: OpenResult["errors"];
  /** Memory of the hub before, with all streams open, and after so many seconds more. */
  readonly memory: readonly { readonly seconds: number; readonly bytes: number | undefined }[];
  readonly bytesBefore: number | undefined;
  /** Cores the hub needs to trickle them all. */
  readonly cores: number | undefined;
};

/** Opens many slow streams in one hub and watches its memory while they trickle. */
export async function openStreams(
  course: Course,
  { streams, watchSeconds }: { streams: number; watchSeconds: readonly number[] },
): Promise<OpenStreams> {
  const { load } = course;
  const hub = course.target("hub-full");
  const bytesBefore = residentBytes(hub.pid);
  const opened = await load.run({ kind: "open", endpoint: hub.endpoint, streams, withinSeconds: 30 });
  const began = performance.now();
  const cpuBefore = cpuMicros(hub.pid);
  const memory = [{ seconds: 0, bytes: residentBytes(hub.pid) }];
  if (isOpen(opened, streams)) {
    for (const seconds of watchSeconds) {
      await Bun.sleep(began + seconds * 1_000 - performance.now());
      memory.push({ seconds, bytes: residentBytes(hub.pid) });
    }
  }
  const cpuAfter = cpuMicros(hub.pid);
  const watched = performance.now() - began;
  const closed = await load.run({ kind: "close" });
  if (closed.kind !== "open") throw new Error("not what was asked for");
  return {
    wanted: streams,
    open: closed.open,
    errors: closed.errors,
    memory,
    bytesBefore,
    cores: cpuBefore === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpuBefore) / 1_000 / watched,
  };
}

function isOpen(result: { kind: string; open?: number }, streams: number): boolean {
  return result.kind === "open" && result.open === streams;
}

/** What the memory grew by after the first reading under load; NaN when it could not be watched. */
export function growthBytes({ memory }: OpenStreams): number {
  const [, early, ...later] = memory;
  const last = later.at(-1);
  return (last?.bytes ?? Number.NaN) - (early?.bytes ?? Number.NaN);
}

export function openText(result: OpenStreams): string {
  const moments = result.memory.map(({ seconds }) => `${seconds} s`);
  const sizes = result.memory.map(({ bytes }) => megabytes(bytes));
  const cores = figure(result.cores, 2);
  return [
    table(
      ["streams", "open", "before", ...moments.map((moment) => `after ${moment}`), "cores"],
      [[`${result.wanted}`, `${result.open}`, megabytes(result.bytesBefore), ...sizes, cores]],
    ),
    ...Object.entries(result.errors).map(([reason, count]) => `${count} × ${reason}`),
  ].join("\n");
}
