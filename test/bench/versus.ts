/*
 * `bun run bench versus`: this build beside another executable, or beside itself with other variables, in alternation in
 * front of the same upstream: what a change costs or saves. A pair is two hubs asked the same in the same round.
 */
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import type { Cell } from "./cell.ts";
import { hubText, type Target } from "./course.ts";
import { describeMachine, machineText } from "./machine.ts";
import { ModelCourse } from "./model-course.ts";
import { progress } from "./report.ts";
import { alternate } from "./rounds.ts";
import { isStream, MODEL_SHAPES, type ModelShape, titleOf } from "./shape.ts";
import { median, quantile } from "./stats.ts";
import { figure, megabytes, table } from "./table.ts";

const USAGE = `bun run bench versus --other '[VARIABLE=VALUE …] EXECUTABLE' … [--seconds N] [--rounds N] [--c 1,16,64]
                    [--only json,stream,paced] [--hubs N] [--data DIR]`;
const PACED_CONCURRENCY = 16;
const THIS = "this";

/** An executable, and the variables it is started with. */
type Other = { readonly name: string; readonly binary: string; readonly env: Readonly<Record<string, string>> };

type Settings = {
  readonly others: readonly Other[];
  readonly seconds: number;
  readonly rounds: number;
  readonly concurrencies: readonly number[];
  readonly shapes: readonly ModelShape[];
  /** Of each executable: where memory lies differs from start to start, and costs some percent. */
  readonly hubs: number;
  readonly within: string;
};

const readSettings = (args: readonly string[]): Settings => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      other: { type: "string", multiple: true, default: [] },
      seconds: { type: "string", default: "0.5" },
      rounds: { type: "string", default: "12" },
      c: { type: "string", default: "1,16,64" },
      only: { type: "string", default: "json,stream,paced" },
      hubs: { type: "string", default: "1" },
      data: { type: "string", default: tmpdir() },
    },
  });
  const [seconds, rounds, hubs] = [Number(values.seconds), Number(values.rounds), Number(values.hubs)];
  const concurrencies = values.c.split(",").map(Number);
  const shapes = values.only.split(",").filter(isModelShape);
  const isSound = [seconds, rounds, hubs, ...concurrencies].every((value) => value > 0);
  if (!isSound || shapes.length === 0 || values.other.length === 0) throw new Error(`usage: ${USAGE}`);
  return { others: values.other.map(otherOf), seconds, rounds, hubs, concurrencies, shapes, within: values.data };
};

const isModelShape = (name: string): name is ModelShape => Object.hasOwn(MODEL_SHAPES, name);

const otherOf = (text: string): Other => {
  const words = text.trim().split(/\s+/);
  const binary = words.at(-1) ?? "";
  const env = words.slice(0, -1).map((word) => {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) throw new Error(`usage: ${USAGE}`);
    return [name, value] as const;
  });
  if (binary === "") throw new Error(`usage: ${USAGE}`);
  return { name: text, binary, env: Object.fromEntries(env) };
};

const run = async ({ others, hubs, seconds, rounds, concurrencies, shapes, within }: Settings): Promise<void> => {
  console.log(`${machineText(describeMachine(within))}\n${hubText()}\n`);
  await using course = await ModelCourse.open({ within });
  await using stack = new AsyncDisposableStack();
  const targets: Target[] = [];
  for (let count = 0; count < hubs; count += 1) {
    const own = count === 0 ? course.targets.find(({ name }) => name === "hub-full") : undefined;
    targets.push({ ...(own ?? stack.use(await course.startHub("full"))), name: nameOf(THIS, count) });
    for (const { name, binary, env } of others)
      targets.push({ ...stack.use(await course.startHub("full", { binary, env })), name: nameOf(name, count) });
  }
  const cells: Cell[] = [];
  for (const shape of shapes) {
    const callers = shape === "paced" ? [PACED_CONCURRENCY] : concurrencies;
    const plan = { shapes: [shape], concurrencies: callers, targets, rounds, seconds, warmUp: "whole" } as const;
    cells.push(...(await alternate({ load: course.load, targets }, plan, progress)));
  }
  for (const shape of shapes) console.log(`${titleOf(shape)}\n${pairsText(cells, shape, others, hubs)}\n`);
};

const nameOf = (name: string, count: number): string => `${name} #${count + 1}`;

/** A line for each number of callers and each other executable: this build ÷ it, over all pairs. */
const pairsText = (cells: readonly Cell[], shape: ModelShape, others: readonly Other[], hubs: number): string => {
  const of = cells.filter((cell) => cell.shape === shape);
  const lines = [...new Set(of.map(({ concurrency }) => concurrency))].flatMap((concurrency) =>
    others.map((other) => {
      const pairs = of
        .filter((cell) => cell.concurrency === concurrency)
        .flatMap((cell) => {
          const count = Array.from({ length: hubs }, (_, at) => at).find((at) => cell.target === nameOf(THIS, at));
          if (count === undefined) return [];
          const beside = of.find(
            (one) =>
              one.concurrency === concurrency && one.round === cell.round && one.target === nameOf(other.name, count),
          );
          return beside === undefined ? [] : [{ mine: cell, other: beside }];
        });
      return pairLine(concurrency, other.name, pairs, isStream(shape));
    }),
  );
  const head = ["c", "other", "pairs", "CPU ÷", "quartiles", "µs", "other's", "/s ÷", "p50 ms", "other's"];
  return table([...head, ...(isStream(shape) ? ["1st text", "other's"] : []), "RSS MB", "other's", "errors"], lines);
};

type Pair = { readonly mine: Cell; readonly other: Cell };

const pairLine = (concurrency: number, name: string, pairs: readonly Pair[], streams: boolean): string[] => {
  const ratios = pairs
    .map(({ mine, other }) => (mine.cpuMicros ?? Number.NaN) / (other.cpuMicros ?? Number.NaN))
    .toSorted((a, b) => a - b);
  const middle = (side: keyof Pair, value: (cell: Cell) => number | undefined): number =>
    median(pairs.map((pair) => value(pair[side]) ?? Number.NaN));
  const both = (value: (cell: Cell) => number | undefined, digits: number): string[] =>
    (["mine", "other"] as const).map((side) => figure(middle(side, value), digits));
  const memory = (["mine", "other"] as const).map((side) => megabytes(middle(side, (cell) => cell.residentBytes)));
  const errors = pairs.flatMap(({ mine, other }) => [...Object.keys(mine.errors), ...Object.keys(other.errors)]);
  return [
    `${concurrency}`,
    name.split("/").slice(-3).join("/"),
    `${pairs.length}`,
    figure(median(ratios), 3),
    `${figure(quantile(ratios, 0.25), 2)} to ${figure(quantile(ratios, 0.75), 2)}`,
    ...both((cell) => cell.cpuMicros, 1),
    figure(median(pairs.map(({ mine, other }) => mine.perSecond / other.perSecond)), 3),
    ...both((cell) => cell.latency.p50, 2),
    ...(streams ? both((cell) => cell.firstText.p50, 2) : []),
    ...memory,
    [...new Set(errors)].join("; "),
  ];
};

export const VERSUS_BENCH = {
  usage: USAGE,
  run(args: readonly string[]): () => Promise<void> {
    const settings = readSettings(args);
    return () => run(settings);
  },
};
