/** How much the hub costs on top of a bare relay: the road of a chat call, measured from outside. */

import type { Cell, Shape } from "./cell.ts";
import { Course, hubText } from "./course.ts";
import { describeMachine, machineText } from "./machine.ts";
import { openStreams, openText } from "./open-streams.ts";
import type { Options, Section } from "./options.ts";
import { alternate } from "./rounds.ts";
import { measureIdle, measureStarts } from "./starting.ts";
import { summarise, summaryText } from "./summary.ts";
import { figure, megabytes } from "./table.ts";
import { judge, type Measured, verdictText } from "./targets.ts";

const PACED_CONCURRENCY = 64;

export async function benchProxy(options: Options): Promise<void> {
  const machine = describeMachine(options.within);
  console.log(`${machineText(machine)}\n${hubText()}\n`);
  const wanted = (section: Section): boolean => options.only.includes(section);

  // Before the rest: nothing else of the bench runs beside these.
  const starts = wanted("start") ? await measureStarts(options.quick ? 3 : 7, options.within) : undefined;
  const idleBytes = wanted("idle") ? await measureIdle(5, options.within) : undefined;
  const { cells, open } = await onCourse(options, wanted);

  const rows = summarise(cells);
  const measured: Measured = { rows, open, idleBytes, starts };
  const verdicts = judge(measured);
  for (const shape of ["json", "stream", "paced"] as const) {
    if (rows.some((row) => row.shape === shape)) console.log(`${TITLES[shape]}\n${summaryText(rows, shape)}\n`);
  }
  if (open) console.log(`open streams: memory of the hub in MB\n${openText(open)}\n`);
  if (idleBytes) console.log(`idle: ${megabytes(idleBytes)} MB, 5 s after the start\n`);
  if (starts) console.log(`start to first answer: ${startText(starts.first, starts.later)}\n`);
  console.log(verdictText(verdicts));
  if (options.quick) console.log("\nA quick run: good for seeing a large change, not for quoting a figure.");
  if (options.json !== undefined) {
    const all = { machine, hub: hubText(), options, verdicts, rows, open, idleBytes, starts, cells };
    await Bun.write(options.json, `${JSON.stringify(all, undefined, 2)}\n`);
  }
}

const TITLES: Readonly<Record<Shape, string>> = {
  json: "whole answers",
  stream: "streams of 64 tokens, sent at once",
  paced: "streams of 64 tokens, 2 ms apart",
};

async function onCourse(options: Options, wanted: (section: Section) => boolean) {
  const { quick, seconds, rounds, concurrencies } = options;
  const shapes = (["json", "stream"] as const).filter(wanted);
  const cells: Cell[] = [];
  if (shapes.length === 0 && !wanted("paced") && !wanted("open")) return { cells, open: undefined };

  await using course = await Course.open(options);
  const warmUpSeconds = quick ? 0.5 : 1.5;
  if (shapes.length > 0) {
    const plan = { shapes, concurrencies, targets: course.targets, rounds, seconds, warmUpSeconds };
    cells.push(...(await alternate(course, plan, progress)));
  }
  if (wanted("paced")) {
    const targets = course.targets.filter(({ name }) => name !== "hub-normal");
    const pace = { rounds: quick ? 1 : 3, seconds: quick ? 2 : 4, warmUpSeconds: quick ? 0.5 : 1 };
    const plan = { shapes: ["paced" as const], concurrencies: [PACED_CONCURRENCY], targets, ...pace };
    cells.push(...(await alternate(course, plan, progress)));
  }
  if (!wanted("open")) return { cells, open: undefined };
  const [streams, watchSeconds] = quick ? [500, 6] : [2_000, 30];
  progress(`open: ${streams} streams`);
  return { cells, open: await openStreams(course, streams, watchSeconds) };
}

function startText(first: number, later: readonly number[]): string {
  return `${figure(first)} ms on an empty data directory, then ${later.map((ms) => figure(ms)).join(", ")} ms`;
}

/** To stderr, so that stdout holds the report alone. */
function progress(text: string): void {
  console.error(text);
}
