import { type CliFlag, type CliFlags, COMMON_FLAGS, valuesOf } from "./arguments";
import type { Topic, Verb } from "./verb";

/* What can be completed where, for the scripts of all shells. */

/** What may stand behind a flag or as an operand. */
export type Values =
  | { readonly kind: "file" | "folder" | "any" }
  | { readonly kind: "some"; readonly of: readonly string[] };

export type CompletedFlag = {
  readonly name: string;
  readonly short: string | null;
  readonly about: string;
  /** Null for a switch. */
  readonly values: Values | null;
};

/** A word that may follow. */
export type NextWord = { readonly word: string; readonly about: string };

/** What may be typed behind some words: verbs, flags, operands. */
export type Place = {
  /** `""`, `token`, `token create`. */
  readonly words: string;
  readonly next: readonly NextWord[];
  readonly flags: readonly CompletedFlag[];
  /** Null where no operand is expected. */
  readonly operand: Values | null;
};

/** What the scripts of all shells are made of. */
export type Completed = { readonly places: readonly Place[]; readonly common: readonly CompletedFlag[] };

const KINDS: Readonly<Record<string, "file" | "folder">> = { FILE: "file", DIR: "folder" };

const valuesNamed = (placeholder: string, values: readonly string[]): Values =>
  values.length > 0 ? { kind: "some", of: values } : { kind: KINDS[placeholder] ?? "any" };

const flagOf = (name: string, flag: CliFlag): CompletedFlag => ({
  name,
  short: flag.short ?? null,
  about: flag.about,
  values: flag.value === undefined ? null : valuesNamed(flag.value, valuesOf(flag)),
});

const flagsOf = (flags: CliFlags): CompletedFlag[] => Object.entries(flags).map(([name, flag]) => flagOf(name, flag));

const operandOf = ({ operands: [first] = [] }: Verb): Values | null => {
  if (first === undefined) return null;
  const placeholder = first.replaceAll(/[[\]]/g, "");
  return valuesNamed(placeholder, placeholder.includes("|") ? placeholder.split("|") : []);
};

/** Behind a noun its verbs, behind nothing the nouns and the verbs that stand alone. */
const nextAfter = (words: string, verbs: readonly Verb[]): NextWord[] => {
  const below = verbs.filter(({ name }) => words === "" || name.startsWith(`${words} `));
  const rests = below.map(({ name, summary }) => ({ rest: name.slice(words === "" ? 0 : words.length + 1), summary }));
  const firsts = [...new Set(rests.map(({ rest }) => rest.split(" ")[0] ?? ""))];
  return firsts.map((word) => {
    const exact = rests.find(({ rest }) => rest === word);
    const others = rests.flatMap(({ rest }) => (rest.startsWith(`${word} `) ? [rest.slice(word.length + 1)] : []));
    return { word, about: exact?.summary ?? others.join(", ") };
  });
};

/** What can be completed where, read off the catalogue. */
export const completedOf = (topics: readonly Topic[]): Completed => {
  const verbs = topics.flatMap((topic) => topic.verbs);
  const nouns = verbs.flatMap(({ name }) => name.split(" ").map((_, end, words) => words.slice(0, end).join(" ")));
  const all = [...new Set(["", ...nouns, ...verbs.map(({ name }) => name)])];
  const places = all.map((words): Place => {
    const verb = verbs.find(({ name }) => name === words);
    return {
      words,
      next: nextAfter(words, verbs),
      flags: flagsOf(verb?.flags ?? {}),
      operand: verb === undefined ? null : operandOf(verb),
    };
  });
  return { places, common: flagsOf(COMMON_FLAGS) };
};
