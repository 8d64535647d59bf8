import { countIn, type Tally } from "#model/health/tally";

/*
 * Whether an agent does what it did when it was approved: the mix of its models, tools, flags … is compared with a
 * baseline by the population stability index. The usual bands of 0.10 and 0.25 are wrong for small samples, which
 * differ by chance; so a shift must also be larger than 99 of 100 such samples show (Yurdakul, 2018).
 */

export const FEATURES = {
  model: "model.",
  tool: "tool.",
  flags: "flag.",
  finish_reason: "finish.",
  prompt_tokens: "prompt_bin.",
  output_tokens: "output_bin.",
  hour_of_day: "hour.",
} as const;
export type DriftFeatureName = keyof typeof FEATURES;

export const LEVELS = ["stable", "watch", "drifting"] as const;
export type Level = (typeof LEVELS)[number];

export const atLeast = (level: Level, other: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(other);

/** The most frequent categories of the baseline have a bin of their own; all others share one. */
const OWN_BINS = 7;
const WATCH = 0.1;
const DRIFTING = 0.25;
/** Uses of a new model or tool that make it more than a try. */
const USES = 5;

export type Bins = readonly { readonly name: string; readonly baseline: number; readonly current: number }[];

export type Shift = {
  readonly feature: DriftFeatureName;
  /** The index; 0 for no difference. */
  readonly psi: number;
  /** What it must exceed. */
  readonly watch_at: number;
  readonly drifting_at: number;
  /** Jensen–Shannon distance, 0 to 1: for charts, never a threshold. */
  readonly distance: number;
  readonly level: Level;
  readonly bins: Bins;
};

export type NewName = { readonly feature: "model" | "tool"; readonly name: string; readonly uses: number };

/** One feature's categories, baseline's most frequent first. Categories nobody used are none. */
export const binsOf = (feature: DriftFeatureName, baseline: Tally, current: Tally): Bins => {
  const before = categories(feature, baseline);
  const now = categories(feature, current);
  const ranked = [...before].filter(([name]) => name !== "other").sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const own = ranked.slice(0, OWN_BINS).map(([name]) => name);
  const bins = own.map((name) => ({ name, baseline: countIn(before, name), current: countIn(now, name) }));
  const other = {
    name: "other",
    baseline: total(before) - bins.reduce((sum, bin) => sum + bin.baseline, 0),
    current: total(now) - bins.reduce((sum, bin) => sum + bin.current, 0),
  };
  return other.baseline + other.current > 0 ? [...bins, other] : bins;
};

const categories = (feature: DriftFeatureName, tally: Tally): Tally => {
  const prefix = FEATURES[feature];
  return new Map([...tally].flatMap(([name, n]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), n]] : [])));
};

const total = (tally: Tally): number => [...tally.values()].reduce((sum, n) => sum + n, 0);

/** Shares with half a count added to each bin, so that none is zero. */
const sharesOf = (counts: readonly number[]): readonly number[] => {
  const all = counts.reduce((sum, n) => sum + n, 0) + counts.length / 2;
  return counts.map((n) => (n + 0.5) / all);
};

/** Population stability index of two counts of the same bins. */
export const psiOf = (baseline: readonly number[], current: readonly number[]): number => {
  const q = sharesOf(current);
  return sharesOf(baseline).reduce((sum, p, at) => sum + (p - (q[at] ?? p)) * Math.log(p / (q[at] ?? p)), 0);
};

/** What chance alone makes of the index in 99 of 100 samples of these sizes. */
export const chanceOf = (bins: number, n: number, m: number): number => chiSquare99(bins - 1) * (1 / n + 1 / m);

/** The normal distribution's. */
const Z_99 = 2.326_347_874;

/** The 0.99 quantile of χ², by Wilson and Hilferty's cube (1931): within 1 % from one degree of freedom on. */
export const chiSquare99 = (degrees: number): number => {
  const spread = 2 / (9 * degrees);
  return degrees * (1 - spread + Z_99 * Math.sqrt(spread)) ** 3;
};

const distanceOf = (baseline: readonly number[], current: readonly number[]): number => {
  const q = sharesOf(current);
  const divergence = sharesOf(baseline).reduce((sum, p, at) => {
    const other = q[at] ?? p;
    const middle = (p + other) / 2;
    return sum + (p * Math.log2(p / middle) + other * Math.log2(other / middle)) / 2;
  }, 0);
  return Math.sqrt(Math.max(0, divergence));
};

/** How far one feature has moved; null where there is nothing to compare. */
export const shiftOf = (feature: DriftFeatureName, baseline: Tally, current: Tally): Shift | null => {
  const bins = binsOf(feature, baseline, current);
  const before = bins.map((bin) => bin.baseline);
  const now = bins.map((bin) => bin.current);
  const n = before.reduce((sum, count) => sum + count, 0);
  const m = now.reduce((sum, count) => sum + count, 0);
  if (n === 0 || m === 0) return null;
  const psi = bins.length < 2 ? 0 : psiOf(before, now);
  const chance = bins.length < 2 ? 0 : chanceOf(bins.length, n, m);
  const [watch_at, drifting_at] = [Math.max(WATCH, chance), Math.max(DRIFTING, chance)];
  const level = psi > drifting_at ? "drifting" : psi > watch_at ? "watch" : "stable";
  return { feature, psi, watch_at, drifting_at, distance: distanceOf(before, now), level, bins };
};

/** Models and tools the baseline does not know. Not said where its names were too many to be told apart. */
export const newNames = (baseline: Tally, current: Tally): readonly NewName[] =>
  (["model", "tool"] as const).flatMap((feature) => {
    const known = categories(feature, baseline);
    if (known.has("other")) return [];
    const used = [...categories(feature, current)].filter(([name, uses]) => uses >= USES && !known.has(name));
    return used.map(([name, uses]) => ({ feature, name, uses }));
  });

const TELLING: readonly DriftFeatureName[] = ["model", "tool", "flags"];

/** The agent's own level: a telling feature that drifts is enough, of the others it takes two. */
export const levelOf = (shifts: readonly Shift[], isNewInUse: boolean): Level => {
  const drifting = shifts.filter(({ level }) => level === "drifting");
  if (drifting.length >= 2 || drifting.some(({ feature }) => TELLING.includes(feature))) return "drifting";
  return isNewInUse || shifts.some(({ level }) => level !== "stable") ? "watch" : "stable";
};
