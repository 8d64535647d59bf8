import type { Band, CapCode, Situation } from "#model/health/health";
import type { ConfirmedMiss, InputKey } from "#model/health/health-inputs";

export const NOW = 1_790_000_000_000;

export type SituationFacts = Partial<Omit<Situation, "tally" | "misses">> & {
  readonly counts?: Readonly<Record<string, number>>;
  readonly misses?: readonly Partial<ConfirmedMiss>[];
};

export const situation = ({ counts = {}, misses = [], ...rest }: SituationFacts): Situation => ({
  now: NOW,
  tally: new Map(Object.entries({ calls: 5_000, ...counts })),
  misses: misses.map((miss) => ({ severity: "high", at: NOW, isOpen: false, ...miss })),
  falsePositives: 0,
  faults: [],
  isGoverned: true,
  isExpired: false,
  hasFailedOpenToday: false,
  drift: "stable",
  ...rest,
});

type Row = readonly [
  name: string,
  told: SituationFacts,
  score: number,
  band: Band,
  weakest: InputKey | null,
  caps: CapCode[],
];

/** What was simulated when the formula was chosen. */
export const TABLE: readonly Row[] = [
  ["new, 60 clean calls", { counts: { calls: 60 } }, 100, "healthy", null, []],
  [
    "an ordinary week",
    { counts: { blocks: 40, errors_upstream: 15 }, falsePositives: 1 },
    95,
    "healthy",
    "guard_fit",
    [],
  ],
  [
    "attacked but defended",
    { counts: { blocks: 400, errors_upstream: 15 }, falsePositives: 2 },
    98,
    "healthy",
    "reliability",
    [],
  ],
  ["plagued by false positives", { counts: { blocks: 200 }, falsePositives: 40 }, 68, "degraded", "guard_fit", []],
  [
    "one open high miss in 20 000 calls",
    { counts: { calls: 20_000, blocks: 100 }, falsePositives: 2, misses: [{ isOpen: true }] },
    84,
    "watch",
    "guard_fit",
    ["open_high"],
  ],
  [
    "an open critical miss",
    { misses: [{ severity: "critical", isOpen: true }] },
    49,
    "critical",
    "safety",
    ["open_critical"],
  ],
  [
    "150 of 3 000 calls of tools denied",
    { counts: { calls: 2_800, tool_calls: 3_000, off_profile: 150 } },
    72,
    "watch",
    "conformance",
    [],
  ],
  ["6 % of calls fail upstream", { counts: { errors_upstream: 300 } }, 75, "watch", "reliability", []],
  [
    "20 texts passed unscanned today",
    { counts: { fail_open: 20 }, hasFailedOpenToday: true },
    79,
    "watch",
    "reliability",
    ["fail_open"],
  ],
  ["drifting, otherwise clean", { drift: "drifting" }, 79, "watch", null, ["drifting"]],
  [
    "review overdue and owner inactive",
    { faults: ["review_overdue", "owner_inactive"] },
    78,
    "watch",
    "governance",
    [],
  ],
  ["ungoverned, clean", { isGoverned: false }, 69, "degraded", null, ["ungoverned"]],
  [
    "100 calls, one open high miss",
    { counts: { calls: 100 }, misses: [{ isOpen: true }] },
    60,
    "degraded",
    "safety",
    ["open_high"],
  ],
  [
    "everything at once",
    {
      counts: { calls: 3_000, off_profile: 150, errors_hub: 50, errors_upstream: 100 },
      misses: Array.from({ length: 20 }, () => ({})),
      drift: "drifting",
    },
    20,
    "critical",
    "safety",
    ["drifting"],
  ],
];
