/*
 * Trains the model behind `injection.classifier`: `bun .ci/train-injection.ts DIR --seed 1` reads the labelled texts
 * of DIR, adds texts from two grammars, prints figures for sources left out, and writes the weights.
 * `--dry` writes nothing. The same data and seed give the same weights.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isRecord } from "#core/json";
import { Features, type LinearModel } from "#core/scan/classifier";
import { fold } from "#core/scan/normalize";
import { ATTACK, type Grammar } from "./train-injection-grammar";
import { HARMLESS } from "./train-injection-harmless";

const BITS = 16;
const ROUNDS = 5;
const GENERATED = 4000;
const OUTPUT = join(import.meta.dir, "../src/core/scan/classifier-weights.ts");

type Sample = {
  readonly group: string;
  readonly file: string;
  readonly attack: boolean;
  readonly weight: number;
  readonly features: Int32Array;
  readonly text: string;
};

/** A small generator, so that a seed says everything (mulberry32's recurrence). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function write(grammar: Grammar, next: () => number, name = "start"): string {
  const choices = grammar[name] ?? [];
  const chosen = choices[Math.floor(next() * choices.length)] ?? "";
  return chosen.replaceAll(/\{([a-z0-9]+)\}/g, (_, inner: string) => write(grammar, next, inner));
}

const features = new Features(BITS);
function sample(group: string, file: string, attack: boolean, weight: number, text: string): Sample {
  const folded = fold(text).text;
  features.read(folded);
  return { group, file, attack, weight, features: features.found.slice(0, features.count), text };
}

/** What is used of the data: attacks by wording, and harmless texts of all kinds. */
function read(dir: string): Sample[] {
  const samples: Sample[] = [];
  for (const file of readdirSync(dir).sort()) {
    const name = file.replace(/\.jsonl$/, "");
    if (!file.endsWith(".jsonl") || name === "evasion") continue;
    for (const line of readFileSync(join(dir, file), "utf8").split("\n")) {
      if (line === "") continue;
      const record: unknown = JSON.parse(line);
      if (!isRecord(record) || typeof record.text !== "string" || typeof record.source !== "string") continue;
      const implicit = isRecord(record.meta) && record.meta.subset === "implicit";
      const attack = record.kind === "injection" && record.label === "positive";
      if (implicit) continue;
      // Numbers and secrets in short sentences are no attacks either, but there are thousands of them.
      if (!attack && (name.startsWith("pii_") || name.startsWith("secrets_")) && samples.length % 3 !== 0) continue;
      const group = groupOf(record.source);
      const whole: readonly (readonly [boolean, string])[] = [[attack, record.text]];
      for (const [part, text] of name === "injection_authored_indirect" ? parts(record) : whole)
        samples.push(sample(group, name, part, weightOf(name, part), text));
    }
  }
  return samples;
}

/** An attack within a document: the attack is one, and the document without it is none. */
function parts({ text, labels }: Readonly<Record<string, unknown>>): (readonly [boolean, string])[] {
  const [label] = Array.isArray(labels) ? labels : [];
  if (typeof text !== "string" || !isRecord(label)) return [];
  const { start, end } = label;
  if (typeof start !== "number" || typeof end !== "number") return [];
  return [
    [true, text.slice(start, end)],
    [false, `${text.slice(0, start)}${text.slice(end)}`],
  ];
}

const groupOf = (source: string): string => source.split(/[:\s]/)[0] ?? source;

/** Some labels of deepset's set are matters of taste, and attacks buried in tables teach the tables. */
function weightOf(file: string, attack: boolean): number {
  if (file === "injection_deepset" && attack) return 0.5;
  if (file === "injection_authored_indirect") return 0.5;
  return attack ? 1 : 1.5;
}

function generated(seed: number): Sample[] {
  const next = random(seed);
  const of = (grammar: Grammar, attack: boolean): Sample[] =>
    [...new Set(Array.from({ length: GENERATED }, () => write(grammar, next).replaceAll(/ +/g, " ").trim()))]
      .filter((text) => text !== "")
      .map((text) => sample("grammar", attack ? "grammar_attack" : "grammar_harmless", attack, 0.5, text));
  return [...of(ATTACK, true), ...of(HARMLESS, false)];
}

type Trained = { readonly weights: Float64Array; readonly bias: number };

function shuffle(order: number[], next: () => number): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
}

/** Logistic regression by AdaGrad, with a pull towards zero. */
function train(samples: readonly Sample[], seed: number): Trained {
  const next = random(seed);
  const weights = new Float64Array(1 << BITS);
  const squares = new Float64Array(1 << BITS).fill(1e-3);
  const order = samples.map((_, i) => i);
  let bias = 0;
  let biasSquares = 1e-3;
  for (let round = 0; round < ROUNDS; round++) {
    shuffle(order, next);
    for (const at of order) {
      const one = samples[at];
      if (!one || one.features.length === 0) continue;
      const value = 1 / Math.sqrt(one.features.length);
      const error = (1 / (1 + Math.exp(-margin(one, { weights, bias }))) - (one.attack ? 1 : 0)) * one.weight;
      for (const k of one.features) {
        const slope = error * value + DECAY * (weights[k] ?? 0);
        squares[k] = (squares[k] ?? 0) + slope * slope;
        weights[k] = (weights[k] ?? 0) - (RATE * slope) / Math.sqrt(squares[k] ?? 1);
      }
      biasSquares += error * error;
      bias -= (RATE * error) / Math.sqrt(biasSquares);
    }
  }
  return { weights, bias };
}
const RATE = 0.3;
const DECAY = 2e-5;

function margin({ features }: { features: Int32Array }, { weights, bias }: Trained): number {
  let sum = 0;
  for (const k of features) sum += weights[k] ?? 0;
  return features.length === 0 ? bias : sum / Math.sqrt(features.length) + bias;
}

/** Each source judged by a model that has seen none of it. */
function leftOut(samples: readonly Sample[], made: readonly Sample[], seed: number): Map<Sample, number> {
  const margins = new Map<Sample, number>();
  for (const group of new Set(samples.map((one) => one.group))) {
    const model = train([...samples.filter((one) => one.group !== group), ...made], seed);
    for (const one of samples) if (one.group === group) margins.set(one, margin(one, model));
  }
  return margins;
}

const harmless = (file: string): boolean => /^benign|^injection/.test(file) && !/mentions/.test(file);

/** The margin that this share of harmless texts reaches. */
function marginAt(margins: ReadonlyMap<Sample, number>, share: number): number {
  const all = [...margins].filter(([one]) => !one.attack && harmless(one.file)).map(([, m]) => m);
  all.sort((one, other) => other - one);
  return all[Math.floor(share * all.length)] ?? 0;
}

function report(margins: ReadonlyMap<Sample, number>, levels: readonly (readonly [string, number])[]): void {
  const groups = new Map<string, number[]>();
  for (const [{ file, group, attack }, at] of margins) {
    const key = `${attack ? "found" : "false alarms"} ${file} ${group}`;
    groups.set(key, [...(groups.get(key) ?? []), at]);
  }
  for (const [key, all] of [...groups].sort()) {
    const shares = levels.map(
      ([, level]) => `${((100 * all.filter((m) => m >= level).length) / all.length).toFixed(1)} %`,
    );
    console.log(`${String(all.length).padStart(5)}  ${shares.map((s) => s.padStart(7)).join(" ")}  ${key}`);
  }
}

function quantised({ weights, bias }: Trained): Pick<LinearModel, "bits" | "weights" | "scale" | "bias"> {
  const most = weights.reduce((top, weight) => Math.max(top, Math.abs(weight)), 0);
  const scale = most / 127;
  const bytes = Int8Array.from(weights, (weight) => Math.round(weight / scale));
  return { bits: BITS, weights: Buffer.from(bytes.buffer).toString("base64"), scale, bias };
}

/** False alarms among sources left out decide what a score means: 0.5 at the first share, 0.9 at the second. */
const FLAG_SHARE = 0.01;
const BLOCK_SHARE = 0.001;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, dry: { type: "boolean", default: false } },
});
const seed = Number(values.seed);
const samples = read(positionals[0] ?? ".");
const made = generated(seed);
console.log(`${samples.length} texts read, ${made.length} written`);
const margins = leftOut(samples, made, seed);
const levels: readonly (readonly [string, number])[] = [
  ["flag", marginAt(margins, FLAG_SHARE)],
  ["block", marginAt(margins, BLOCK_SHARE)],
];
console.log(levels);
report(margins, levels);
if (!values.dry) {
  const flagAt = marginAt(margins, FLAG_SHARE);
  const blockAt = marginAt(margins, BLOCK_SHARE);
  const slope = Math.log(9) / (blockAt - flagAt);
  const model: LinearModel = { ...quantised(train([...samples, ...made], seed)), slope, offset: -slope * flagAt };
  writeFileSync(
    OUTPUT,
    `import type { LinearModel } from "./classifier";\n\n/** Written by .ci/train-injection.ts; docs/injection-model.md is its model card. */\nexport const INJECTION_MODEL: LinearModel = ${JSON.stringify(model, null, 2)};\n`,
  );
}
