import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { APIS, type Api } from "./shape.ts";

export type Options<Section extends string = string> = {
  /** Length of one cell: one target, one shape, one concurrency, one round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly concurrencies: readonly number[];
  readonly only: readonly Section[];
  /** Model APIs of the proxy bench; chat is always among them, to compare with. */
  readonly apis: readonly Api[];
  /** Where everything measured is written as JSON. */
  readonly json: string | undefined;
  /** A minute instead of some: enough to see a large change, not to quote a figure. */
  readonly quick: boolean;
  /** Where the hubs' data directories are made: the disk whose fsync is measured. */
  readonly within: string;
};

/** What can be said to one bench. */
export type Flags<Section extends string> = {
  readonly bench: string;
  readonly sections: readonly Section[];
  readonly full: Pace;
  readonly quick: Pace;
};

type Pace = { readonly seconds: string; readonly rounds: string; readonly c: string };

export const usageOf = <Section extends string>({ bench, sections, full }: Flags<Section>): string =>
  `bun run bench ${bench} [--quick] [--seconds N] [--rounds N] [--c ${full.c}] [--only ${sections.join(",")}]
                    ${bench === "proxy" ? `[--api ${APIS.join(",")}] ` : ""}[--data DIR] [--json FILE]`;

/** Reads the flags of a bench. Throws on what it does not know. */
export function readOptions<Section extends string>(flags: Flags<Section>, args: readonly string[]): Options<Section> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string" },
      rounds: { type: "string" },
      c: { type: "string" },
      only: { type: "string" },
      api: { type: "string", default: "chat" },
      json: { type: "string" },
      quick: { type: "boolean", default: false },
      data: { type: "string", default: tmpdir() },
    },
  });
  const { quick, data: within, json } = values;
  const { seconds, rounds, c } = { ...(quick ? flags.quick : flags.full), ...values };
  return {
    seconds: positive("seconds", seconds),
    rounds: Math.ceil(positive("rounds", rounds)),
    concurrencies: c.split(",").map((text) => positive("c", text)),
    only: values.only === undefined ? flags.sections : values.only.split(",").map((name) => section(flags, name)),
    apis: apisOf(values.api),
    json,
    quick,
    within,
  };
}

function apisOf(text: string): readonly Api[] {
  const names = text.split(",");
  const unknown = names.find((name) => !APIS.some((api) => api === name));
  if (unknown !== undefined) throw new Error(`--api knows ${APIS.join(", ")}, not ${unknown}`);
  return APIS.filter((api) => api === "chat" || names.includes(api));
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${flag} must be above 0, not ${text}`);
  return value;
}

function section<Section extends string>({ sections }: Flags<Section>, name: string): Section {
  const found = sections.find((candidate) => candidate === name);
  if (found === undefined) throw new Error(`--only knows ${sections.join(", ")}, not ${name}`);
  return found;
}
