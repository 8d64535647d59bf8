import { type HealthFacts, type HealthInput, healthInputs } from "#model/health/health-inputs";
import { callsIn } from "#model/health/tally";

/* How an agent fares, from 0 to 100. A change of the arithmetic is a new formula: what was said is never rewritten. */

export const FORMULA = "health/1";

export const BANDS = ["critical", "degraded", "watch", "healthy"] as const;
/** From worst to best. */
export type Band = (typeof BANDS)[number];
const FLOORS: Readonly<Record<Band, number>> = { critical: 0, degraded: 50, watch: 70, healthy: 85 };

/** Below this nothing is said, and below the other it is said with little confidence. */
export const MIN_CALLS = 50;
const CONFIDENT_CALLS = 200;

export type Confidence = "none" | "low" | "high";
export type DriftWeight = "stable" | "watch" | "drifting";

/** What keeps the score down whatever the rest is like. */
export const CAPS = {
  open_critical: 49,
  ungoverned: 69,
  fail_open: 79,
  drifting: 79,
  review_expired: 79,
  open_high: 84,
} as const;
export type CapCode = keyof typeof CAPS;
export type Cap = { readonly code: CapCode; readonly limit: number };

export type Situation = HealthFacts & {
  readonly isGoverned: boolean;
  readonly isExpired: boolean;
  readonly hasFailedOpenToday: boolean;
  /** What the drift counts as: an acknowledged one counts as stable. */
  readonly drift: DriftWeight;
};

export type Health = {
  /** Whole, 0 to 100; null with too few calls. */
  readonly score: number | null;
  readonly confidence: Confidence;
  readonly inputs: readonly HealthInput[];
  readonly caps: readonly Cap[];
};

const WEAKEST_COUNTS = 0.35;
const DRIFT_COSTS: Readonly<Record<DriftWeight, number>> = { stable: 0, watch: 3, drifting: 8 };

export const healthOf = (situation: Situation): Health => {
  const inputs = healthInputs(situation);
  const caps = capsOf(situation);
  const confidence = confidenceOf(callsIn(situation.tally));
  const score = confidence === "none" ? null : scoreOf(inputs, caps, situation.drift);
  return { score, confidence, inputs, caps };
};

/** A mean alone would call an agent healthy whose blocks are all wrong: the weakest input counts for itself. */
const scoreOf = (inputs: readonly HealthInput[], caps: readonly Cap[], drift: DriftWeight): number => {
  const mean = inputs.reduce((sum, { weight, score }) => sum + weight * score, 0);
  const weakest = Math.min(...inputs.map(({ score }) => score));
  const raw = 100 * ((1 - WEAKEST_COUNTS) * mean + WEAKEST_COUNTS * weakest) - DRIFT_COSTS[drift];
  return Math.max(0, Math.round(Math.min(raw, ...caps.map(({ limit }) => limit))));
};

const capsOf = ({ misses, isGoverned, isExpired, hasFailedOpenToday, drift }: Situation): readonly Cap[] => {
  const isOpen = (wanted: string) => misses.some(({ severity, isOpen }) => isOpen && severity === wanted);
  const holds: Readonly<Record<CapCode, boolean>> = {
    open_critical: isOpen("critical"),
    ungoverned: !isGoverned,
    fail_open: hasFailedOpenToday,
    drifting: drift === "drifting",
    review_expired: isExpired,
    open_high: isOpen("high"),
  };
  const codes: readonly CapCode[] = [
    "open_critical",
    "ungoverned",
    "fail_open",
    "drifting",
    "review_expired",
    "open_high",
  ];
  return codes.filter((code) => holds[code]).map((code) => ({ code, limit: CAPS[code] }));
};

const confidenceOf = (calls: number): Confidence => {
  if (calls < MIN_CALLS) return "none";
  return calls < CONFIDENT_CALLS ? "low" : "high";
};

export const bandOf = (score: number): Band => {
  if (score >= FLOORS.healthy) return "healthy";
  if (score >= FLOORS.watch) return "watch";
  return score >= FLOORS.degraded ? "degraded" : "critical";
};

/**
 * What pages call how an agent fares. A score that only the missing review keeps down says nothing of its calls, so its
 * band is not said.
 */
export const shownBand = (band: string, score: number | null, caps: Iterable<string>): string =>
  score === CAPS.ungoverned && [...caps].includes("ungoverned" satisfies CapCode) ? NOT_REVIEWED : band;

export const NOT_REVIEWED = "not_reviewed";

/** The band as shown, and the other one that the last evaluation was in. */
export type BandState = { readonly band: Band; readonly pending: Band | null };

/** A score this far in another band changes the band at once; one that is nearer, the second time in a row. */
const CLEARLY = 3;

export const nextBand = (before: BandState | null, score: number): BandState => {
  const band = bandOf(score);
  if (before === null || band === before.band) return { band, pending: null };
  const isUp = rank(band) > rank(before.band);
  const edge = isUp ? FLOORS[BANDS[rank(before.band) + 1] ?? "healthy"] : FLOORS[before.band];
  const wasThere = before.pending !== null && rank(before.pending) > rank(before.band) === isUp;
  if (Math.abs(score - edge) >= CLEARLY || wasThere) return { band, pending: null };
  return { band: before.band, pending: band };
};

const rank = (band: Band): number => BANDS.indexOf(band);
