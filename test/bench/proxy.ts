/** How much the hub costs on top of a bare relay: a model call, measured from outside. */

import { judge } from "./bar.ts";
import type { Cell } from "./cell.ts";
import { ModelCourse } from "./model-course.ts";
import { openStreams, openText } from "./open-streams.ts";
import type { Flags, Options } from "./options.ts";
import { measurePromptScans, promptScanText } from "./prompt-scans.ts";
import { opening, progress, report } from "./report.ts";
import { alternate } from "./rounds.ts";
import { inApi } from "./shape.ts";
import { measureIdle, measureStarts } from "./starting.ts";
import { summarise } from "./summary.ts";
import { figure, megabytes } from "./table.ts";
import { type Measured, PROXY_BARS } from "./targets.ts";

/** With 64 the hub is asked for more events than one thread serves, and the wait for its turn is measured. */
const PACED_CONCURRENCY = 16;

/** New prompts that are scanned, after as many to warm up. */
const PROMPTS = 20_000;

const SECTIONS = ["json", "stream", "paced", "prompt", "open", "idle", "start"] as const;
type Section = (typeof SECTIONS)[number];

export const PROXY_FLAGS: Flags<Section> = {
  bench: "proxy",
  sections: SECTIONS,
  full: { seconds: "2", rounds: "4", c: "1,16,64" },
  quick: { seconds: "0.5", rounds: "2", c: "16,64" },
};

export async function benchProxy(options: Options<Section>): Promise<void> {
  const machine = opening(options);
  const wanted = (section: Section): boolean => options.only.includes(section);

  // Before the rest: nothing else of the bench runs beside these.
  const starts = wanted("start") ? await measureStarts(options.quick ? 3 : 7, options.within) : undefined;
  const idleBytes = wanted("idle") ? await measureIdle(5, options.within) : undefined;
  const { cells, prompts, open } = await onCourse(options, wanted);

  const rows = summarise(cells);
  const measured: Measured = { rows, prompts, open, idleBytes, starts };
  const texts = [
    prompts && promptScanText(prompts),
    open && `open streams: memory of the hub in MB\n${openText(open)}\n`,
    idleBytes && `idle: ${megabytes(idleBytes)} MB, 5 s after the start\n`,
    starts && `start to first answer: ${startText(starts.first, starts.later)}\n`,
  ];
  await report(options, { machine, ...measured, cells }, texts, judge(PROXY_BARS, measured));
}

async function onCourse(options: Options<Section>, wanted: (section: Section) => boolean) {
  const { quick, seconds, rounds, concurrencies } = options;
  const kinds = (["json", "stream"] as const).filter(wanted);
  const shapes = options.apis.flatMap((api) => kinds.map((kind) => inApi(kind, api)));
  const cells: Cell[] = [];
  const needed = ["paced", "prompt", "open"] as const;
  if (shapes.length === 0 && !needed.some(wanted)) return { cells, prompts: undefined, open: undefined };

  await using course = await ModelCourse.open(options);
  const warmUp = quick ? "tenth" : "whole";
  if (shapes.length > 0) {
    const plan = { shapes, concurrencies, targets: course.targets, rounds, seconds, warmUp } as const;
    cells.push(...(await alternate(course, plan, progress)));
  }
  if (wanted("paced")) {
    const targets = course.targets.filter(({ name }) => name !== "hub-normal");
    const pace = { rounds: quick ? 1 : 3, seconds: quick ? 2 : 4, warmUp } as const;
    const plan = { shapes: ["paced" as const], concurrencies: [PACED_CONCURRENCY], targets, ...pace };
    cells.push(...(await alternate(course, plan, progress)));
  }
  const prompts = wanted("prompt") ? await measurePromptScans(course, PROMPTS / (quick ? 10 : 1)) : undefined;
  if (!wanted("open")) return { cells, prompts, open: undefined };
  const [streams, watchSeconds] = quick ? [500, 6] : [2_000, 30];
  progress(`open: ${streams} streams`);
  return { cells, prompts, open: await openStreams(course, streams, watchSeconds) };
}

function startText(first: number, later: readonly number[]): string {
  return `${figure(first)} ms on an empty data directory, then ${later.map((ms) => figure(ms)).join(", ")} ms`;
}
