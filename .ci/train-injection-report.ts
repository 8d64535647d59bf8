import type { Calibration, LinearModel, Margins } from "#scan/classifier";
import { Classifier } from "#scan/classifier";
import { DEFAULT_POLICY } from "#scan/defaults";
import type { Detector } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { classifierOf } from "#scan/detectors/injection-classifier";
import { fold } from "#scan/fold/normalize";
import { type CompiledPolicy, compilePolicy, isEnforced } from "#scan/policy";
import { scanText } from "#scan/scan";
import type { Labelled } from "./train-injection-data";
import { type Lesson, quantised, train } from "./train-injection-model";

/** False alarms among sources left out decide what a score means: 0.5 at the first share, 0.9 at the second. */
const WHOLE = { flag: 0.006, block: 0.001 };
const PASSAGE = { flag: 0.002, block: 0.0004 };
const UNCALIBRATED: Calibration = { slope: 1, offset: 0 };

/** A text with what a model that has seen nothing of its source makes of it. */
export type LeftOut = { readonly text: Labelled; readonly model: LinearModel; readonly margins: Margins };

/** Each source judged by a model that has seen none of it. */
export function leaveOut(texts: readonly Labelled[], made: readonly Lesson[], bits: number, seed: number): LeftOut[] {
  return [...new Set(texts.map(({ group }) => group))].flatMap((group) => {
    const lessons = texts.filter((text) => text.group !== group).flatMap((text) => text.lessons);
    const model = withoutMeaning(quantised(train([...lessons, ...made], bits, seed), bits));
    const classifier = new Classifier(model);
    return texts
      .filter((text) => text.group === group)
      .map((text) => ({ text, model, margins: classifier.margins(fold(text.text).text) }));
  });
}

const withoutMeaning = (weights: Omit<LinearModel, "whole" | "passage">): LinearModel => ({
  ...weights,
  whole: UNCALIBRATED,
  passage: UNCALIBRATED,
});

/** What margins mean, from the harmless texts among those left out. */
export function calibrate(all: readonly LeftOut[]): Pick<LinearModel, "whole" | "passage"> {
  const harmless = all.filter(({ text }) => !text.attack && isMeasured(text));
  return {
    whole: between(
      WHOLE,
      harmless.map(({ margins }) => margins.whole),
    ),
    passage: between(
      PASSAGE,
      harmless.map(({ margins }) => margins.passage ?? Number.NEGATIVE_INFINITY),
    ),
  };
}

function between(shares: { flag: number; block: number }, margins: number[]): Calibration {
  margins.sort((one, other) => other - one);
  const flag = margins[Math.floor(shares.flag * margins.length)] ?? 0;
  const block = margins[Math.floor(shares.block * margins.length)] ?? 0;
  const slope = Math.log(9) / Math.max(block - flag, 0.1);
  return { slope, offset: -slope * flag };
}

const isMeasured = ({ file }: Labelled): boolean => /^benign|^injection/.test(file) && !/mentions/.test(file);

type Row = { texts: number; rules: number; model: number; both: number; blocked: number };

/** Prints what rules and model find and wrongly flag in each source, the model having seen nothing of it. */
export function report(all: readonly LeftOut[]): void {
  const ruled = DETECTORS.filter(({ id }) => id !== "injection.classifier");
  const rules = compilePolicy(DEFAULT_POLICY, 1, ruled);
  const rows = new Map<string, Row>();
  for (const group of new Set(all.map(({ text }) => text.group))) {
    const own = all.filter(({ text }) => text.group === group);
    const others = calibrate(all.filter(({ text }) => text.group !== group));
    const model = own[0]?.model;
    if (!model) continue;
    const detector = classifierOf({ ...model, ...others });
    const both = compilePolicy(DEFAULT_POLICY, 1, [...ruled, detector]);
    for (const { text } of own) count(rows, text, rules, both, detector);
  }
  console.log("   texts   rules   model    both blocked");
  for (const [key, row] of [...rows].sort()) {
    const shares = [row.rules, row.model, row.both, row.blocked].map((n) => `${((100 * n) / row.texts).toFixed(1)} %`);
    console.log(`${String(row.texts).padStart(8)} ${shares.map((share) => share.padStart(7)).join(" ")}  ${key}`);
  }
}

function count(
  rows: Map<string, Row>,
  text: Labelled,
  rules: CompiledPolicy,
  both: CompiledPolicy,
  model: Detector,
): void {
  const actions = (policy: CompiledPolicy) =>
    scanText(policy, text.text, text.origin)
      .findings.filter(({ category }) => category === "injection")
      .map(({ action }) => action);
  const byBoth = actions(both);
  const score = model.whole?.score(fold(text.text).text) ?? 0;
  const add = (key: string): void => {
    const row = rows.get(key) ?? { texts: 0, rules: 0, model: 0, both: 0, blocked: 0 };
    row.texts++;
    row.rules += Number(actions(rules).length > 0);
    row.model += Number(both.judge(text.origin, model.id, score) !== "allow");
    row.both += Number(byBoth.length > 0);
    row.blocked += Number(byBoth.some(isEnforced));
    rows.set(key, row);
  };
  const kind = text.attack ? "found" : "false alarms";
  add(`${kind}: ${text.file}, ${text.group}`);
  if (isMeasured(text)) add(`${kind}: all measured`);
}
