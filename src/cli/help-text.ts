import { type CliFlag, valuesOf } from "./arguments";
import type { Verb } from "./verb";

/* What the help, the manual page and the documents say of a verb. */

export const ABOUT = "Guardhouse governs AI agents: it authenticates, scans, forwards and audits every call.";
export const USAGE = "guardhouse VERB [arguments] [--data-dir DIR] [--config FILE] [--json]";
export const EXIT_CODES =
  "0 ok, 1 failure, 2 usage, 3 configuration, 4 data newer than this program, 5 data directory locked, " +
  "6 address in use, 8 integrity, 9 not found, 10 scan says block";

const flagForm = (name: string, flag: CliFlag): string => {
  const form = `--${name}${flag.value ? ` ${flag.value}` : ""}`;
  return flag.required ? form : `[${form}]`;
};

/** `token rotate ID [--grace DURATION]`. */
export const formOf = (verb: Verb): string => {
  const parts = verb.form
    ? [verb.form]
    : [...(verb.operands ?? []), ...Object.entries(verb.flags ?? {}).map(([name, flag]) => flagForm(name, flag))];
  return [verb.name, ...parts].join(" ");
};

/** `-n, --lines N`. */
export const flagHead = (name: string, { short, value }: CliFlag): string =>
  `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;

/** What a flag is for, its values and its default. */
export const flagText = (flag: CliFlag): string => {
  const listed = flag.values === undefined ? "" : `: ${valuesOf(flag).join(", ")}`;
  return flag.about + listed + (flag.fallback ? ` (default: ${flag.fallback})` : "");
};
