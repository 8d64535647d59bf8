import fc from "fast-check";
import { TOML } from "#clients/edit/toml";
import { tomlText } from "#clients/toml-text";

/** Text with another end of lines, a mark of the byte order, or no end of its last line. */
const dressed = (text: string, crlf: boolean, bom: boolean, cut: boolean): string => {
  const whole = cut ? text.trimEnd() : text;
  return (bom ? "\ufeff" : "") + (crlf ? whole.replaceAll("\n", "\r\n") : whole);
};

/** Names clients use themselves, so that generated files often have what is written. */
const NAMES = [
  "env",
  "hooks",
  "mcpServers",
  "hub",
  "servers",
  "provider",
  "PreToolUse",
  "model",
  "inputs",
  "language_models",
];
const name = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text !== "__proto__"),
);

const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false, 0, -1.5, 12),
    fc.string({ maxLength: 8 }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4 }),
  ),
}));
const root = fc.dictionary(name, json, { maxKeys: 6 });

/** Comments of a text, each with a number of its own. */
export const commentsIn = (text: string): readonly string[] => text.match(/\/\*\d+\*\//g) ?? [];

/** Comments where JSON may have them: behind brackets and values, and above keys. */
const commented = (text: string, comments: boolean): string => {
  if (!comments) return text;
  let count = 0;
  const comment = (): string => {
    count += 1;
    return `/*${count}*/`;
  };
  const dense = text.replaceAll(/(,?)\n/g, (_, comma: string) =>
    count % 3 === 0 ? ` ${comment()}${comma} // ${comment()}\n` : `${comma} ${comment()}\n${comment()}\n`,
  );
  return `${comment()}\n${dense}`;
};

export const jsonFile = fc
  .record({
    root,
    indent: fc.constantFrom<(string | number)[]>(0, 2, 4, "\t"),
    comments: fc.boolean(),
    crlf: fc.boolean(),
    bom: fc.boolean(),
    cut: fc.boolean(),
  })
  .map(({ root: value, indent, comments, crlf, bom, cut }) =>
    dressed(`${commented(JSON.stringify(value, null, indent), comments)}\n`, crlf, bom, cut),
  );

const scalar = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.string({ maxLength: 8 }),
  fc.array(fc.integer(), { maxLength: 3 }),
);
const tomlKey = fc.oneof(
  fc.constantFrom("model", "model_provider", "approval", "model_providers"),
  fc.stringMatching(/^[a-z]{1,6}$/),
);
const tomlTableName = fc.constantFrom(
  "mcp_servers.hub",
  "mcp_servers.other",
  "model_providers.hub",
  "tui",
  "a.b",
  '"odd name"',
);
const isToml = (text: string): boolean => {
  try {
    TOML.parse(text);
    return true;
  } catch {
    // Names that were drawn twice.
    return false;
  }
};
export const tomlFile = fc
  .record({
    roots: fc.dictionary(tomlKey, scalar, { maxKeys: 4 }),
    tables: fc.uniqueArray(fc.tuple(tomlTableName, fc.dictionary(tomlKey, scalar, { maxKeys: 3 })), {
      maxLength: 4,
      selector: ([header]) => header,
    }),
    odd: fc.constantFrom(
      "",
      "# about\n",
      "long = '''\n[not.a.table]\nmodel = 1\n'''\n",
      'list = [\n  1, # one\n  "]",\n]\n',
      "day = 2026-11-27 10:00:00\n",
      'text = """a\\\n  b""" # end\n',
    ),
    crlf: fc.boolean(),
    bom: fc.constant(false),
    cut: fc.boolean(),
  })
  .map(({ roots, tables, odd, crlf, bom, cut }) => {
    const blocks = tables.map(([header, table]) => `\n# ${header}\n[${header}]\n${tomlText(table)}\n`);
    return dressed(`${odd}${tomlText(roots)}\n${blocks.join("")}`, crlf, bom, cut);
  })
  .filter(isToml);

export const envFile = fc
  .record({
    lines: fc.array(fc.constantFrom("# comment", "", "A=1", "export B = two words", "GUARDHOUSE_TOKEN=old", "C='x'"), {
      maxLength: 6,
    }),
    crlf: fc.boolean(),
    cut: fc.boolean(),
  })
  .map(({ lines, crlf, cut }) => dressed(`${lines.join("\n")}\n`, crlf, false, cut));
