import type { Calibration, LinearModel, Margins } from "#scan/classifier";
import { Classifier } from "#scan/classifier";
import { fold } from "#scan/fold/normalize";
import type { Labelled } from "./train-injection-data";
import { type Lesson, quantised, train } from "./train-injection-model";
import { Copies } from "./train-injection-shingles";

/** What a score means is said of a mix in which one text of ten is an attack. A source counts by the root of its size. */
const ATTACKS = 0.1;
const NEWTON_STEPS = 60;
const MAX_STEP = 0.3;
const UNCALIBRATED: Calibration = { slope: 1, offset: 0 };

/** A text with what a model that has seen nothing of its source makes of it. */
export type LeftOut = { readonly text: Labelled; readonly model: LinearModel; readonly margins: Margins };

/** Each source judged by a model that has seen none of it, nor copies of it in other sources. */
export function leaveOut(texts: readonly Labelled[], made: readonly Lesson[], bits: number, seed: number): LeftOut[] {
  const copies = new Copies();
  return groupsOf(texts).flatMap((group) => {
    const own = texts.filter((text) => text.group === group);
    const others = copies.without(
      texts.filter((text) => text.group !== group),
      own,
    );
    const lessons = others.flatMap((text) => text.lessons);
    const weights = quantised(train([...lessons, ...made], bits, seed), bits);
    const model = { ...weights, whole: UNCALIBRATED, passage: UNCALIBRATED };
    const classifier = new Classifier(model);
    return own.map((text) => ({ text, model, margins: classifier.margins(fold(text.text).text) }));
  });
}

export const groupsOf = (texts: readonly Labelled[]): string[] => [
  ...new Set(texts.flatMap(({ group }) => (group === null ? [] : [group]))),
];

type Point = { readonly margin: number; readonly attack: boolean; readonly weight: number };

/** What margins mean, from the texts left out. */
export function calibrate(all: readonly LeftOut[]): Pick<LinearModel, "whole" | "passage"> {
  const weighed = weightsOf(all);
  return {
    whole: fitted(weighed.map(({ one, weight }) => ({ margin: one.margins.whole, attack: one.text.attack, weight }))),
    passage: fitted(
      weighed.flatMap(({ one: { margins, text }, weight }) =>
        margins.passage === undefined ? [] : [{ margin: margins.passage, attack: text.attack, weight }],
      ),
    ),
  };
}

/** What each text counts in the mix. */
export function weightsOf(all: readonly LeftOut[]): { one: LeftOut; weight: number }[] {
  const measured = all.filter(({ text }) => isMeasured(text));
  const sizes = Map.groupBy(measured, ({ text }) => `${text.group} ${text.attack}`);
  const raw = measured.map((one) => ({
    one,
    weight: 1 / Math.sqrt(sizes.get(`${one.text.group} ${one.text.attack}`)?.length ?? 1),
  }));
  const total = (attack: boolean): number =>
    raw.reduce((sum, { one, weight }) => sum + (one.text.attack === attack ? weight : 0), 0);
  const [attacks, harmless] = [total(true), total(false)];
  return raw.map(({ one, weight }) => ({
    one,
    weight: one.text.attack ? (weight * ATTACKS) / attacks : (weight * (1 - ATTACKS)) / harmless,
  }));
}

/** Logistic regression on one number, by Newton's method. */
function fitted(points: readonly Point[]): Calibration {
  let [slope, offset] = [1, Math.log(ATTACKS / (1 - ATTACKS))];
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const sums = { slope: 0, offset: 0, aa: 1e-9, ab: 0, bb: 1e-9 };
    for (const { margin, attack, weight } of points) {
      const share = 1 / (1 + Math.exp(-(slope * margin + offset)));
      const error = weight * (share - Number(attack));
      const curve = weight * share * (1 - share);
      sums.slope += error * margin;
      sums.offset += error;
      sums.aa += curve * margin * margin;
      sums.ab += curve * margin;
      sums.bb += curve;
    }
    const whole = sums.aa * sums.bb - sums.ab * sums.ab;
    const [right, up] = [
      (sums.bb * sums.slope - sums.ab * sums.offset) / whole,
      (sums.aa * sums.offset - sums.ab * sums.slope) / whole,
    ];
    // Far from the best fit a full step overshoots, and never comes back.
    const damping = Math.min(1, MAX_STEP / Math.max(Math.abs(right), Math.abs(up)));
    slope -= damping * right;
    offset -= damping * up;
  }
  return { slope, offset };
}

/** Texts about attacks are reported, but no measure: a flag is what they are promised at most. */
export const isMeasured = ({ file }: Labelled): boolean => !/mentions/.test(file);
