import { type Category, ORIGINS } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { HIDDEN_TEXT } from "#scan/fold/hidden-text";
import { isEnforced, typesAt } from "#scan/policy";
import type { Judged } from "#scan/scan";
import { figure, table } from "#test/bench/table";
import { honestTraffic } from "#test/scan/honest/traffic";
import { type Rate, rateOf, rateText } from "./interval";
import { answers, isGoal, typeNamedBy } from "./label-types";
import { madeSamples } from "./made";
import { Random } from "./random";
import type { Sample } from "./record";
import { alarms, isFound, overlap, type Seen, scanSamples } from "./seen";

/** Honest texts in the mix, and samples made by rule of each kind. */
const HONEST = 20_000;
const MADE_EACH = 30;
const SEED = 20_261_124;

/** Where a bin of scores begins; the last one ends with 1. */
const BINS = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

/** A finding of which it is known whether it is right. */
type Claim = { readonly type: string; readonly score: number; readonly isRight: boolean; readonly isEnforced: boolean };

export type Bin = { readonly from: number; readonly meanScore: number; readonly right: Rate };

export type ScoreRow = {
  /** A flag type, for all below it too. */
  readonly type: string;
  readonly scores: readonly [least: number, most: number] | null;
  readonly precision: Rate;
  /** Of the labels that name this type. */
  readonly recall: Rate;
  /** Of its findings, what the built-in policy redacts or blocks. */
  readonly enforced: Rate;
  /** Of those, the right ones. */
  readonly enforcedRight: Rate;
  readonly bins: readonly Bin[];
  /** How far a score is from the share that is right, on average over findings; null without findings. */
  readonly error: number | null;
};

export type Calibration = {
  readonly mix: { readonly honest: number; readonly negatives: number; readonly positives: number };
  readonly rows: readonly ScoreRow[];
  /** All types of a category together. */
  readonly categories: readonly ScoreRow[];
};

/** `pii.national_id.br` counts as `pii.national_id`. */
const rowTypeOf = (type: string): string => type.split(".").slice(0, 2).join(".");

/** The rows: all types that detectors can name and a policy covers, in the catalogue's order. */
export const ROW_TYPES: readonly string[] = [
  ...new Set([
    ...DETECTORS.flatMap((detector) => ORIGINS.flatMap((origin) => typesAt(detector, origin))).map(rowTypeOf),
    HIDDEN_TEXT.type,
  ]),
];

const CATEGORIES = ["secret", "pii", "injection"] as const satisfies readonly Category[];

/** Findings that are known to be right, on a label of theirs, or wrong: as in negatives, and beside labels of personal data, of which all are labelled. */
function claimsOf(seen: Seen): Claim[] {
  const { sample, judged } = seen;
  const wrong = new Set<object>(
    sample.positive ? judged.filter((it) => isBesideLabels(sample, it)) : alarms(seen, judged),
  );
  return judged.flatMap((finding) => {
    const isRight = sample.labels.some((label) => overlap(finding, label) && answers(finding, label.type));
    return isRight || wrong.has(finding) ? [claimOf(finding, isRight)] : [];
  });
}

const claimOf = ({ type, score, action }: Judged, isRight: boolean): Claim => ({
  type: rowTypeOf(type),
  score,
  isRight,
  isEnforced: isEnforced(action),
});

function isBesideLabels({ kind, labels }: Sample, finding: Judged): boolean {
  const touched = labels.filter((label) => overlap(finding, label));
  return kind === "pii" && finding.category === "pii" && touched.every(({ type }) => isGoal(type));
}

/** Honest texts hold none of what is looked for. Addresses given as examples are addresses, and noted rightly: nothing is said of them. */
const wrongIn = ({ judged }: Seen): Claim[] =>
  judged.filter(({ type }) => type !== "pii.email" && type !== "pii.address").map((it) => claimOf(it, false));

function honestSeen(): Seen[] {
  const traffic = honestTraffic(new Random(SEED), HONEST);
  const samples = traffic.map(
    ({ kind, text }, at): Sample => ({
      id: `honest-${at}`,
      file: kind,
      kind: "benign",
      positive: false,
      text,
      lang: "en",
      labels: [],
      meta: {},
    }),
  );
  return scanSamples(samples, { origin: (_, at) => traffic[at]?.origin ?? "user", recordedOnly: true });
}

/** What scores mean on honest traffic, samples made by rule and those given, disguised ones left out. */
export function calibration(given: readonly Seen[]): Calibration {
  const made = scanSamples(madeSamples(SEED, MADE_EACH));
  const known = [...made, ...given.filter(({ sample }) => sample.file !== "evasion")];
  const honest = honestSeen();
  const claims = [...known.flatMap(claimsOf), ...honest.flatMap(wrongIn)];
  const positives = known.filter(({ sample }) => sample.positive);
  const row = (type: string, isOwn: (other: string) => boolean): ScoreRow =>
    scoreRow(
      type,
      claims.filter((claim) => isOwn(claim.type)),
      positives,
      isOwn,
    );
  return {
    mix: { honest: honest.length, negatives: known.length - positives.length, positives: positives.length },
    rows: ROW_TYPES.map((type) => row(type, (other) => other === type)),
    categories: CATEGORIES.map((category) => row(category, (other) => other.startsWith(`${category}.`))),
  };
}

function scoreRow(
  type: string,
  claims: readonly Claim[],
  positives: readonly Seen[],
  isOwn: (type: string) => boolean,
): ScoreRow {
  const labels = positives.flatMap(({ sample, judged }) =>
    sample.labels.filter((label) => isNamed(label.type, type, isOwn)).map((label) => isFound(label, judged)),
  );
  const scores = claims.map(({ score }) => score);
  const bins = binsOf(claims);
  const enforced = claims.filter((claim) => claim.isEnforced);
  return {
    type,
    scores: scores.length === 0 ? null : [Math.min(...scores), Math.max(...scores)],
    precision: rateOf(claims.filter(({ isRight }) => isRight).length, claims.length),
    recall: rateOf(labels.filter(Boolean).length, labels.length),
    enforced: rateOf(enforced.length, claims.length),
    enforcedRight: rateOf(enforced.filter(({ isRight }) => isRight).length, enforced.length),
    bins,
    error: claims.length === 0 ? null : errorOf(bins, claims.length),
  };
}

/** A label that only says `SECRET` or `INJECTION` names the category, and no type. */
function isNamed(labelType: string, type: string, isOwn: (type: string) => boolean): boolean {
  const named = typeNamedBy(labelType);
  return named !== undefined && (named === type || isOwn(rowTypeOf(named)));
}

function binsOf(claims: readonly Claim[]): Bin[] {
  return BINS.flatMap((from, at) => {
    const to = BINS[at + 1] ?? Number.POSITIVE_INFINITY;
    const own = claims.filter(({ score }) => score >= from && score < to);
    if (own.length === 0) return [];
    const meanScore = own.reduce((sum, { score }) => sum + score, 0) / own.length;
    return [{ from, meanScore, right: rateOf(own.filter(({ isRight }) => isRight).length, own.length) }];
  });
}

/** The expected calibration error: |mean score − share right| of the bins, weighted by their findings. */
const errorOf = (bins: readonly Bin[], findings: number): number =>
  bins.reduce((sum, { meanScore, right }) => sum + right.of * Math.abs(meanScore - (right.share ?? 0)), 0) / findings;

const scoresText = (scores: ScoreRow["scores"]): string =>
  scores === null ? "–" : [...new Set(scores.map((score) => score.toFixed(2)))].join("–");

export function calibrationText({ mix, rows, categories }: Calibration): string {
  const all = [...rows, ...categories];
  return [
    `scores against what is right, on ${mix.honest} honest texts, ${mix.negatives} negatives and ${mix.positives} positives (given and made by rule)`,
    table(
      ["flag type", "score", "findings", "mean score", "right"],
      all.flatMap(({ type, bins }) =>
        bins.map(({ from, meanScore, right }) => [
          type,
          `from ${from.toFixed(1)}`,
          String(right.of),
          figure(meanScore, 2),
          rateText(right),
        ]),
      ),
    ),
    table(
      ["flag type", "scores", "findings", "precision", "labels", "recall", "enforced", "off by"],
      all.map(({ type, scores, precision, recall, enforced, error }) => [
        type,
        scoresText(scores),
        String(precision.of),
        rateText(precision),
        String(recall.of),
        rateText(recall),
        rateText(enforced),
        figure(error ?? undefined, 2),
      ]),
    ),
  ].join("\n\n");
}
