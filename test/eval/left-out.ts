import { Features } from "#scan/classifier";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { classifierOf, injectionClassifier } from "#scan/detectors/injection-classifier";
import { fold } from "#scan/fold/normalize";
import { type CompiledPolicy, compilePolicy, isEnforced } from "#scan/policy";
import { scanText } from "#scan/scan";
import { readLabelled, written } from "../../.ci/train-injection-data";
import { calibrate, groupsOf, isMeasured, type LeftOut, leaveOut, weightsOf } from "../../.ci/train-injection-left-out";
import { MODEL_BITS } from "../../.ci/train-injection-model";
import { type Rate, rateOf } from "./interval";
import type { LeftOutFigures, LeftOutRow, LeftOutScores } from "./left-out-tables";
import { Random } from "./random";

/** Trains a model for each source of the folders, and judges the source with it. One to two minutes. */
export function measureLeftOut(folders: readonly string[], seed: number): LeftOutFigures {
  const features = new Features(MODEL_BITS);
  return leftOutFigures(leaveOut(readLabelled(folders, features), written(seed, features), MODEL_BITS, seed));
}

type Outcome = {
  readonly left: LeftOut;
  readonly score: number;
  readonly rules: boolean;
  readonly model: boolean;
  readonly flagged: boolean;
  readonly enforced: boolean;
};

export function leftOutFigures(all: readonly LeftOut[]): LeftOutFigures {
  const ruled = DETECTORS.filter(({ id }) => id !== injectionClassifier.id);
  const rules = compilePolicy(DEFAULT_POLICY, 1, ruled);
  const outcomes = groupsOf(all.map(({ text }) => text)).flatMap((group) => {
    const own = all.filter(({ text }) => text.group === group);
    const others = calibrate(all.filter(({ text }) => text.group !== group));
    return own[0] ? outcomesOf(own, classifierOf({ ...own[0].model, ...others }), rules, ruled) : [];
  });
  const measured = outcomes.filter(({ left }) => isMeasured(left.text));
  const sources = rowsOf(outcomes, ({ left }) => left.text.group ?? "");
  return {
    sources,
    origins: rowsOf(measured, ({ left }) => left.text.origin),
    languages: rowsOf(measured, ({ left }) => left.text.language),
    all: rowsOf(measured, () => "all"),
    betweenSources: betweenSources(sources.filter(({ attacks }) => attacks)),
    scores: scoresOf(all, new Map(outcomes.map(({ left, score }) => [left, score]))),
  };
}

function outcomesOf(
  own: readonly LeftOut[],
  detector: typeof injectionClassifier,
  rules: CompiledPolicy,
  ruled: typeof DETECTORS,
): Outcome[] {
  const both = compilePolicy(DEFAULT_POLICY, 1, [...ruled, detector]);
  const actions = (policy: CompiledPolicy, { text: { text, origin } }: LeftOut) =>
    scanText(policy, text, origin)
      .findings.filter(({ category }) => category === "injection")
      .map(({ action }) => action);
  return own.map((left) => {
    const score = detector.whole?.score(fold(left.text.text).text) ?? 0;
    const byBoth = actions(both, left);
    return {
      left,
      score,
      rules: actions(rules, left).length > 0,
      model: both.judge(left.text.origin, detector.id, score) !== "allow",
      flagged: byBoth.length > 0,
      enforced: byBoth.some(isEnforced),
    };
  });
}

/** A row of attacks and one of harmless texts for each name, the largest first. */
function rowsOf(outcomes: readonly Outcome[], nameOf: (one: Outcome) => string): LeftOutRow[] {
  const groups = Map.groupBy(outcomes, (one) => `${one.left.text.attack} ${nameOf(one)}`);
  return [...groups.values()]
    .sort((one, other) => other.length - one.length)
    .flatMap((own) => {
      const [first] = own;
      const rate = (is: (one: Outcome) => boolean): Rate => rateOf(own.filter(is).length, own.length);
      return first
        ? [
            {
              name: nameOf(first),
              attacks: first.left.text.attack,
              rules: rate((one) => one.rules),
              model: rate((one) => one.model),
              flagged: rate((one) => one.flagged),
              enforced: rate((one) => one.enforced),
            },
          ]
        : [];
    });
}

const DRAWS = 2000;
const DRAW_SEED = 20_261_127;

/** Sources are drawn with replacement (bootstrap, 95 %): texts of one source resemble each other. */
function betweenSources(rows: readonly LeftOutRow[]): { low: number; high: number } {
  const random = new Random(DRAW_SEED);
  const drawn = Array.from({ length: DRAWS }, () => {
    const some = rows.map(() => random.pick(rows).flagged);
    const sum = (key: "count" | "of"): number => some.reduce((total, rate) => total + rate[key], 0);
    return sum("count") / sum("of");
  }).sort((one, other) => one - other);
  return { low: drawn[Math.floor(DRAWS * 0.025)] ?? Number.NaN, high: drawn[Math.floor(DRAWS * 0.975)] ?? Number.NaN };
}

/** Where a bin of scores begins. */
const BINS = [0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

function scoresOf(all: readonly LeftOut[], scores: ReadonlyMap<LeftOut, number>): LeftOutScores[] {
  const weighed = weightsOf(all).map(({ one, weight }) => ({ one, weight, score: scores.get(one) ?? 0 }));
  return BINS.map((from, at) => {
    const to = BINS[at + 1] ?? 1;
    const within = weighed.filter(({ score }) => score >= from && (score < to || to === 1));
    const sum = (of: (it: (typeof within)[number]) => number): number =>
      within.reduce((total, it) => total + of(it), 0);
    const share = sum(({ weight }) => weight);
    return {
      from,
      to,
      texts: within.length,
      share,
      meanScore: sum(({ weight, score }) => weight * score) / share,
      attacks: sum(({ one, weight }) => (one.text.attack ? weight : 0)) / share,
    };
  });
}
