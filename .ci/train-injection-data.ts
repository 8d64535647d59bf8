import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "#core/json/json";
import type { Features } from "#scan/classifier";
import type { Origin } from "#scan/detector";
import { fold } from "#scan/fold/normalize";
import { Random } from "#test/eval/random";
import { HONEST_TOOLS, textsOfTool } from "#test/scan/honest/tools";
import { honestTraffic } from "#test/scan/honest/traffic";
import { APPEALS, ORDINARY } from "./train-injection-appeals";
import { ATTACK, type Grammar } from "./train-injection-grammar";
import { HARMLESS } from "./train-injection-harmless";
import { languageOf } from "./train-injection-language";
import { type Lesson, random } from "./train-injection-model";
import { sentences } from "./train-injection-orders";
import { ROLES } from "./train-injection-roles";
import { TONGUES } from "./train-injection-tongues";

/** A labelled text as a file has it. */
export type Labelled = {
  readonly file: string;
  /** The source it comes from, left out as a whole; null for what is in every training. */
  readonly group: string | null;
  readonly attack: boolean;
  readonly text: string;
  readonly language: string;
  readonly origin: Origin;
  /** What of it is learned, and as what. */
  readonly lessons: readonly Lesson[];
};

/** All texts that are attacks by their wording, or none; numbers, secrets and disguises are no measure of this. */
export function readLabelled(dirs: readonly string[], features: Features): Labelled[] {
  return dirs.flatMap((dir) =>
    readdirSync(dir)
      .filter((name) => name.endsWith(".jsonl") && name !== "evasion.jsonl")
      .sort()
      .flatMap((name) =>
        readFileSync(join(dir, name), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .flatMap((line, i) => labelled(name.replace(/\.jsonl$/, ""), JSON.parse(line), i, features)),
      ),
  );
}

function labelled(file: string, record: unknown, line: number, features: Features): Labelled[] {
  if (!isRecord(record) || typeof record.text !== "string" || typeof record.source !== "string") return [];
  const { text, source } = record;
  if (isRecord(record.meta) && record.meta.subset === "implicit") return [];
  const attack = record.kind === "injection" && record.label === "positive";
  // Numbers and secrets in short sentences are no attacks either, but there are thousands of them.
  if (!attack && UNMEASURED.test(file) && line % 3 !== 0) return [];
  const parts: readonly Part[] = file === "injection_authored_indirect" ? embedded(record) : [[attack, text]];
  return [
    {
      file,
      group: groupOf(file, source),
      attack,
      text,
      language: languageOf(text),
      origin: file.includes("indirect") ? "tool_result" : "user",
      lessons: parts.map(([bad, part]) => lesson(part, bad, weightOf(file, bad), features)),
    },
  ];
}

const UNMEASURED = /^(?:pii|secrets)_/;

/** Files whose sources are alike are left out as one. */
const AS_ONE: Readonly<Record<string, string>> = {
  benign_code_docs: "code and documentation",
  benign_mentions_of_attacks: "texts about attacks",
  benign_honest_train: "banking77, BFCL, FastAPI, xSID",
};

function groupOf(file: string, source: string): string | null {
  if (UNMEASURED.test(file)) return null;
  return AS_ONE[file] ?? source.split(/[:\s]/)[0] ?? source;
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

/** Some labels of these sets are matters of taste, and attacks buried in tables teach the tables. */
const ATTACK_WEIGHT: Readonly<Record<string, number>> = {
  injection_deepset: 0.5,
  injection_neuralchemy_train: 0.5,
  injection_slabs_train: 0.7,
};

function weightOf(file: string, attack: boolean): number {
  if (file === "injection_authored_indirect") return 0.5;
  return attack ? (ATTACK_WEIGHT[file] ?? 1) : 1.5;
}

/** How many texts of each grammar are written, and what they weigh. */
const GRAMMARS: readonly { grammar: Grammar; attack: boolean; count: number }[] = [
  { grammar: ATTACK, attack: true, count: 5000 },
  { grammar: TONGUES, attack: true, count: 2000 },
  { grammar: APPEALS, attack: true, count: 4000 },
  { grammar: HARMLESS, attack: false, count: 5500 },
  { grammar: ROLES, attack: false, count: 3000 },
  { grammar: ORDINARY, attack: false, count: 4000 },
];
const SENTENCES = 6000;
const HONEST = 3000;
const WRITTEN_WEIGHT = 0.5;
const SENTENCE_WEIGHT = 0.3;

/** Texts from the grammars, from the rules' words, and as honest agents send them. */
export function written(seed: number, features: Features): Lesson[] {
  const next = random(seed);
  const fromGrammars = GRAMMARS.flatMap(({ grammar, attack, count }) =>
    [...new Set(Array.from({ length: count }, () => write(grammar, next).replaceAll(/ +/g, " ").trim()))]
      .filter((text) => text !== "")
      .map((text) => lesson(text, attack, WRITTEN_WEIGHT, features)),
  );
  const { attacks, harmless } = sentences(SENTENCES, next);
  return [
    ...fromGrammars,
    ...attacks.map((text) => lesson(text, true, SENTENCE_WEIGHT, features)),
    ...harmless.map((text) => lesson(text, false, 2 * SENTENCE_WEIGHT, features)),
    ...honestTraffic(new Random(seed), HONEST).map(({ text }) => lesson(text, false, WRITTEN_WEIGHT, features)),
    ...HONEST_TOOLS.flatMap(textsOfTool).map((text) => lesson(text, false, WRITTEN_WEIGHT, features)),
  ];
}

function write(grammar: Grammar, next: () => number, name = "start"): string {
  const choices = grammar[name] ?? [];
  const chosen = choices[Math.floor(next() * choices.length)] ?? "";
  return chosen.replaceAll(/\{([a-z0-9]+)\}/g, (_, inner: string) => write(grammar, next, inner));
}
