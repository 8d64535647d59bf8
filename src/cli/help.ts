import { COMMANDS, commandLine } from "#core/command-line";
import { suggestionFor } from "#core/nearest";
import { type CliFlags, COMMON_FLAGS } from "./arguments";
import { EXAMPLES } from "./examples";
import { EXIT, usage } from "./exit";
import { ABOUT, EXIT_CODES, flagHead, flagText, formOf, USAGE } from "./help-text";
import { manPage } from "./man-page";
import { type Paint, paintFor } from "./paint";
import type { RunVerb, Topic, Verb } from "./verb";

const flagLines = (flags: CliFlags): string[] => {
  const rows = Object.entries(flags).map(([name, flag]) => ({
    left: `${flag.short ? "" : "    "}${flagHead(name, flag)}`,
    right: flagText(flag),
  }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`);
};

const exampleLines = (verb: Verb): string[] => (EXAMPLES[verb.name] ?? []).map((line) => `  guardhouse ${line}`);

/** What `guardhouse VERB --help` shows. */
export const verbHelp = (verb: Verb, paint: Paint): string =>
  [
    `${verb.summary}.`,
    "",
    `${paint.strong("usage:")} guardhouse ${formOf(verb)}`,
    ...(verb.flags ? ["", ...flagLines(verb.flags)] : []),
    "",
    paint.strong("common flags:"),
    ...flagLines(COMMON_FLAGS),
    "",
    paint.strong("examples:"),
    ...exampleLines(verb),
  ].join("\n");

const allOf = (topics: readonly Topic[]): readonly Verb[] => topics.flatMap(({ verbs }) => verbs);

const topicLines = (topics: readonly Topic[], paint: Paint): string[] => {
  const width = Math.max(...allOf(topics).map(({ name }) => name.length));
  return topics.flatMap(({ title, verbs }) => [
    paint.strong(title),
    ...verbs.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
  ]);
};

/** What `guardhouse` and `guardhouse help` show. */
export const overview = (topics: readonly Topic[], paint: Paint): string =>
  [
    ABOUT,
    "",
    `${paint.strong("usage:")} ${USAGE}`,
    "",
    ...topicLines(topics, paint),
    `Start with \`${commandLine(COMMANDS.demo())}\`. \`guardhouse help VERB\` shows a verb's arguments and examples.`,
    `Exit codes: ${EXIT_CODES}.`,
  ].join("\n");

/** The verbs below a first word such as `token`. */
export const groupOf = (name: string, topics: readonly Topic[]): readonly Verb[] =>
  allOf(topics).filter((verb) => verb.name.startsWith(`${name} `));

const groupHelp = (name: string, group: readonly Verb[], paint: Paint): string =>
  [
    ...group.flatMap((verb) => [
      `guardhouse ${paint.strong(verb.name)}${formOf(verb).slice(verb.name.length)}`,
      `    ${verb.summary}`,
    ]),
    "",
    `\`${commandLine(COMMANDS.helpOfVerb(name))}\` shows the flags and examples of one.`,
  ].join("\n");

/** A verb, all of a noun (`token`), or everything. Throws a usage `CliExit` that names the nearest. */
const helpText = (words: readonly string[], topics: readonly Topic[], paint: Paint): string => {
  if (words.length === 0) return overview(topics, paint);
  const name = words.join(" ");
  const exact = allOf(topics).find((verb) => verb.name === name);
  if (exact) return verbHelp(exact, paint);
  const group = groupOf(name, topics);
  if (group.length > 0) return groupHelp(name, group, paint);
  throw unknownVerb(words, topics);
};

/** A usage `CliExit` for words that are no verb. */
export const unknownVerb = (words: readonly string[], topics: readonly Topic[]): Error => {
  const [first = "", second = ""] = words;
  const group = groupOf(first, topics);
  if (group.length > 0) {
    const names = group.map(({ name }) => name.slice(first.length + 1));
    const guess = suggestionFor(second, names, `${first} `);
    return usage(
      `unknown verb ${first} ${second}${guess}`,
      guess === "" ? groupHelp(first, group, paintFor(false)) : null,
    );
  }
  const names = allOf(topics).flatMap((verb) => [verb.name, verb.name.split(" ")[0] ?? ""]);
  const guess = suggestionFor(words.join(" "), names) || suggestionFor(first, names);
  return usage(`unknown verb ${first}${guess}`);
};

export const help: RunVerb = async ({ args, out, topics }) => {
  if (args.on("man")) {
    await out.write(manPage(topics));
    return EXIT.ok;
  }
  const words = [args.operand(0), args.operand(1), args.operand(2)].filter((word) => word !== undefined);
  await out.result({ help: helpText(words, topics, paintFor(false)) }, helpText(words, topics, out.paint));
  return EXIT.ok;
};
