import { parseArgs } from "node:util";
import { Fleet } from "./fleet";
import { contained, faultsInWords, killed, limited, type Round, type RoundOptions, restarted, revoked } from "./rounds";

export const USAGE = "bun run simulate cluster [--hubs N] [--quick] [--only ROUND,…]";

type Listed = { readonly name: string; readonly round: Round; readonly times: number; readonly quick: number };

/** Of processes that serve from one directory. */
const ROUNDS: readonly Listed[] = [
  { name: "killed", round: killed, times: 12, quick: 2 },
  { name: "restarted", round: restarted, times: 4, quick: 1 },
  { name: "revoked", round: revoked, times: 100, quick: 5 },
  { name: "contained", round: contained, times: 30, quick: 3 },
  { name: "limited", round: limited, times: 5, quick: 1 },
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
      only: { type: "string" },
    },
  });
  const count = Number(values.hubs);
  if (!Number.isSafeInteger(count) || count < 2) throw new Error("--hubs takes a whole number from 2");
  const only = values.only?.split(",");
  const unknown = only?.filter((name) => !ROUNDS.some((round) => round.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`no round ${unknown.join(", ")}`);
  console.log("| hubs | round | result | what was seen |\n| --- | --- | --- | --- |");
  let failed = 0;
  await using fleet = await Fleet.workers({ count, pace: PACE });
  for (const listed of ROUNDS.filter(({ name }) => only?.includes(name) !== false)) {
    const times = values.quick ? listed.quick : listed.times;
    const line = await play(fleet, listed, { times, calls: 60, withinMs: REVOKED_WITHIN_MS });
    show(line);
    if (line.faults.length > 0) failed += 1;
  }
  return failed === 0 ? 0 : 1;
};
