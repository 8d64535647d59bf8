import { parseArgs } from "node:util";
import { suggestionFor } from "#core/nearest";
import { usage } from "./exit";

/** One flag of a verb. With `value` (its placeholder in the help) it takes a text, without it is a switch. */
export type CliFlag = {
  readonly value?: string;
  readonly about: string;
  readonly short?: string;
  readonly required?: true;
  /** What stands in for it when it is not given, for the help. */
  readonly fallback?: string;
  /** The values it takes, where `value` does not list them as `a|b`. */
  readonly values?: readonly string[];
};
export type CliFlags = Readonly<Record<string, CliFlag>>;

/** The values a flag takes, where they are a few; else none. */
export const valuesOf = ({ value = "", values }: CliFlag): readonly string[] =>
  values ?? (value.includes("|") ? value.split("|") : []);

/**
 * Operands in their order: `NAME`, or `[FILE]` for one that may be missing, `[ID…]` for as many as are given. A last `[-- CMD ARG…]` takes everything
 * behind `--` as it is.
 */
export type Operands = readonly string[];

/** The arguments of one command, checked against what its verb takes. */
export class Arguments {
  constructor(
    private readonly values: ReadonlyMap<string, string | true>,
    private readonly repeated: ReadonlyMap<string, readonly string[]>,
    private readonly operands: readonly string[],
    /** What stood behind `--`, for a verb that takes a command there; null when there was no `--`. */
    readonly command: readonly string[] | null,
  ) {}

  text(flag: string): string | undefined {
    const value = this.values.get(flag);
    return value === true ? undefined : value;
  }

  /** Every value of a flag that may be given more than once, in order. */
  texts(flag: string): readonly string[] {
    return this.repeated.get(flag) ?? [];
  }

  /** A flag the verb declares as required. */
  need(flag: string): string {
    const value = this.text(flag);
    if (value === undefined) throw usage(`--${flag} is required`);
    return value;
  }

  on(flag: string): boolean {
    return this.values.get(flag) === true;
  }

  operand(index: number): string | undefined {
    return this.operands[index];
  }

  get allOperands(): readonly string[] {
    return this.operands;
  }

  /** An operand the verb declares without brackets. */
  needOperand(index: number): string {
    const value = this.operand(index);
    if (value === undefined) throw usage("an argument is missing");
    return value;
  }
}

const readFlags = (argv: readonly string[], flags: CliFlags) => {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      { type: flag.value ? ("string" as const) : ("boolean" as const), ...(flag.short && { short: flag.short }) },
    ]),
  );
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
};

type Option = Extract<ReturnType<typeof readFlags>[number], { kind: "option" }>;

/** A text that looks like the next flag is a forgotten value, unless it was written behind `=`. */
const isForgotten = ({ value, inlineValue }: Option): boolean =>
  value === undefined || (inlineValue === false && /^--?[^\d]/.test(value));

const readOption = (option: Option, flags: CliFlags): string | true => {
  const flag = Object.hasOwn(flags, option.name) ? flags[option.name] : undefined;
  if (!flag) throw usage(`unknown flag ${option.rawName}${suggestionFor(option.name, Object.keys(flags), "--")}`);
  if (flag.value) {
    if (isForgotten(option)) throw usage(`${option.rawName} needs a value: ${option.rawName} ${flag.value}`);
    return option.value ?? "";
  }
  if (option.value !== undefined) throw usage(`${option.rawName} takes no value`);
  return true;
};

const checkOperands = (given: readonly string[], operands: Operands): void => {
  const needed = operands.filter((operand) => !operand.startsWith("["));
  if (given.length < needed.length) throw usage(`${needed[given.length]} is missing`);
  const extra = operands.at(-1)?.endsWith("…]") ? undefined : given[operands.length];
  if (extra !== undefined) throw usage(`unexpected argument: ${extra}`);
};

const isCommand = (operand: string): boolean => operand.startsWith("[-- ");

/** Throws a usage `Stop` that names the nearest flag, the missing operand, or the one too many. */
export const parseArguments = (argv: readonly string[], flags: CliFlags, operands: Operands): Arguments => {
  const end = operands.some(isCommand) ? argv.indexOf("--") : -1;
  const values = new Map<string, string | true>();
  const repeated = new Map<string, readonly string[]>();
  const given: string[] = [];
  for (const token of readFlags(end < 0 ? argv : argv.slice(0, end), flags)) {
    if (token.kind === "positional") given.push(token.value);
    if (token.kind !== "option") continue;
    const value = readOption(token, flags);
    values.set(token.name, value);
    if (value !== true) repeated.set(token.name, [...(repeated.get(token.name) ?? []), value]);
  }
  checkOperands(
    given,
    operands.filter((operand) => !isCommand(operand)),
  );
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.required && !values.has(name)) throw usage(`--${name} ${flag.value} is required`);
  }
  return new Arguments(values, repeated, given, end < 0 ? null : argv.slice(end + 1));
};

/** Flags of every verb. */
export const COMMON_FLAGS: CliFlags = {
  "data-dir": { value: "DIR", about: "data directory", fallback: "./guardhouse-data" },
  config: { value: "FILE", about: "configuration file in TOML" },
  json: { about: "one JSON value on stdout, messages on stderr" },
  "no-color": { about: "no colours on a terminal" },
  debug: { about: "show the stack trace of an unexpected error" },
  help: { short: "h", about: "show this verb's arguments" },
};

/** Flags that stand for a setting, with its key; the others of a verb are its own. */
export const SETTING_FLAGS = {
  "data-dir": "data_dir",
  listen: "listen",
  "public-url": "public_url",
  durability: "durability",
  "log-level": "log_level",
  workers: "server.workers",
} as const;
