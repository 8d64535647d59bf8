import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseArguments } from "#cli/arguments";
import { definitionDiff } from "#cli/tool-diff";
import { headersIn } from "#cli/tool-servers-credentials";

test("arguments after -- are taken as they are", () => {
  const flags = { owner: { value: "EMAIL", about: "" }, stdio: { about: "" } };
  const before = ["slug", "--owner", "eve@example.com", "--stdio", "--"];
  const anything = fc.array(fc.oneof(fc.string(), fc.constantFrom("--", "--owner", "-h", "--help", "--stdio=x")));
  fc.assert(
    fc.property(anything, (command) => {
      const args = parseArguments([...before, ...command], flags, ["SLUG", "[-- CMD ARG…]"]);
      expect(args.command).toEqual(command);
      expect([args.operand(0), args.operand(1), args.text("owner")]).toEqual(["slug", undefined, "eve@example.com"]);
    }),
  );
  expect(parseArguments(["slug"], flags, ["SLUG", "[-- CMD ARG…]"]).command).toBeNull();
  // Other verbs go on as ever: a name may look like a flag.
  expect(parseArguments(["--", "--name"], flags, ["NAME"]).operand(0)).toBe("--name");
});

test("a file of headers is read as it was written", () => {
  const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/);
  const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
  const space = fc.constantFrom("", " ", "\t", "  ");
  const lines = fc.uniqueArray(fc.tuple(name, space, value), { selector: ([key]) => key.toLowerCase(), minLength: 1 });
  fc.assert(
    fc.property(lines, fc.constantFrom("\n", "\r\n", "\n\n"), (entries, end) => {
      const text = entries.map(([key, gap, content]) => `${key}:${gap}${content}`).join(end);
      expect(headersIn(text)).toEqual(Object.fromEntries(entries.map(([key, , content]) => [key, content])));
    }),
  );
});

test("diff shows removed and added values only", () => {
  const word = fc.constantFrom("a", "b", "c");
  const definition = fc.dictionary(word, fc.array(word, { maxLength: 3 }), { noNullPrototype: true });
  const linesOf = (value: object) => JSON.stringify(value, null, 2).split("\n");
  fc.assert(
    fc.property(definition, definition, (before, after) => {
      const diff = definitionDiff(before, after);
      const [old, now] = [linesOf(before), linesOf(after)];
      const taken = diff.filter((line) => line.startsWith("- ")).map((line) => line.slice(2));
      const put = diff.filter((line) => line.startsWith("+ ")).map((line) => line.slice(2));
      // What is left when both are cut out is the same text.
      const at = old.findIndex((line, index) => line !== now[index]);
      const from = at < 0 ? old.length : at;
      expect(old.toSpliced(from, taken.length, ...put)).toEqual(now);
      expect(old.slice(from, from + taken.length)).toEqual(taken);
      if (JSON.stringify(before) === JSON.stringify(after)) expect(diff).toEqual([]);
    }),
  );
  const long = { lines: Array.from({ length: 100 }, (_, index) => "x".repeat(index * 10)) };
  const shown = definitionDiff(null, long);
  expect(shown.at(-1)).toMatch(/lines more$/);
  expect(Math.max(...shown.map(({ length }) => length))).toBeLessThan(200);
});
