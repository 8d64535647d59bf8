import { tmpdir } from "node:os";
import { parseArgs } from "node:util";

export const SECTIONS = ["json", "stream", "paced", "open", "idle", "start"] as const;
export type Section = (typeof SECTIONS)[number];

export type Options = {
  /** Length of one cell: one target, one shape, one concurrency, one round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly concurrencies: readonly number[];
  readonly only: readonly Section[];
  /** Where everything measured is written as JSON. */
  readonly json: string | undefined;
  /** A minute instead of six: enough to see a large change, not to quote a figure. */
  readonly quick: boolean;
  /** Where the hubs' data directories are made: the disk whose fsync is measured. */
  readonly within: string;
};

export const USAGE = `bun run bench proxy [--quick] [--seconds N] [--rounds N] [--c 1,16,64] [--only ${SECTIONS.join(",")}]
                    [--data DIR] [--json FILE]`;

/** Reads the flags of a bench. Throws on what it does not know. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string" },
      rounds: { type: "string" },
      c: { type: "string" },
      only: { type: "string" },
      json: { type: "string" },
      quick: { type: "boolean", default: false },
      data: { type: "string", default: tmpdir() },
    },
  });
  const { quick, data: within, json } = values;
  const { seconds, rounds, c } = { ...(quick ? QUICK : FULL), ...values };
  return {
    seconds: positive("seconds", seconds),
    rounds: Math.ceil(positive("rounds", rounds)),
    concurrencies: c.split(",").map((text) => positive("c", text)),
    only: values.only === undefined ? SECTIONS : values.only.split(",").map(section),
    json,
    quick,
    within,
  };
}

const FULL = { seconds: "2", rounds: "4", c: "1,16,64" };
const QUICK = { seconds: "0.5", rounds: "2", c: "16,64" };

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${flag} must be above 0, not ${text}`);
  return value;
}

function section(name: string): Section {
  const found = SECTIONS.find((candidate) => candidate === name);
  if (found === undefined) throw new Error(`--only knows ${SECTIONS.join(", ")}, not ${name}`);
  return found;
}
