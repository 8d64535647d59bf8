/*
 * `bun run bench parts`: what the parts of a guarding gateway cost by themselves, each in its least form and added one by
 * one, beside the bare relay and the hub in the same rounds. The least that all of them cost together is the floor for
 * the hub on this runtime; what lies between that and the hub is provenance, tuning, redaction, errors, retries, metrics
 * and traces.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Cell } from "./cell.ts";
import { Child } from "./child.ts";
import type { Course, Target } from "./course.ts";
import { ModelCourse } from "./model-course.ts";
import type { Flags, Options } from "./options.ts";
import { opening, progress, report } from "./report.ts";
import { alternate } from "./rounds.ts";
import type { Shape } from "./shape.ts";
import { summarise } from "./summary.ts";
import { ToolCourse } from "./tool-course.ts";

const SECTIONS = ["json", "stream", "paced", "call"] as const;
type Section = (typeof SECTIONS)[number];

export const PARTS_FLAGS: Flags<Section> = {
  bench: "parts",
  sections: SECTIONS,
  full: { seconds: "1.5", rounds: "4", c: "1,16,64" },
  quick: { seconds: "0.5", rounds: "2", c: "16,64" },
};

/** What a bare gateway is told to do besides passing on, by the name it has in the table. */
const BARE = {
  glue: "",
  "glue+scan": "scan",
  "glue+record": "record",
  "+scan+record": "scan,record",
  "+scan+audit": "scan,audit",
  "+walk+audit": "scan,walk,audit",
  "+call+walk+audit": "scan,walk,audit,call",
} as const;

const PACED = [16];
const BARE_TOKEN = "bare-token";

export async function benchParts(options: Options<Section>): Promise<void> {
  const machine = opening(options);
  const { only, concurrencies } = options;
  const cells: Cell[] = [];
  const shapes = (["json", "stream"] as const).filter((shape) => only.includes(shape));
  if (shapes.length > 0 || only.includes("paced")) {
    await using course = await ModelCourse.open(options);
    cells.push(...(await besideBare(course, shapes, concurrencies, options)));
    if (only.includes("paced")) cells.push(...(await besideBare(course, ["paced"], PACED, options)));
  }
  if (only.includes("call")) {
    await using course = await ToolCourse.open(options.within);
    const few = concurrencies.filter((count) => count <= 16);
    cells.push(...(await besideBare(course, ["call"], few, options)));
  }
  const rows = summarise(cells);
  await report(options, { machine, rows, cells }, [], []);
}

/** The hub, the bare relay, and gateways of bare parts in front of the same upstream. */
async function besideBare(
  { load, targets }: Course,
  shapes: readonly Shape[],
  concurrencies: readonly number[],
  { seconds, rounds, quick, within }: Options<Section>,
): Promise<Cell[]> {
  const [upstream, pass, hub] = ["direct", "pass", "hub-full"].map((name) => targets.find((one) => one.name === name));
  if (upstream === undefined || pass === undefined || hub === undefined) throw new Error("no upstream, relay or hub");
  const folder = mkdtempSync(join(within, "guardhouse-bench-parts-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true }));
  const base = originOf(upstream, shapes);
  const bare: Target[] = [];
  for (const [name, parts] of Object.entries(BARE)) {
    const dataDir = join(folder, `${bare.length}`);
    mkdirSync(dataDir);
    const child = stack.use(await Child.start("bare-gateway.ts", base, BARE_TOKEN, parts, dataDir));
    const endpoint = (shape: Shape) => ({
      ...upstream.endpoint(shape),
      url: child.url + pathOf(upstream, shape),
      token: BARE_TOKEN,
    });
    bare.push({ name, endpoint, pid: child.pid });
  }
  const plan = { shapes, concurrencies, rounds, seconds, warmUp: quick ? "tenth" : "whole" } as const;
  const compared = [pass, ...bare, hub];
  return await alternate({ load, targets: compared }, { ...plan, targets: compared }, progress);
}

const originOf = (target: Target, [shape]: readonly Shape[]): string =>
  shape === undefined ? "" : new URL(target.endpoint(shape).url).origin;
const pathOf = (target: Target, shape: Shape): string => new URL(target.endpoint(shape).url).pathname;
