import { COMMANDS, commandLine } from "#core/command-line";
import type { TSchema } from "#core/schema";
import { expectedAt, literalsOf, withoutNull } from "#core/shape-check";
import { SECTION_KEYS, SECTION_TITLES, SECTIONS, type Section } from "#policy/review/questionnaire";
import { EXIT } from "./exit";
import type { RunVerb } from "./verb";

/** The most modest answer of a question's form; what is a person's to say is left empty. */
const modest = (schema: TSchema): unknown => {
  const meant = withoutNull(schema);
  const [first] = literalsOf(meant);
  if (first !== undefined) return first;
  if (meant["type"] === "array") return [];
  if (meant["type"] === "boolean") return false;
  return meant["type"] === "integer" ? 1 : "";
};

/** TOML and JSON write these values alike. */
const line = (name: string, schema: TSchema): string => `${name} = ${JSON.stringify(modest(schema))}`;

/** What an item of a list is made of: `{ server = "…", tool = "…", effect = "…" }`. */
const exampleOf = (schema: TSchema): string[] => {
  const item: unknown = withoutNull(schema)["items"];
  if (typeof item !== "object" || item === null || !("properties" in item)) return [];
  const parts = questionsOf(item.properties).map(([name, part]) => `#   ${name}: ${expectedAt(part)}`);
  return ['# Each is { server = "files", tool = "read_file", effect = "read" }:', ...parts];
};

const questionsOf = (properties: unknown): [string, TSchema][] =>
  typeof properties === "object" && properties !== null ? Object.entries(properties) : [];

const sectionText = (section: Section): string => {
  const { properties, required = [] } = SECTIONS[section];
  const needed: readonly string[] = required;
  const lines = questionsOf(properties).flatMap(([name, schema]) => {
    const about = expectedAt(schema);
    const mark = needed.includes(name) ? "" : "# ";
    return ["", ...(about === "" ? [] : [`# ${about}`]), ...exampleOf(schema), `${mark}${line(name, schema)}`];
  });
  return [`# ${SECTION_TITLES[section]}`, `[${section}]`, ...lines.slice(1)].join("\n");
};

const HEAD = `# Answers for Agent Review. Fill in what is empty, take the "# " off what else you answer, then:
#   ${commandLine(COMMANDS.submitAgent())}
# What is not declared is not allowed: no model, no tool, no link.`;

/** The same as one JSON value: what has to be answered, most modestly. */
const template = (): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    SECTION_KEYS.map((section) => {
      const { properties, required = [] } = SECTIONS[section];
      const needed: readonly string[] = required;
      const asked = questionsOf(properties).filter(([name]) => needed.includes(name));
      return [section, Object.fromEntries(asked.map(([name, schema]) => [name, modest(schema)]))];
    }),
  );

/** Prints answers to fill in: TOML with every question explained, or with `--json` what has to be answered. */
export const questionnaire: RunVerb = async ({ out }) => {
  await out.result(template(), [HEAD, ...SECTION_KEYS.map(sectionText)].join("\n\n"));
  return EXIT.ok;
};
