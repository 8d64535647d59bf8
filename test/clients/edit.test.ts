import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Contents, Entry, Target } from "#clients/client";
import { CONNECTED } from "#clients/clients";
import { edited, without } from "#clients/edit/edit";
import { Unreadable, Unwritable } from "#clients/edit/editor";
import { ENV } from "#clients/edit/env";
import { JSONC } from "#clients/edit/jsonc";
import { TOML } from "#clients/edit/toml";
import { isSame, placeOf, valueAt, withEntries } from "#clients/entries";
import { commentsIn, envFile, jsonFile, tomlFile } from "#test/clients/files";
import { verifies } from "#test/support/verifies";

const TARGET: Target = {
  hub: "https://hub.example.com",
  token: "gw-live-0123456789abcdef",
  models: ["guardhouse/echo", 'odd "name"'],
  model: "guardhouse/echo",
  guardhouse: "guardhouse",
};

/** Everything any client puts into a file of the format. */
const contentsOf = (format: "json" | "toml" | "env"): Contents[] =>
  CONNECTED.flatMap((client) =>
    client.files(TARGET, { platform: "linux", home: "/home/ada", variable: () => undefined }),
  ).flatMap(({ contents }) => (contents.format === format ? [contents] : []));

type PlainEntry = Extract<Entry, { readonly value: unknown }>;

const entriesOf = (contents: Contents): readonly Entry[] => ("entries" in contents ? contents.entries : []);

/** Whether one text is the other with something put in between. */
const isWithin = (text: string, longer: string): boolean => {
  let at = 0;
  for (const character of longer.split("")) if (character === text[at]) at += 1;
  return at === text.length;
};

/** What the person does afterwards: another value in place of each that was written, and something of their own. */
const changesOf = (format: "json" | "toml" | "env", text: string, contents: Contents): readonly PlainEntry[] => {
  const other = { json: { x: [1] }, toml: { x: [1] }, env: "other" }[format];
  const isPlain = (entry: Entry): entry is PlainEntry => "value" in entry;
  const changes = entriesOf(contents)
    .filter(isPlain)
    .map(({ at, value }): PlainEntry => ({ at, value: typeof value === "object" ? other : "other" }));
  const own: PlainEntry = { at: [format === "env" ? "OWN" : "own-key"], value: other };
  return format === "json" &&
    text
      .replace(/^\ufeff/, "")
      .trim()
      .startsWith("[")
    ? changes
    : [...changes, own];
};

const FORMATS = [
  ["json", jsonFile, JSONC],
  ["toml", tomlFile, TOML],
  ["env", envFile, ENV],
] as const;

describe.each(FORMATS)("%s", (format, file, editor) => {
  const read = (text: string): unknown => editor.parse(text.replace(/^\ufeff/, ""));

  test("a file keeps its value beside what is put into it, and is put into once", () => {
    verifies("connect.keeps");
    let written = 0;
    fc.assert(
      fc.property(file, fc.constantFrom(...contentsOf(format)), (text, contents) => {
        let after: string;
        try {
          after = edited(text, contents);
        } catch (cause) {
          // Said instead of written: what a client of ours would not read either, or a place that is something else.
          expect(cause).toBeInstanceOf(Unwritable);
          return;
        }
        written += 1;
        expect(isSame(read(after), withEntries(read(text), entriesOf(contents)))).toBe(true);
        expect(edited(after, contents)).toBe(after);
        // Nothing is taken out where everything is new.
        const isNew = entriesOf(contents).every((entry) => {
          const old = valueAt(read(text), entry.at);
          return old === undefined || ("item" in entry && placeOf(old, entry) === null);
        });
        if (isNew) expect(isWithin(text, after)).toBe(true);
        expect(after.startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
        const eols = text.includes("\n") ? /(?<!\r)\n/.test(after) : false;
        if (text.includes("\r\n")) expect(eols).toBe(false);
      }),
      { numRuns: 600 },
    );
    expect(written).toBeGreaterThan(200);
  });

  test("what was changed meanwhile stays when the entries are taken out again", () => {
    verifies("connect.undo");
    fc.assert(
      fc.property(file, fc.constantFrom(...contentsOf(format)), (text, contents) => {
        let after: string;
        try {
          after = edited(text, contents);
        } catch (cause) {
          expect(cause).toBeInstanceOf(Unwritable);
          return;
        }
        const left = without(after, contents, text);
        // Empty objects on the way to a place that was nothing are the only difference there can be.
        expect(isSame(read(left) ?? {}, read(text) ?? {})).toBe(true);
        expect(commentsIn(left)).toEqual(commentsIn(after));
        for (const change of changesOf(format, after, contents)) {
          const changed = edited(after, { format, entries: [change] });
          const kept = without(changed, contents, text);
          expect(isSame(valueAt(read(kept), change.at), valueAt(read(changed), change.at))).toBe(true);
          expect(commentsIn(kept)).toEqual(commentsIn(changed));
        }
      }),
      { numRuns: 400 },
    );
  });
});

const json1 = (text: string): string => edited(text, { format: "json", entries: [{ at: ["a", "b"], value: 1 }] });

describe("bytes", () => {
  test.each([
    [
      "comments, order and indentation",
      '{\n\t// one\n\t"z": [1,  2], /* two */\n\t"y": { } // three\n}\n',
      '{\n\t// one\n\t"z": [1,  2], /* two */\n\t"y": { }, // three\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
    ],
    ["a comma behind the last", '{\n  "z": 1,\n}', '{\n  "z": 1,\n  "a": {\n    "b": 1\n  },\n}'],
    [
      "ends of lines and the mark of the byte order",
      '\ufeff{\r\n  "z": 1\r\n}',
      '\ufeff{\r\n  "z": 1,\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}',
    ],
  ])("JSON keeps %s", (_, before, after) => {
    verifies("connect.keeps");
    expect(json1(before)).toBe(after);
  });

  test("TOML keeps comments, order and what only looks like a header", () => {
    verifies("connect.keeps");
    const before = '# mine\nmodel = "m" # why\n\n[tui]\nnote = """\n[model_providers.hub]\n"""\n';
    const after = edited(before, {
      format: "toml",
      entries: [
        { at: ["model"], value: "x" },
        { at: ["model_provider"], value: "hub" },
        { at: ["model_providers", "hub"], value: { name: "G" } },
      ],
    });
    expect(after).toBe(
      '# mine\nmodel = "x" # why\nmodel_provider = "hub"\n\n[tui]\nnote = """\n[model_providers.hub]\n"""\n\n[model_providers.hub]\nname = "G"\n',
    );
  });

  test.each([
    ["/* */ ".repeat(5_000), "}"],
    ["// ".repeat(5_000), "\n}"],
    [`${"// ".repeat(5_000)}\r`, "}"],
    [" ".repeat(20_000), "}"],
  ])("comments cost what their length costs", (comments, end) => {
    verifies("connect.keeps");
    const after = json1(`{"z": 1 ${comments}${end}`);
    expect(JSONC.parse(after)).toEqual({ z: 1, a: { b: 1 } });
    expect(after).toContain(comments.trimEnd());
  });

  test.each([
    [
      "behind a value and above a key, in their places",
      '{\n  // one\n  "z": 1, // two\n  // three\n  "a": { "b": 1 }, // four\n  // five\n  "y": 2 // six\n}\n',
      '{\n  // one\n  "z": 1, // two\n  // three\n  // four\n  // five\n  "y": 2 // six\n}\n',
    ],
    [
      "behind the value that is the last then",
      '{\n  "z": 1, // two\n  // three\n  "a": { "b": 1 }\n  // four\n}\n',
      '{\n  "z": 1 // two\n  // three\n  // four\n}\n',
    ],
    ["in one line", '{"a": {"b": 1}, /* one */ "z": 1}', '{/* one */ "z": 1}'],
    ["in one line, at its end", '{"z": 1, /* one */ "a": {"b": 1}}', '{"z": 1 /* one */}'],
    ["with a comma at the end", '{\n  "z": 1, // one\n  "a": 1,\n}', '{\n  "z": 1, // one\n}'],
  ])("JSON keeps comments when a key is taken out: %s", (_, text, after) => {
    verifies("connect.keeps");
    expect(edited(text, { format: "json", entries: [{ at: ["a"], absent: true }] })).toBe(after);
  });

  test("by force only what is as it was written is set back", () => {
    verifies("connect.undo");
    const contents: Contents = {
      format: "json",
      entries: [
        { at: ["url"], value: "hub" },
        { at: ["key"], absent: true },
        { at: ["other"], absent: true },
      ],
    };
    const before = '{\n  "url": "mine",\n  "key": "old",\n  "other": 1\n}\n';
    const after = edited(before, contents);
    const changed = after.replace('"hub"', '"theirs"').replace("\n}", ',\n  "key": "new"\n}');
    expect(JSON.parse(without(changed, contents, before))).toEqual({ url: "theirs", key: "new", other: 1 });
  });

  test("TOML is without the blank line that was put before a table", () => {
    verifies("connect.undo");
    for (const before of ["", "a = 1\n", "a = 1\r\n\r\n[t]\r\nb = 1\r\n", "# only\n"]) {
      const contents: Contents = {
        format: "toml",
        entries: [
          { at: ["model_providers", "hub"], value: { name: "G" } },
          { at: ["mcp_servers", "hub"], value: { url: "u" } },
        ],
      };
      expect(without(edited(before, contents), contents, before)).toBe(before);
    }
  });

  test("a place that is written in another way is refused, not doubled", () => {
    verifies("connect.refuses");
    const entries: Entry[] = [{ at: ["model_providers", "hub"], value: { name: "G" } }];
    for (const text of [
      'model_providers = { hub = { name = "x" } }\n',
      'model_providers.hub.name = "x"\n',
      '[model_providers]\nhub = { name = "x" }\n',
    ]) {
      expect(() => edited(text, { format: "toml", entries })).toThrow(Unwritable);
    }
    expect(() => edited('{"a": 1}', { format: "json", entries: [{ at: [], item: {}, mark: "x" }] })).toThrow(
      Unwritable,
    );
    expect(() =>
      edited('{"a": {"c": 1}, "a": {"c": 2}}', { format: "json", entries: [{ at: ["a", "b"], value: 1 }] }),
    ).toThrow(Unwritable);
  });

  test.each(['A="one\nGUARDHOUSE_TOKEN=two\n"\n', "A='one\nB=2'\n", 'A="\\"\nB=1"'])(
    "a value of several lines is refused, not read as variables: %j",
    (text) => {
      verifies("connect.refuses");
      const contents: Contents = { format: "env", entries: [{ at: ["GUARDHOUSE_TOKEN"], value: "x" }] };
      expect(() => edited(text, contents)).toThrow(Unwritable);
      expect(edited('A="one" # "\nB=it\'s\n', contents)).toEndWith("GUARDHOUSE_TOKEN=x\n");
    },
  );

  test("what is not of its format is said with its line", () => {
    verifies("connect.refuses");
    expect(() => json1('{\n  "a": \n}')).toThrow(new Unreadable("line 3: ValueExpected"));
    expect(() => edited("a = = 1", { format: "toml", entries: [] })).toThrow(Unreadable);
  });
});
