import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Features } from "#scan/classifier";
import { leftOutFigures } from "#test/eval/left-out";
import { leftOutText } from "#test/eval/left-out-tables";
import { verifies } from "#test/support/verifies";
import { readLabelled } from "../.ci/train-injection-data";
import { leaveOut } from "../.ci/train-injection-left-out";

const BITS = 12;
const NUMBERS = ["one", "two", "three", "four", "five", "six"];

type Line = { readonly source: string; readonly attack: boolean; readonly text: string };

/** Attacks in words that only their source has, and harmless texts of both sources. */
const LINES: readonly Line[] = NUMBERS.flatMap((number) => [
  { source: "first", attack: true, text: `zarf quindle ${number} brask mervot olpin and ${number} dran velk` },
  { source: "first", attack: false, text: `we bake ${number} loaves of bread with seeds on ${number} plates` },
  { source: "second", attack: true, text: `trelk ${number} vandip corrus hesk ompel and ${number} yurt grib` },
  { source: "second", attack: false, text: `the train leaves at ${number} from track ${number} to the coast` },
]);
/** The second source has copies of an attack of the first one. */
const COPIED: Line = { source: "second", attack: true, text: LINES[0]?.text ?? "" };

function leftOutOf(lines: readonly Line[]) {
  const folder = mkdtempSync(join(tmpdir(), "left-out-"));
  const records = lines.map(({ source, attack, text }, at) => ({
    id: `${at}`,
    text,
    labels: [],
    kind: attack ? "injection" : "benign",
    label: attack ? "positive" : "negative",
    source,
  }));
  writeFileSync(join(folder, "made.jsonl"), records.map((record) => JSON.stringify(record)).join("\n"));
  const texts = readLabelled([folder], new Features(BITS));
  rmSync(folder, { recursive: true });
  return leaveOut(texts, [], BITS, 1);
}

describe("sources left out", () => {
  test("a source is judged by a model that knows neither its words nor copies of them", () => {
    verifies("scan.evaluation-left-out");
    const left = leftOutOf([...LINES, COPIED]);
    const margin = ({ source, attack, text }: Line): number =>
      left.find((one) => one.text.group === source && one.text.text === text && one.text.attack === attack)?.margins
        .whole ?? Number.NaN;
    const own = LINES.filter(({ source, attack }) => source === "first" && attack);
    // The second source alone says nothing of these words: no attack is as sure as that source's own would be.
    const alone = leftOutOf(LINES);
    for (const line of own) {
      const without = alone.find(({ text }) => text.text === line.text)?.margins.whole;
      expect(margin(line)).toBe(without ?? Number.NaN);
    }
  });

  test("rows are given by source, origin and language, attacks and harmless texts apart, with intervals", () => {
    verifies("scan.evaluation-left-out");
    const figures = leftOutFigures(leftOutOf(LINES));
    expect(figures.sources.map(({ name, attacks, flagged }) => `${name} ${attacks} ${flagged.of}`).sort()).toEqual([
      "first false 6",
      "first true 6",
      "second false 6",
      "second true 6",
    ]);
    expect(figures.origins.map(({ name }) => name)).toEqual(["user", "user"]);
    expect(figures.all.map(({ flagged }) => flagged.of)).toEqual([12, 12]);
    expect(figures.scores.reduce((sum, { texts }) => sum + texts, 0)).toBe(24);
    const { low, high } = figures.betweenSources;
    expect(low <= high).toBe(true);
    const text = leftOutText(figures);
    for (const head of ["source", "origin", "language", "score"]) expect(text.toLowerCase()).toContain(`\n${head} `);
  });
});
