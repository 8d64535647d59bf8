/** What a bench measured in a form that can be compared between runs: ratios to a baseline of the same run, and counts. */
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Verdict } from "./bar.ts";
import { isStream, titleOf } from "./shape.ts";
import type { Row } from "./summary.ts";
import { figure, table } from "./table.ts";

const FigureSchema = Type.Object({
  /** The same in every run; no two of one bench are alike. */
  name: Type.String(),
  value: Type.Number(),
  better: Type.Union([Type.Literal("higher"), Type.Literal("lower")]),
});

/** All figures of a run, by bench, and what they were measured of. */
const FiguresSchema = Type.Object({
  commit: Type.String(),
  date: Type.String(),
  machine: Type.String(),
  benches: Type.Record(Type.String(), Type.Array(FigureSchema)),
});

export type Figure = (typeof FigureSchema)["static"];
export type Figures = (typeof FiguresSchema)["static"];

/** Runs differ by so much without any change of the code. */
const NOISE = 0.1;

export const lowerIsBetter = (name: string, value: number | undefined): Figure[] => figureOf(name, value, "lower");
export const higherIsBetter = (name: string, value: number | undefined): Figure[] => figureOf(name, value, "higher");

const figureOf = (name: string, value: number | undefined, better: Figure["better"]): Figure[] =>
  value === undefined || !Number.isFinite(value) ? [] : [{ name, value, better }];

/** What was held against targets. */
export const figuresOfVerdicts = (verdicts: readonly Verdict[]): Figure[] =>
  verdicts.flatMap(({ name, value, better }) => figureOf(name, value ?? undefined, better));

/** Each hub's rows as ratios to the bare relay. */
export const figuresOfRows = (rows: readonly Row[]): Figure[] =>
  rows
    .filter(({ target }) => target.startsWith("hub"))
    .flatMap((row) => {
      const where = `${titleOf(row.shape)}, ${row.target}, c=${row.concurrency}`;
      return [
        ...lowerIsBetter(`${where}: CPU ÷ relay`, row.cpuToPass),
        ...higherIsBetter(`${where}: answers/s ÷ relay`, row.toPass),
        ...(isStream(row.shape) ? lowerIsBetter(`${where}: added time to first text, ms`, row.addedFirstText) : []),
      ];
    });

/** Without what was said before under the same name. */
export const distinct = (figures: readonly Figure[]): Figure[] =>
  [...new Map(figures.toReversed().map((one) => [one.name, one])).values()].reverse();

/** Reads the `figures` of what a bench wrote. Throws where there are none. */
export const figuresIn = (written: unknown): Figure[] =>
  Value.Decode(Type.Object({ figures: Type.Array(FigureSchema) }), written).figures;

/** Reads what `bench all --json` wrote. Throws on anything else. */
export const parseFigures = (text: string): Figures => Value.Decode(FiguresSchema, JSON.parse(text));

export type Change = "slower" | "faster" | "same" | "new" | "gone";
export type Compared = {
  readonly bench: string;
  readonly name: string;
  readonly before: number | undefined;
  readonly now: number | undefined;
  readonly change: Change;
};

/** Every figure of either run: first what became slower, then what was not measured any more. */
export const compare = (before: Figures, now: Figures): Compared[] => {
  const benches = new Set([...Object.keys(now.benches), ...Object.keys(before.benches)]);
  const all = [...benches].flatMap((bench) => {
    // A bench that was left out this time says nothing of its figures.
    const ran = now.benches[bench];
    if (ran === undefined) return [];
    const earlier = before.benches[bench] ?? [];
    const names = new Set([...ran, ...earlier].map(({ name }) => name));
    return [...names].map((name): Compared => {
      const [one, other] = [earlier, ran].map((list) => list.find((found) => found.name === name));
      return { bench, name, before: one?.value, now: other?.value, change: changeOf(one, other) };
    });
  });
  const order: readonly Change[] = ["slower", "gone", "new", "faster", "same"];
  return order.flatMap((change) => all.filter((compared) => compared.change === change));
};

const changeOf = (before: Figure | undefined, now: Figure | undefined): Change => {
  if (before === undefined) return "new";
  if (now === undefined) return "gone";
  const grown = now.value - before.value;
  if (Math.abs(grown) <= NOISE * Math.abs(before.value)) return "same";
  return grown > 0 === (now.better === "lower") ? "slower" : "faster";
};

export const comparisonText = (before: Figures, now: Figures): string => {
  const compared = compare(before, now);
  const rows = compared.map(({ bench, name, before: then, now: value, change }) => {
    const ratio = then === undefined || value === undefined || then === 0 ? undefined : value / then;
    return [`${bench}: ${name}`, figure(then, 2), figure(value, 2), figure(ratio, 2), change];
  });
  const count = (change: Change) => compared.filter((one) => one.change === change).length;
  return [
    `before: ${before.commit}, ${before.date}, ${before.machine}`,
    `now:    ${now.commit}, ${now.date}, ${now.machine}`,
    "",
    table(["figure", "before", "now", "now ÷ before", ""], rows),
    "",
    `${count("slower")} slower by more than ${NOISE * 100} %, ${count("faster")} faster, ${count("same")} the same`,
  ].join("\n");
};
