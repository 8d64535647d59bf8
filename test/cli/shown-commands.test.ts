import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { verbOf } from "#cli/run";
import { COMMANDS, type CommandWords, commandLine, NO_PLACE } from "#core/command-line";
import { verifies } from "#test/support/verifies";

const SRC = join(import.meta.dir, "../../src");
const PLACE = { config: "/etc/guard world/it's.toml", data_dir: "/var/lib/guardhouse" };

/** What a shell hands to `guardhouse` when this line is typed: nothing of it is run. */
const readByShell = async (line: string): Promise<string[]> => {
  const script = `guardhouse() { printf '%s\\0' "$@"; }\n${line}`;
  const child = Bun.spawn(["sh", "-c", script], { stdout: "pipe", stderr: "pipe", env: {} });
  const [words, faults] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(faults).toBe("");
  return words.split("\0").slice(0, -1);
};

/** Some name for each thing a command is about. */
const sampleOf = (make: (...names: never[]) => CommandWords): CommandWords =>
  Reflect.apply(make, null, ["first one", "it's $HOME", "c"]);

const verbs = Object.values(COMMANDS).map((make) => sampleOf(make));

test.each(verbs)("the command line takes what is shown: %s %s", async (...words) => {
  verifies("cli.shown-commands");
  for (const place of [NO_PLACE, PLACE]) {
    const argv = await readByShell(commandLine(words, place));
    const plain = words.filter((word) => !/^[A-Z_]+=/.test(word));
    expect(verbOf(argv)).toBe(verbOf(plain));
    if (place === NO_PLACE) expect(argv).toEqual(plain);
    else expect(argv).toContain(PLACE.config);
  }
});

test("any word is read back by a shell as it was", async () => {
  verifies("cli.shown-commands");
  const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => !text.includes("\0"));
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), async (words) => {
      expect(await readByShell(commandLine(["scan", ...words]))).toEqual(["scan", ...words]);
    }),
    { numRuns: 100 },
  );
});

/** Not commands: what signatures begin with, and the help's own lines with any verb. */
const NO_COMMANDS = /guardhouse ((?:[a-z]+ )+v\d|help VERB)/;

test("nothing else in the sources writes a command line down", async () => {
  verifies("cli.shown-commands");
  const found: string[] = [];
  for await (const path of new Bun.Glob("**/*.{ts,tsx}").scan(SRC)) {
    if (path === "core/command-line.ts") continue;
    const text = await Bun.file(join(SRC, path)).text();
    const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
    for (const line of code.split("\n")) {
      if (/\bguardhouse [a-z]/.test(line) && !NO_COMMANDS.test(line)) found.push(`${path}: ${line.trim()}`);
    }
  }
  expect(found).toEqual([]);
});
