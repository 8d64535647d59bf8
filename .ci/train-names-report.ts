import { readFileSync } from "node:fs";
import { isRecord } from "#core/json/json";
import type { Finding } from "#scan/detector";
import { taggedBy } from "#scan/detectors/personal/person";
import { compilePolicy } from "#scan/policy";
import { scanText } from "#scan/scan";
import type { TaggerModel } from "#scan/tagger/tagger";
import type { Sample } from "./train-names-made";

const KINDS = ["", "name", "place", "address"] as const;
const isKind = (label: number, { type }: Finding): boolean =>
  label === 1 ? type === "pii.person" : type === "pii.location" || type === "pii.address";

export const scannerOf = (model: TaggerModel): ((text: string) => readonly Finding[]) => {
  const policy = compilePolicy(
    { mode: "enforce", hold_back: 256, max_text: 1_000_000, rules: [{ type: "pii", thresholds: { flag: 0 } }] },
    1,
    [taggedBy(model)],
  );
  return (text) => scanText(policy, text, "user").findings;
};

type Row = { labels: number; found: number; findings: number; right: number };

/** Recall and precision by language and label. A finding of a place answers an address, and the other way round. */
export function measure(samples: readonly Sample[], scan: (text: string) => readonly Finding[], show = 0): void {
  const rows = new Map<string, Row>();
  const rowOf = (key: string): Row => {
    const row = rows.get(key) ?? { labels: 0, found: 0, findings: 0, right: 0 };
    rows.set(key, row);
    return row;
  };
  let shown = 0;
  const bins = new Map<string, { all: number; right: number }>();
  for (const { text, spans, tongue } of samples) {
    const findings = scan(text);
    for (const span of spans) {
      const found = findings.some((one) => isKind(span.label, one) && one.start < span.end && span.start < one.end);
      for (const key of [`${tongue} ${KINDS[span.label]}`, `all ${KINDS[span.label]}`]) {
        const row = rowOf(key);
        row.labels++;
        row.found += Number(found);
      }
      if (!found && shown++ < show)
        console.log("MISS", KINDS[span.label], text.slice(span.start, span.end), "|", text.slice(0, 150));
    }
    for (const one of findings) {
      const right = spans.some((span) => isKind(span.label, one) && one.start < span.end && span.start < one.end);
      const kind = one.type === "pii.person" ? "name" : one.type === "pii.location" ? "place" : "address";
      for (const key of [`${tongue} ${kind}`, `all ${kind}`]) {
        const row = rowOf(key);
        row.findings++;
        row.right += Number(right);
      }
      const bin = `${one.type} ${Math.floor(one.score * 20) / 20}`;
      const { all, right: before } = bins.get(bin) ?? { all: 0, right: 0 };
      bins.set(bin, { all: all + 1, right: before + Number(right) });
      if (!right && shown++ < show)
        console.log("WRONG", one.type, one.score, text.slice(one.start, one.end), "|", text.slice(0, 150));
    }
  }
  for (const [bin, { all, right }] of [...bins].sort()) console.log(`bin ${bin} ${all} ${(right / all).toFixed(2)}`);
  for (const [key, { labels, found, findings, right }] of [...rows].sort()) {
    const recall = found / labels;
    const precision = right / findings;
    const f1 = (2 * recall * precision) / (recall + precision);
    console.log(
      `${key.padEnd(14)} ${String(labels).padStart(6)} recall ${recall.toFixed(3)} precision ${precision.toFixed(3)} F1 ${f1.toFixed(3)}`,
    );
  }
}

const LABEL_TYPES: Readonly<Record<string, number>> = { PERSON: 1, LOCATION: 2, ADDRESS: 3 };

/** Labelled samples of a file, in one language. */
export function readSamples(file: string): Sample[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line): Sample[] => {
      const record: unknown = JSON.parse(line);
      if (!isRecord(record) || typeof record.text !== "string" || !Array.isArray(record.labels)) return [];
      const spans = record.labels.flatMap((label: unknown) => {
        if (!isRecord(label) || typeof label.type !== "string") return [];
        const { start, end } = label;
        const number = LABEL_TYPES[label.type];
        return number !== undefined && typeof start === "number" && typeof end === "number"
          ? [{ start, end, label: number }]
          : [];
      });
      return [{ text: record.text, spans, weak: false, tongue: "en", pattern: -1 }];
    });
}
