import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { languageOf } from "./language";

/** A span that should be found; UTF-16 units of the text, `end` exclusive. */
export type Label = { readonly type: string; readonly start: number; readonly end: number; readonly subtype?: string };

/** One text with what is known about it. */
export type Sample = {
  readonly id: string;
  /** The file's name without `.jsonl`. */
  readonly file: string;
  readonly kind: "pii" | "secret" | "injection" | "benign";
  readonly positive: boolean;
  readonly text: string;
  /** A two-letter code, as the data says or as the text looks. */
  readonly lang: string;
  readonly labels: readonly Label[];
  readonly meta: JsonRecord;
};

const KINDS = ["pii", "secret", "injection", "benign"] as const;

/** Every `*.jsonl` of a folder in the order of names. Throws an Error that names the line which is no sample. */
export function readSamples(folder: string): Sample[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  if (files.length === 0) throw new Error(`${folder} has no *.jsonl file`);
  return files.sort().flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .flatMap((line, i) => (line.trim() === "" ? [] : sampleOf(line, name.replace(/\.jsonl$/, ""), i + 1))),
  );
}

function sampleOf(line: string, file: string, number: number): Sample {
  const json = parseJson(line);
  if (!isRecord(json)) throw new Error(`${file}:${number} is no JSON object`);
  const { id, text, labels, kind, label, meta, lang } = json;
  const known = KINDS.find((name) => name === kind);
  if (typeof id !== "string" || typeof text !== "string" || !Array.isArray(labels) || known === undefined) {
    throw new Error(`${file}:${number} lacks id, text, labels or a known kind`);
  }
  return {
    id,
    file,
    kind: known,
    positive: label === "positive",
    text,
    lang: typeof lang === "string" && lang !== "" ? lang : languageOf(text),
    labels: labels.map((it) => labelOf(it, text, `${file}:${number}`)),
    meta: isRecord(meta) ? meta : {},
  };
}

function labelOf(json: unknown, text: string, place: string): Label {
  if (!isRecord(json)) throw new Error(`${place}: a label is no object`);
  const { type, start, end, value, subtype } = json;
  if (typeof type !== "string" || typeof start !== "number" || typeof end !== "number") {
    throw new Error(`${place}: a label lacks type, start or end`);
  }
  if (typeof value === "string" && text.slice(start, end) !== value) throw new Error(`${place}: a label is misplaced`);
  return { type, start, end, ...(typeof subtype === "string" ? { subtype } : {}) };
}
