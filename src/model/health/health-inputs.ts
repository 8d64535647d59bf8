import { callsIn, countIn, type Tally } from "#model/health/tally";

/* The five inputs of the health score (formula health/1): each has a rate, and the rate that halves its score. */

export const SEVERITIES = ["low", "medium", "high", "critical"] as const;
export type MissSeverity = (typeof SEVERITIES)[number];

/** A miss report that was confirmed. `at` in Unix milliseconds. */
export type ConfirmedMiss = { readonly severity: MissSeverity; readonly at: number; readonly isOpen: boolean };

export const GOVERNANCE_FAULTS = ["review_overdue", "owner_inactive", "token_old", "report_overdue"] as const;
export type GovernanceFault = (typeof GOVERNANCE_FAULTS)[number];

/** What the score is computed from. Counters are those of the window. */
export type HealthFacts = {
  readonly now: number;
  readonly tally: Tally;
  readonly misses: readonly ConfirmedMiss[];
  readonly falsePositives: number;
  readonly faults: readonly GovernanceFault[];
};

export const INPUT_KEYS = ["safety", "conformance", "guard_fit", "reliability", "governance"] as const;
export type InputKey = (typeof INPUT_KEYS)[number];

export type HealthInput = {
  readonly key: InputKey;
  /** 0 to 1. */
  readonly score: number;
  /** Null where there is none: governance counts faults. */
  readonly rate: number | null;
  readonly weight: number;
  readonly explain: string;
  readonly measured: Measured;
};

/** What an input counts, and in how many of what; null where it is no share. Nothing is known where that is 0. */
export type Measured = { readonly count: number; readonly of: number | null };

const DAY_MS = 86_400_000;
/** A miss weighs half after three days. */
const MISS_HALF_MS = 3 * DAY_MS;
const WEIGHT_OF: Readonly<Record<MissSeverity, number>> = { critical: 10, high: 5, medium: 2, low: 0.5 };
const FAULT_COSTS = 0.25;
const FAULT_WORDS: Readonly<Record<GovernanceFault, string>> = {
  review_overdue: "review overdue",
  owner_inactive: "owner inactive",
  token_old: "token older than 180 days",
  report_overdue: "report overdue",
};

/** `half` is the rate that halves the score. */
const scoreOf = (rate: number, half: number): number => 2 ** (-rate / half);

export const healthInputs = (facts: HealthFacts): readonly HealthInput[] => [
  safety(facts),
  conformance(facts),
  guardFit(facts),
  reliability(facts),
  governance(facts),
];

const safety = ({ now, tally, misses }: HealthFacts): HealthInput => {
  const calls = callsIn(tally);
  const weight = misses.reduce(
    (sum, { severity, at }) => sum + WEIGHT_OF[severity] * 2 ** (-Math.max(0, now - at) / MISS_HALF_MS),
    0,
  );
  const rate = (1000 * weight) / (calls + 500);
  const what = misses.length === 0 ? "No confirmed misses" : many(misses.length, "confirmed miss", "es");
  const explain = `${what} in ${many(calls, "call")}.`;
  const measured = { count: misses.length, of: calls };
  return { key: "safety", score: scoreOf(rate, 5), rate, weight: 0.35, explain, measured };
};

const conformance = ({ tally }: HealthFacts): HealthInput => {
  const off = countIn(tally, "off_profile");
  const asked = callsIn(tally);
  const rate = off / (asked + 200);
  const explain = `${off} of ${many(asked, "call")} requested a model or tool that the profile does not allow.`;
  const measured = { count: off, of: asked };
  return { key: "conformance", score: scoreOf(rate, 0.02), rate, weight: 0.2, explain, measured };
};

const guardFit = ({ tally, falsePositives }: HealthFacts): HealthInput => {
  const blocks = countIn(tally, "blocks");
  const rate = falsePositives / (blocks + 20);
  const explain =
    blocks === 0 ? "No blocks." : `${falsePositives} of ${many(blocks, "block")} confirmed as false positives.`;
  const measured = { count: falsePositives, of: blocks };
  return { key: "guard_fit", score: scoreOf(rate, 0.1), rate, weight: 0.15, explain, measured };
};

const reliability = ({ tally }: HealthFacts): HealthInput => {
  const calls = callsIn(tally);
  const errors = countIn(tally, "errors_hub") + countIn(tally, "errors_upstream");
  const open = countIn(tally, "fail_open");
  const rate = (errors + 3 * open) / (calls + 50);
  const unscanned = open === 0 ? "" : ` ${many(open, "text")} passed unscanned because the scanner failed.`;
  const explain = `${errors} of ${many(calls, "call")} failed in the hub or upstream.${unscanned}`;
  const measured = { count: errors, of: calls };
  return { key: "reliability", score: scoreOf(rate, 0.05), rate, weight: 0.15, explain, measured };
};

const governance = ({ faults }: HealthFacts): HealthInput => {
  const words = faults.map((fault) => FAULT_WORDS[fault]).join(", ");
  return {
    key: "governance",
    score: 1 - FAULT_COSTS * faults.length,
    rate: null,
    weight: 0.15,
    explain: faults.length === 0 ? "No issues." : `${many(faults.length, "issue")}: ${words}.`,
    measured: { count: faults.length, of: null },
  };
};

const many = (n: number, noun: string, ending = "s"): string => `${n} ${noun}${n === 1 ? "" : ending}`;
