import { type CliFlags, COMMON_FLAGS } from "./arguments";
import { EXAMPLES } from "./examples";
import { ABOUT, EXIT_CODES, flagHead, flagText, formOf, USAGE } from "./help-text";
import type { Topic, Verb } from "./verb";
import { VERSION } from "./version";

/* The manual page as roff, in the macros of man(7), which groff and mandoc both read. */

/** A text as roff prints it: hyphens can be copied, and no line begins a macro. */
const text = (words: string): string =>
  words
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("`", "\\(ga")
    .replaceAll("'", "\\(aq")
    .replace(/^\./, "\\&.");

/** An argument of a macro. */
const quoted = (words: string): string => `"${text(words).replaceAll('"', "\\(dq")}"`;

const flagItems = (flags: CliFlags): string[] =>
  Object.entries(flags).flatMap(([name, flag]) => [".TP", `.B ${quoted(flagHead(name, flag))}`, text(flagText(flag))]);

const verbItems = (verb: Verb): string[] => [
  `.SS ${quoted(verb.name)}`,
  text(`${verb.summary}.`),
  ".PP",
  ".B guardhouse",
  text(formOf(verb)),
  ...flagItems(verb.flags ?? {}),
  ".PP",
  ".nf",
  ...(EXAMPLES[verb.name] ?? []).map((line) => text(`guardhouse ${line}`)),
  ".fi",
];

export const manPage = (topics: readonly Topic[]): string =>
  [
    `.TH GUARDHOUSE 1 "" "guardhouse ${VERSION}" "Guardhouse"`,
    ".SH NAME",
    "guardhouse \\- govern AI agents",
    ".SH SYNOPSIS",
    text(USAGE),
    ".SH DESCRIPTION",
    text(ABOUT),
    ".SH OPTIONS",
    "Every verb takes",
    ...flagItems(COMMON_FLAGS),
    ...topics.flatMap(({ title, verbs }) => [`.SH ${quoted(title.toUpperCase())}`, ...verbs.flatMap(verbItems)]),
    ".SH EXIT STATUS",
    text(`${EXIT_CODES}.`),
    "",
  ].join("\n");
