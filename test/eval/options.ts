import { parseArgs } from "node:util";

/** So many of the wrong answers about one type. */
export type Examples = { readonly most: number; readonly type: string };

export type Options = {
  readonly folder: string;
  readonly json: string | undefined;
  /** A kind of samples, or a part of a file's name. */
  readonly only: string | undefined;
  /** Count every finding from this score on, instead of those the built-in policy records. */
  readonly from: number | undefined;
  readonly misses: Examples | undefined;
  readonly alarms: Examples | undefined;
  readonly sweep: string | undefined;
  /** Print the texts themselves, unmasked. */
  readonly show: boolean;
};

export const USAGE = `usage: bun run eval DIR [--json FILE] [--only KIND|FILE] [--from SCORE]
                    [--misses N LABEL] [--alarms N FLAG] [--sweep LABEL|FLAG] [--show]`;

/** Throws an Error about what it does not know. */
export function readOptions(args: readonly string[]): Options {
  const rest = [...args];
  const misses = examples(rest, "--misses");
  const alarms = examples(rest, "--alarms");
  const { values, positionals } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: {
      json: { type: "string" },
      only: { type: "string" },
      from: { type: "string" },
      sweep: { type: "string" },
      show: { type: "boolean", default: false },
    },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new Error("name one folder of samples");
  const from = values.from === undefined ? undefined : Number(values.from);
  if (from !== undefined && !(from >= 0 && from <= 1)) throw new Error("--from must be from 0 to 1");
  return { folder, json: values.json, only: values.only, from, misses, alarms, sweep: values.sweep, show: values.show };
}

/** Takes a flag of two values out of the arguments. */
function examples(args: string[], flag: string): Examples | undefined {
  const at = args.indexOf(flag);
  if (at < 0) return undefined;
  const [, most, type] = args.splice(at, 3);
  if (!(Number(most) > 0) || type === undefined) throw new Error(`${flag} takes a number and a type`);
  return { most: Number(most), type };
}
