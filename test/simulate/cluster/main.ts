import { parseArgs } from "node:util";
import { IS_THERE_POSTGRES } from "#test/support/postgres";
import { command } from "#test/support/program";
import { OtherBuild, WrongClock } from "./builds";
import { cost, databaseAway, databaseRestarted, partitioned, skewed, slow, upgraded } from "./database-rounds";
import { Fleet, type FleetOptions } from "./fleet";
import {
  contained,
  faultsInWords,
  heldUp,
  killed,
  limited,
  type Round,
  type RoundOptions,
  reloaded,
  restarted,
  revoked,
  workerKilled,
} from "./rounds";

export const USAGE =
  "bun run simulate cluster [--hubs N] [--quick] [--on FLEET,…] [--only ROUND,…] [--previous COMMIT]";

type Listed = {
  readonly name: string;
  readonly round?: Round;
  readonly lacks?: string;
  readonly times: number;
  readonly quick: number;
};

/** What rounds need that is built first. */
type Built = { readonly clock: WrongClock | null; readonly previous: OtherBuild | null };

type Kind = {
  readonly name: string;
  /** Why its rounds cannot be played here. */
  readonly lacks?: string | null;
  readonly open: (options: FleetOptions) => Promise<Fleet>;
  readonly rounds: readonly Listed[];
};

const WITHOUT_POSTGRES = IS_THERE_POSTGRES ? null : "there is no PostgreSQL; apt-get install postgresql";

const SHARED: readonly Listed[] = [
  { name: "revoked", round: revoked, times: 100, quick: 5 },
  { name: "contained", round: contained, times: 30, quick: 3 },
  { name: "limited", round: limited, times: 5, quick: 1 },
];

const HUBS_WITH_WORKERS = { count: 2, workers: 2 };

const fleetsOf = ({ clock, previous }: Built): readonly Kind[] => [
  {
    name: "processes",
    open: Fleet.workers,
    rounds: [
      { name: "killed", round: killed, times: 12, quick: 2 },
      { name: "restarted", round: restarted, times: 4, quick: 1 },
      { name: "held up", round: heldUp, times: 12, quick: 2 },
      ...SHARED,
    ],
  },
  {
    name: "workers",
    open: Fleet.supervised,
    rounds: [
      { name: "killed", round: workerKilled, times: 12, quick: 2 },
      { name: "reloaded", round: reloaded, times: 4, quick: 1 },
      ...SHARED,
    ],
  },
  {
    name: "postgres",
    lacks: WITHOUT_POSTGRES,
    open: Fleet.postgres,
    rounds: [
      { name: "killed", round: killed, times: 12, quick: 2 },
      { name: "restarted", round: restarted, times: 4, quick: 1 },
      { name: "held up", round: heldUp, times: 12, quick: 2 },
      { name: "database restarted", round: databaseRestarted, times: 10, quick: 2 },
      { name: "database away", round: databaseAway, times: 1, quick: 1 },
      { name: "database slow", round: slow, times: 1, quick: 1 },
      { name: "partitioned", round: partitioned, times: 3, quick: 1 },
      clock === null
        ? { name: "skewed", lacks: "no C compiler for the clock", times: 0, quick: 0 }
        : { name: "skewed", round: skewed(clock), times: 20, quick: 2 },
      ...SHARED,
      { name: "cost", round: cost, times: 100, quick: 20 },
    ],
  },
  {
    name: "postgres-workers",
    lacks: WITHOUT_POSTGRES,
    open: ({ pace }) => Fleet.postgres({ pace, ...HUBS_WITH_WORKERS }),
    rounds: [
      { name: "killed", round: workerKilled, times: 12, quick: 2 },
      { name: "reloaded", round: reloaded, times: 4, quick: 2 },
      ...SHARED,
    ],
  },
  {
    name: "upgrade",
    lacks: WITHOUT_POSTGRES ?? (previous === null ? "no --previous COMMIT" : null),
    open: (options) => Fleet.postgres(options, previous === null ? undefined : [previous.executable]),
    rounds: [{ name: "upgraded", round: upgraded(command()), times: 1, quick: 1 }],
  },
];

const PACE = { callers: 12, pauseMs: 10 };
/** What a revocation may take, as it is promised. Milliseconds. */
const REVOKED_WITHIN_MS = 1_000;

type Line = {
  readonly fleet: string;
  readonly round: string;
  readonly faults: readonly string[];
  readonly seen: string;
  readonly isSkipped?: boolean;
};

const play = async (fleet: Fleet, { name, round, lacks = "" }: Listed, options: RoundOptions): Promise<Line> => {
  const line = { fleet: fleet.name, round: name };
  if (round === undefined) return { ...line, faults: [], seen: lacks, isSkipped: true };
  try {
    const { faults, seen } = await round(fleet, options);
    const fates =
      faults.length === 0
        ? []
        : fleet.hubs.flatMap(({ fates: past, fate }) => [...past, ...(fate === null ? [] : [fate])]);
    return { ...line, seen, faults: [...faults, ...fates] };
  } catch (error) {
    return { ...line, faults: [error instanceof Error ? error.message.slice(0, 500) : "failed"], seen: "" };
  }
};

const show = ({ fleet, round, faults, seen, isSkipped = false }: Line): void => {
  const said = faults.length === 0 ? seen : `${seen === "" ? "" : `${seen}; `}${faultsInWords(faults)}`;
  const result = isSkipped ? "SKIPPED" : faults.length === 0 ? "PASS" : "FAIL";
  console.log(`| ${fleet} | ${round} | ${result} | ${said.replaceAll(/\s+/g, " ")} |`);
};

/** Plays the rounds of one fleet; how many failed. */
const playAll = async (
  { name, lacks = null, open, rounds }: Kind,
  { count, isQuick, only }: Wanted,
): Promise<number> => {
  const wanted = rounds.filter((round) => only?.includes(round.name) !== false);
  if (wanted.length === 0) return 0;
  if (lacks !== null) {
    show({
      fleet: name,
      round: wanted.map((round) => round.name).join(", "),
      faults: [],
      seen: lacks,
      isSkipped: true,
    });
    return 0;
  }
  let failed = 0;
  await using fleet = await open({ count, pace: PACE });
  for (const listed of wanted) {
    const times = isQuick ? listed.quick : listed.times;
    const line = await play(fleet, listed, { times, calls: 60, withinMs: REVOKED_WITHIN_MS });
    show(line);
    if (line.faults.length > 0) failed += 1;
  }
  return failed;
};

type Wanted = { readonly count: number; readonly isQuick: boolean; readonly only: readonly string[] | undefined };

/** Plays the rounds and prints a table; the exit code is 1 unless all that were played passed. */
export const cluster = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hubs: { type: "string", default: "3" },
      quick: { type: "boolean", default: false },
      on: { type: "string" },
      only: { type: "string" },
      previous: { type: "string" },
    },
  });
  const count = Number(values.hubs);
  if (!Number.isSafeInteger(count) || count < 3) throw new Error("--hubs takes a whole number from 3");
  const [only, on] = [values.only?.split(","), values.on?.split(",")];
  using clock = await WrongClock.build();
  await using previous = values.previous === undefined ? null : await OtherBuild.of(values.previous);
  const fleets = fleetsOf({ clock, previous });
  refuseUnknown(
    "round",
    only,
    fleets.flatMap(({ rounds }) => rounds),
  );
  refuseUnknown("fleet", on, fleets);
  console.log("| hubs | round | result | what was seen |\n| --- | --- | --- | --- |");
  let failed = 0;
  for (const fleet of fleets) {
    if (on?.includes(fleet.name) === false) continue;
    failed += await playAll(fleet, { count, isQuick: values.quick, only });
  }
  return failed === 0 ? 0 : 1;
};

const refuseUnknown = (
  what: string,
  wanted: readonly string[] | undefined,
  known: readonly { readonly name: string }[],
): void => {
  const unknown = wanted?.filter((name) => !known.some((one) => one.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`no ${what} ${unknown.join(", ")}`);
};
