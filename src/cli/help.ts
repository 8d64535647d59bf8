import { nearest } from "#config/nearest";
import { COMMANDS, commandLine } from "#core/command-line";
import { type CliFlag, type CliFlags, COMMON_FLAGS } from "./arguments";
import { EXIT, usage } from "./exit";
import type { RunVerb, Verb } from "./verb";

const EXIT_CODES =
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

const flagLines = (flags: CliFlags): string[] => {
  const rows = Object.entries(flags).map(([name, flag]) => ({
    left: `${flag.short ? `-${flag.short}, ` : "    "}--${name}${flag.value ? ` ${flag.value}` : ""}`,
    right: flag.about + (flag.fallback ? ` (default: ${flag.fallback})` : ""),
  }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`);
};

/** What `guardhouse VERB --help` shows. */
export const verbHelp = (verb: Verb): string =>
  [
    `${verb.summary}.`,
    "",
    `usage: guardhouse ${formOf(verb)}`,
    ...(verb.flags ? ["", ...flagLines(verb.flags)] : []),
    "",
    "common flags:",
    ...flagLines(COMMON_FLAGS),
  ].join("\n");

const listing = (verbs: readonly Verb[]): string[] => {
  const width = Math.max(...verbs.map(({ name }) => name.length));
  return verbs.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
};

/** What `guardhouse help` shows. */
export const overview = (verbs: readonly Verb[]): string =>
  [
    "Guardhouse governs AI agents: it authenticates, scans, forwards and audits every call.",
    "",
    "usage: guardhouse VERB [arguments] [--data-dir DIR] [--config FILE] [--json]",
    "",
    ...listing(verbs),
    "",
    `Start with \`${commandLine(COMMANDS.demo())}\`. \`guardhouse help VERB\` shows a verb's arguments.`,
    `Exit codes: ${EXIT_CODES}.`,
  ].join("\n");

/** The verb of that name, or all of a family (`token`). Throws a usage `Stop` that names the nearest. */
const topic = (words: readonly string[], verbs: readonly Verb[]): string => {
  const name = words.join(" ");
  const exact = verbs.find((verb) => verb.name === name);
  if (exact) return verbHelp(exact);
  const group = groupOf(name, verbs);
  if (group.length > 0) return groupHelp(group);
  throw unknownVerb(words, verbs);
};

/** The verbs below a first word such as `token`. */
const groupOf = (name: string, verbs: readonly Verb[]): readonly Verb[] =>
  verbs.filter((verb) => verb.name.startsWith(`${name} `));

const groupHelp = (group: readonly Verb[]): string =>
  group.map((verb) => `guardhouse ${formOf(verb)}\n    ${verb.summary}`).join("\n");

/** A usage `Stop` for words that are no verb; it shows the help of what was typed so far. */
export const unknownVerb = (words: readonly string[], verbs: readonly Verb[]): Error => {
  const [first, second] = words;
  if (first === undefined) return usage("verb missing", overview(verbs));
  const group = groupOf(first, verbs);
  if (group.length > 0) {
    if (second === undefined) return usage(`${first}: verb missing`, groupHelp(group));
    const names = group.map(({ name }) => name);
    return usage(`unknown verb ${first} ${second}; did you mean ${nearest(`${first} ${second}`, names)}?`);
  }
  const names = verbs.flatMap((verb) => [verb.name, verb.name.split(" ")[0] ?? ""]);
  return usage(`unknown verb ${first}; did you mean ${nearest(words.join(" "), names) ?? "help"}?`);
};

export const help: RunVerb = async ({ args, out, verbs }) => {
  const words = [args.operand(0), args.operand(1)].filter((word) => word !== undefined);
  const text = words.length === 0 ? overview(verbs) : topic(words, verbs);
  await out.result({ help: text }, text);
  return EXIT.ok;
};
