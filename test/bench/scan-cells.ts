import { median, spread } from "./stats.ts";
import { figure, table } from "./table.ts";

/** Texts of one sort and size, and what is done with them. */
export type Job = {
  readonly work: string;
  readonly kind: string;
  readonly size: number;
  readonly texts: readonly string[];
  run(text: string): number;
};

/** What a job cost. A KB is 1,024 units, an MB a million of them; the bench's own texts are ASCII but for the hostile. */
export type Timing = {
  readonly work: string;
  readonly kind: string;
  readonly size: number;
  readonly samples: number;
  /** Microseconds of one text. */
  readonly p50: number;
  readonly worst: number;
  readonly perKbP50: number;
  readonly perKbP99: number;
  readonly megabytesPerSecond: number;
  /** Whatever the runs gave, added up: nothing may be optimised away. */
  readonly outcome: number;
};

type Samples = { readonly job: Job; readonly micros: number[]; readonly perKb: number[]; outcome: number };

/** Times every job in every round, so that what disturbs the machine disturbs them alike. */
export function time(jobs: readonly Job[], rounds: number, secondsPerJob: number): Timing[] {
  const all: Samples[] = jobs.map((job) => ({ job, micros: [], perKb: [], outcome: 0 }));
  for (const samples of all) take(samples, secondsPerJob);
  for (const { micros, perKb } of all) {
    micros.length = 0;
    perKb.length = 0;
  }
  for (let round = 0; round < rounds; round += 1) for (const samples of all) take(samples, secondsPerJob);
  return all.map(timingOf);
}

/** All texts once at least, and again until the time is up. */
function take(samples: Samples, seconds: number): void {
  const { texts, run } = samples.job;
  const until = performance.now() + seconds * 1000;
  do {
    for (const text of texts) {
      const began = performance.now();
      samples.outcome += run(text);
      const micros = (performance.now() - began) * 1000;
      samples.micros.push(micros);
      samples.perKb.push(micros / (text.length / 1024));
    }
  } while (performance.now() < until);
}

function timingOf({ job: { work, kind, size }, micros, perKb, outcome }: Samples): Timing {
  const { p50, p99 } = spread(perKb);
  return {
    work,
    kind,
    size,
    samples: micros.length,
    p50: median(micros),
    worst: micros.reduce((most, one) => Math.max(most, one), 0),
    perKbP50: p50,
    perKbP99: p99,
    megabytesPerSecond: 1024 / p50,
    outcome,
  };
}

export function timingText(timings: readonly Timing[]): string {
  return table(
    ["work", "text", "size", "samples", "µs/KB", "p99", "MB/s", "÷ sum"],
    timings.map((timing) => [
      timing.work,
      timing.kind,
      String(timing.size),
      String(timing.samples),
      figure(timing.perKbP50, 2),
      figure(timing.perKbP99, 2),
      figure(timing.megabytesPerSecond),
      figure(timing.perKbP50 / (sumBeside(timings, timing) ?? Number.NaN), 1),
    ]),
  );
}

/** The plain sum over the same kind of text in the same run: what makes figures of two machines comparable. */
function sumBeside(timings: readonly Timing[], { kind }: Timing): number | undefined {
  return timings.find((timing) => timing.work === "sum" && timing.kind === kind)?.perKbP50;
}
