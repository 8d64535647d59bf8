import { shellLine } from "#core/command-line";
import type { Argument, Input, Package, Remote, ServerJson, Value } from "./server-json";

/*
 * What an entry of a registry offers: addresses to reach a server at, and packages to run it from. Each is turned into
 * what a tool server is made of once its inputs have values. An entry is a stranger's text: nothing here runs.
 */

/** Where the value of an input goes. What goes into an address or an argument is not encrypted. */
export const INPUT_PLACES = ["url", "header", "argument", "variable"] as const;

/** A value that an entry asks for. */
export type OfferInput = {
  readonly name: string;
  readonly place: (typeof INPUT_PLACES)[number];
  readonly description: string | null;
  readonly is_required: boolean;
  readonly is_secret: boolean;
  readonly default: string | null;
  readonly choices: readonly string[] | null;
};

type Part = string | OfferInput;
/** A word, header or variable; left out when an input it needs has no value. */
type Text = { readonly parts: readonly Part[]; readonly isRequired: boolean };
type Named = Text & { readonly name: string };
/** `flag` stands before the text, as a word of its own. */
type Word = Text & { readonly flag: string | null };

type Plan =
  | { readonly transport: "streamable-http" | "sse"; readonly url: Text; readonly headers: readonly Named[] }
  | { readonly transport: "stdio"; readonly words: readonly Word[]; readonly variables: readonly Named[] };

export type Offer = {
  /** The address, or the exact command, with `{name}` for each input. */
  readonly shown: string;
  readonly inputs: readonly OfferInput[];
  /** Why it cannot be used here; null where it can. */
  readonly problem: string | null;
  readonly plan: Plan | null;
};

export type Place =
  | { readonly transport: "streamable-http" | "sse"; readonly url: string }
  | { readonly transport: "stdio"; readonly command: readonly string[] };

export type Resolved = {
  readonly place: Place;
  readonly headers: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
};

/** Remotes first: they run nothing on the hub's machine. */
export const offersOf = ({ remotes = [], packages = [] }: ServerJson): Offer[] => [
  ...remotes.map(remoteOffer),
  ...packages.map(packageOffer),
];

const inputOf = (name: string, place: OfferInput["place"], input: Input): OfferInput => ({
  name,
  place,
  description: input.description ?? null,
  is_required: input.isRequired ?? false,
  is_secret: input.isSecret ?? false,
  default: input.default ?? null,
  choices: input.choices ?? null,
});

const VARIABLE = /\{([A-Za-z0-9_.-]+)\}/g;

/** A template: `{name}` is an input where the variables name it, and stays as it is where they do not. */
const templateParts = (
  text: string,
  variables: Readonly<Record<string, Input>>,
  place: OfferInput["place"],
): Part[] => {
  const parts: Part[] = [];
  let end = 0;
  for (const found of text.matchAll(VARIABLE)) {
    const [whole, name = ""] = found;
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable === undefined) continue;
    parts.push(text.slice(end, found.index), variable.value ?? inputOf(name, place, variable));
    end = found.index + whole.length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== "");
};

const textOf = (name: string, place: OfferInput["place"], value: Value): Text => ({
  parts:
    value.value === undefined
      ? [inputOf(name, place, value)]
      : templateParts(value.value, value.variables ?? {}, place),
  isRequired: value.isRequired ?? false,
});

const namedTexts = (values: readonly (Value & { readonly name: string })[], place: "header" | "variable"): Named[] =>
  values.map((value) => ({ name: value.name, ...textOf(value.name, place, value) }));

const said = (text: string): Word => ({ flag: null, parts: [text], isRequired: true });

const wordOf = (argument: Argument, index: number): Word => {
  if (argument.type === "positional") {
    const name = argument.valueHint ?? `argument ${index + 1}`;
    return { flag: null, ...textOf(name, "argument", argument) };
  }
  const { name, value, default: usual, description, variables } = argument;
  const isSwitch = [value, usual, description, variables].every((one) => one === undefined);
  if (isSwitch) return { flag: name, parts: [], isRequired: true };
  return { flag: name, ...textOf(name, "argument", argument) };
};

const shownText = ({ parts }: Text): string =>
  parts.map((part) => (typeof part === "string" ? part : `{${part.name}}`)).join("");

/** A switch is its flag alone. */
const wordsOf = ({ flag, parts }: Word, text: string): string[] => {
  if (flag === null) return [text];
  return parts.length === 0 ? [flag] : [flag, text];
};

/** Each input once: one name is one value, wherever it is put. */
const inputsIn = (texts: readonly Text[]): OfferInput[] => {
  const inputs = texts.flatMap(({ parts }) => parts.filter((part) => typeof part !== "string"));
  return inputs.filter((input, at) => inputs.findIndex(({ name }) => name === input.name) === at);
};

const remoteOffer = ({ type, url, headers = [], variables = {} }: Remote): Offer => {
  const address: Text = { parts: templateParts(url, variables, "url"), isRequired: true };
  const plan = { transport: type, url: address, headers: namedTexts(headers, "header") };
  return { shown: shownText(address), inputs: inputsIn([address, ...plan.headers]), problem: null, plan };
};

type Runner = {
  /** The program and its own first arguments. */
  readonly start: readonly [string, ...string[]];
  /** Names of packages: never an address, a path or a flag of the program that fetches them. */
  readonly name: RegExp;
  readonly base: RegExp;
};

/** What runs packages, by the registry they come from. */
export const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: {
    start: ["npx", "-y"],
    name: /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i,
    base: /^https:\/\/registry\.npmjs\.org\/?$/,
  },
  pypi: { start: ["uvx"], name: /^[a-z0-9][a-z0-9._-]*$/i, base: /^https:\/\/pypi\.org\/?$/ },
};
export const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+_-]*$/;

const packageOffer = (offered: Package): Offer => {
  const { registryType, identifier, version } = offered;
  const wanted = `${registryType} ${identifier}${version === undefined ? "" : `@${version}`}`;
  const problem = packageProblem(offered);
  const runner = runnerOf(registryType);
  if (problem !== null || runner === null) return { shown: wanted, inputs: [], problem, plan: null };
  const { runtimeArguments = [], packageArguments = [], environmentVariables = [] } = offered;
  const given = runtimeArguments.map(wordOf);
  const [program, ...first] = runner.start;
  const isSaid = given.some((word) => ["-y", "--yes"].includes(word.flag ?? shownText(word)));
  const words: Word[] = [
    said(program),
    ...(isSaid ? [] : first.map(said)),
    ...given,
    said(version === undefined ? identifier : `${identifier}@${version}`),
    ...packageArguments.map(wordOf),
  ];
  const variables = namedTexts(environmentVariables, "variable");
  const shown = words.flatMap((word) => wordsOf(word, shownText(word)));
  const plan: Plan = { transport: "stdio", words, variables };
  return { shown: shellLine(shown), inputs: inputsIn([...words, ...variables]), problem: null, plan };
};

const runnerOf = (registryType: string): Runner | null =>
  (Object.hasOwn(RUNNERS, registryType) ? RUNNERS[registryType] : undefined) ?? null;

/** Null for what npx or uvx runs. */
const packageProblem = ({ registryType, registryBaseUrl, identifier, version, runtimeHint, transport }: Package) => {
  const runner = runnerOf(registryType);
  if (runner === null) return `Packages of ${registryType} are not run by the hub: npm and pypi are.`;
  if (transport.type !== "stdio") return "Only packages that speak over stdio are run by the hub.";
  if (runtimeHint !== undefined && runtimeHint !== runner.start[0])
    return `It is to be run by another program than ${runner.start[0]}.`;
  if (registryBaseUrl !== undefined && !runner.base.test(registryBaseUrl))
    return "It comes from another package registry.";
  if (!runner.name.test(identifier)) return `Its identifier is no name of ${registryType}.`;
  if (version !== undefined && !VERSION.test(version)) return "Its version is not one exact version.";
  return null;
};

/** What is wrong with the values for an offer's inputs; names only, since a value may be a secret. Null for nothing. */
export const valueProblem = ({ inputs }: Offer, values: Readonly<Record<string, string>>): string | null => {
  const unknown = Object.keys(values).find((name) => !inputs.some((input) => input.name === name));
  if (unknown !== undefined) return `name ${unknown}, which is not asked for`;
  for (const input of inputs) {
    const value = givenFor(input, values);
    if (value === null && input.is_required) return `need ${input.name}`;
    if (value !== null && input.choices !== null && input.choices.length > 0 && !input.choices.includes(value)) {
      return `need one of ${input.choices.join(", ")} for ${input.name}`;
    }
  }
  return null;
};

const givenFor = ({ name, default: usual }: OfferInput, values: Readonly<Record<string, string>>): string | null =>
  (Object.hasOwn(values, name) ? values[name] : undefined) ?? usual;

/** What a tool server is made of; null where an address or a required word lacks a value, or the offer cannot be used. */
export const resolved = ({ plan }: Offer, values: Readonly<Record<string, string>>): Resolved | null => {
  const fill = ({ parts }: Text): string | null => {
    const texts = parts.map((part) => (typeof part === "string" ? part : givenFor(part, values)));
    return texts.includes(null) ? null : texts.join("");
  };
  const filled = (named: readonly Named[]): Record<string, string> =>
    Object.fromEntries(
      named.flatMap((one): [string, string][] => {
        const text = fill(one);
        return text === null ? [] : [[one.name, text]];
      }),
    );
  const lacks = (texts: readonly Text[]): boolean => texts.some((text) => text.isRequired && fill(text) === null);
  if (plan === null) return null;
  if (plan.transport !== "stdio") {
    const url = fill(plan.url);
    if (url === null || lacks(plan.headers)) return null;
    return { place: { transport: plan.transport, url }, headers: filled(plan.headers), variables: {} };
  }
  if (lacks([...plan.words, ...plan.variables])) return null;
  const command = plan.words.flatMap((word) => {
    const text = fill(word);
    if (text === null) return [];
    return wordsOf(word, text);
  });
  return { place: { transport: "stdio", command }, headers: {}, variables: filled(plan.variables) };
};
