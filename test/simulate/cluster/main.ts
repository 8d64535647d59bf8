import { parseArgs } from "node:util";
import { Fleet, type FleetOptions } from "./fleet";
import {
  contained,
  faultsInWords,
  killed,
  limited,
  type Round,
  type RoundOptions,
  reloaded,
  restarted,
  revoked,
  workerKilled,
} from "./rounds";

export const USAGE = "bun run simulate cluster [--hubs N] [--quick] [--on FLEET,…] [--only ROUND,…]";

type Listed = { readonly name: string; readonly round: Round; readonly times: number; readonly quick: number };

type Kind = {
  readonly name: string;
  readonly open: (options: FleetOptions) => Promise<Fleet>;
  readonly rounds: readonly Listed[];
};

const SHARED: readonly Listed[] = [
  { name: "revoked", round: revoked, times: 100, quick: 5 },
  { name: "contained", round: contained, times: 30, quick: 3 },
  { name: "limited", round: limited, times: 5, quick: 1 },
];

const FLEETS: readonly Kind[] = [
  {
    name: "processes",
    open: Fleet.workers,
    rounds: [
      { name: "killed", round: killed, times: 12, quick: 2 },
      { name: "restarted", round: restarted, times: 4, quick: 1 },
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
];

const PACE = { callers: 12, pauseMs: 10 };
/** What a revocation may take, as it is promised. Milliseconds. */
const REVOKED_WITHIN_MS = 1_000;

type Line = {
  readonly fleet: string;
  readonly round: string;
  readonly faults: readonly string[];
  readonly seen: string;
};

const play = async (fleet: Fleet, { name, round }: Listed, options: RoundOptions): Promise<Line> => {
  const line = { fleet: fleet.name, round: name };
  try {
    return { ...line, ...(await round(fleet, options)) };
  } catch (error) {
    return { ...line, faults: [error instanceof Error ? error.message.slice(0, 500) : "failed"], seen: "" };
  }
};

const show = ({ fleet, round, faults, seen }: Line): void => {
  const said = faults.length === 0 ? seen : `${seen === "" ? "" : `${seen}; `}${faultsInWords(faults)}`;
  console.log(`| ${fleet} | ${round} | ${faults.length === 0 ? "PASS" : "FAIL"} | ${said.replaceAll(/\s+/g, " ")} |`);
};

/** Plays the rounds and prints a table; the exit code is 1 unless all of them passed. */
export const cluster = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hubs: { type: "string", default: "3" },
      quick: { type: "boolean", default: false },
      on: { type: "string" },
      only: { type: "string" },
    },
  });
  const count = Number(values.hubs);
  if (!Number.isSafeInteger(count) || count < 2) throw new Error("--hubs takes a whole number from 2");
  const [only, on] = [values.only?.split(","), values.on?.split(",")];
  refuseUnknown(
    "round",
    only,
    FLEETS.flatMap(({ rounds }) => rounds),
  );
  refuseUnknown("fleet", on, FLEETS);
  console.log("| hubs | round | result | what was seen |\n| --- | --- | --- | --- |");
  let failed = 0;
  for (const { name, open, rounds } of FLEETS) {
    if (on?.includes(name) === false) continue;
    await using fleet = await open({ count, pace: PACE });
    for (const listed of rounds.filter((round) => only?.includes(round.name) !== false)) {
      const times = values.quick ? listed.quick : listed.times;
      const line = await play(fleet, listed, { times, calls: 60, withinMs: REVOKED_WITHIN_MS });
      show(line);
      if (line.faults.length > 0) failed += 1;
    }
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
