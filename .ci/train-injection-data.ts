import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "#core/json/json";
import type { Features } from "#scan/classifier";
import type { Origin } from "#scan/detector";
import { fold } from "#scan/fold/normalize";
import { ATTACK, type Grammar } from "./train-injection-grammar";
import { HARMLESS } from "./train-injection-harmless";
import { type Lesson, random } from "./train-injection-model";
import { ROLES } from "./train-injection-roles";
import { TONGUES } from "./train-injection-tongues";

/** A labelled text as a file has it. */
export type Labelled = {
  readonly file: string;
  /** The repository it comes from: left out as a whole. */
  readonly group: string;
  readonly attack: boolean;
  readonly text: string;
  readonly origin: Origin;
  /** What of it is learned, and as what. */
  readonly lessons: readonly Lesson[];
};

/** All texts that are attacks by their wording, or none; numbers, secrets and disguises are no measure of this. */
export function readLabelled(dir: string, features: Features): Labelled[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith(".jsonl") && name !== "evasion.jsonl")
    .sort()
    .flatMap((name) =>
      readFileSync(join(dir, name), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .flatMap((line, i) => labelled(name.replace(/\.jsonl$/, ""), JSON.parse(line), i, features)),
    );
}

function labelled(file: string, record: unknown, line: number, features: Features): Labelled[] {
  if (!isRecord(record) || typeof record.text !== "string" || typeof record.source !== "string") return [];
  const { text, source } = record;
  if (isRecord(record.meta) && record.meta.subset === "implicit") return [];
  const attack = record.kind === "injection" && record.label === "positive";
  // Numbers and secrets in short sentences are no attacks either, but there are thousands of them.
  if (!attack && /^(?:pii|secrets)_/.test(file) && line % 3 !== 0) return [];
  const parts: readonly Part[] = file === "injection_authored_indirect" ? embedded(record) : [[attack, text]];
  return [
    {
      file,
      group: source.split(/[:\s]/)[0] ?? source,
      attack,
      text,
      origin: file.includes("indirect") ? "tool_result" : "user",
      lessons: parts.map(([bad, part]) => lesson(part, bad, weightOf(file, bad), features)),
    },
  ];
}

type Part = readonly [attack: boolean, text: string];

/** Units of a document that a passage with an attack in it may have on either side. */
const AROUND = 150;

/** An attack within a document: the attack is one, and the document without it is none. */
function embedded({ text, labels }: Readonly<Record<string, unknown>>): Part[] {
  const [label] = Array.isArray(labels) ? labels : [];
  if (typeof text !== "string" || !isRecord(label)) return [];
  const { start, end } = label;
  if (typeof start !== "number" || typeof end !== "number") return [];
  const without = `${text.slice(0, start)}${text.slice(end)}`;
  return [
    [true, text.slice(start, end)],
    [true, text.slice(Math.max(0, start - AROUND), end + AROUND)],
    [false, without],
    [false, without.slice(Math.max(0, start - 2 * AROUND), start + 2 * AROUND)],
  ];
}

export function lesson(text: string, attack: boolean, weight: number, features: Features): Lesson {
  features.read(fold(text).text);
  return { attack, weight, features: features.found.slice(0, features.count) };
}

/** Some labels of deepset's set are matters of taste, and attacks buried in tables teach the tables. */
function weightOf(file: string, attack: boolean): number {
  if (file === "injection_deepset" && attack) return 0.5;
  if (file === "injection_authored_indirect") return 0.5;
  return attack ? 1 : 1.5;
}

/** How many texts of each grammar are written, and what they weigh. */
const GRAMMARS: readonly { grammar: Grammar; attack: boolean; count: number }[] = [
  { grammar: ATTACK, attack: true, count: 4000 },
  { grammar: TONGUES, attack: true, count: 2000 },
  { grammar: HARMLESS, attack: false, count: 4000 },
  { grammar: ROLES, attack: false, count: 3000 },
];
const WRITTEN_WEIGHT = 0.5;

/** Texts from the grammars. */
export function written(seed: number, features: Features): Lesson[] {
  const next = random(seed);
  return GRAMMARS.flatMap(({ grammar, attack, count }) =>
    [...new Set(Array.from({ length: count }, () => write(grammar, next).replaceAll(/ +/g, " ").trim()))]
      .filter((text) => text !== "")
      .map((text) => lesson(text, attack, WRITTEN_WEIGHT, features)),
  );
}

function write(grammar: Grammar, next: () => number, name = "start"): string {
  const choices = grammar[name] ?? [];
  const chosen = choices[Math.floor(next() * choices.length)] ?? "";
  return chosen.replaceAll(/\{([a-z0-9]+)\}/g, (_, inner: string) => write(grammar, next, inner));
}
