import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { dirname, join, normalize, relative } from "node:path";
import { COMMON_FLAGS } from "#cli/arguments";
import { VERBS } from "#cli/catalogue";
import { verbOf } from "#cli/run";
import { configKeys } from "#config/schema";
import { CLIENT_VARIABLES, variableOf } from "#config/sources";
import { PAGES } from "#documentation/contents";
import { anchorsOf, withoutFences } from "#test/support/markdown";
import { PARTS, partsIn, refreshed } from "../.ci/reference";
import packageJson from "../package.json";

const ROOT = join(import.meta.dir, "..");

const files = ["README.md", ...(await readdir(join(ROOT, "docs"), { recursive: true })).map((file) => `docs/${file}`)]
  .filter((file) => file.endsWith(".md"))
  .sort();
const documents = await Promise.all(
  files.map(async (file) => ({ file, text: await Bun.file(join(ROOT, file)).text() })),
);

const anchors = new Map(documents.map(({ file, text }) => [file, anchorsOf(text)]));

/** Lines typed into a shell, continued ones joined: all of an `sh` block, those after the prompt of a `console` one. */
const shellLines = (text: string): string[] =>
  [...text.matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, block]) => {
    const lines = (block ?? "").replaceAll(/\\\n\s*/g, "").split("\n");
    return kind === "sh" ? lines : lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  });

/** Our executable where a command begins, behind variables, `env` or `docker exec`. */
const OURS = /(?:^|[|;&]\s*|\b(?:env|exec guardhouse)\s+)(?:[A-Z_]+=\S+\s+)*(?:\.\/dist\/)?guardhouse ([^|)>;&#]*)/g;

/** Everything that is written as a command line of ours, in blocks and in running text. */
const commandsIn = (text: string): string[] => [
  ...shellLines(text).flatMap((line) => [...line.trim().matchAll(OURS)].map(([, rest]) => rest ?? "")),
  ...[...withoutFences(text).matchAll(/`guardhouse ([a-z][^`]*)`/g)].map(([, rest]) => rest ?? ""),
];

/** Words as a shell reads them; what it would put in place of a variable or a command stands for itself. */
const wordsIn = (line: string): string[] =>
  [...line.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(([word]) => word.replaceAll(/["']/g, ""));

/** Commands of shell blocks, whole as they are typed. */
const typedCommands = (text: string): string[] =>
  shellLines(text).flatMap((line) =>
    [
      ...line
        .replace(/\s+[#<].*$/, "")
        .trim()
        .matchAll(OURS),
    ].map(([, rest]) => (rest ?? "").trim()),
  );

/** What the command line says against a command as it is typed, or null. */
const refusalOf = (command: string): string | null => {
  const words = wordsIn(command);
  if (words.includes("--help") || words.includes("-h")) return null;
  try {
    verbOf(words);
    return null;
  } catch (error) {
    return `${command}: ${error instanceof Error ? error.message : "refused"}`;
  }
};

/** What is wrong with a command line, or null. */
const faultOf = (command: string): string | null => {
  const words = command.trim().split(/\s+/);
  const verb = VERBS.filter(({ name }) => `${words.join(" ")} `.startsWith(`${name} `)).toSorted(
    (one, other) => other.name.length - one.name.length,
  )[0];
  const isFamily = words.length === 1 && VERBS.some(({ name }) => name.startsWith(`${words[0]} `));
  if (!verb) return isFamily ? null : `no verb: ${command}`;
  const known = { ...COMMON_FLAGS, ...verb.flags };
  const flags = [...command.matchAll(/\s--([a-z][a-z-]*)/g)].map(([, name]) => name ?? "");
  const unknown = flags.find((flag) => !(flag in known));
  return unknown === undefined ? null : `${verb.name} has no flag --${unknown}`;
};

const VARIABLES = new Set([
  "GUARDHOUSE_CONFIG",
  ...Object.values(CLIENT_VARIABLES),
  ...configKeys().flatMap((key) => [variableOf(key), `${variableOf(key)}_FILE`]),
]);

describe.each(documents)("$file", ({ file, text }) => {
  test("says what the code says", () => {
    expect(refreshed(text)).toBe(text);
  });

  test("has no dead link", async () => {
    const targets = [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "");
    for (const target of targets.filter((it) => !/^https?:/.test(it))) {
      const [path = "", anchor] = target.split("#");
      const to = path === "" ? file : relative(".", normalize(join(dirname(file), path)));
      expect({ target, exists: (await Bun.file(join(ROOT, to)).exists()) || anchors.has(to) }).toEqual({
        target,
        exists: true,
      });
      if (anchor !== undefined)
        expect({ target, anchor: anchors.get(to)?.has(anchor) }).toEqual({ target, anchor: true });
    }
  });

  test("names no verb, flag, variable, script or test that does not exist", async () => {
    expect(commandsIn(text).flatMap((command) => faultOf(command) ?? [])).toEqual([]);
    expect(typedCommands(text).flatMap((command) => refusalOf(command) ?? [])).toEqual([]);
    const variables = [...text.matchAll(/GUARDHOUSE_[A-Z][A-Z_]+/g)].map(([name]) => name);
    expect(variables.filter((name) => !VARIABLES.has(name))).toEqual([]);
    const scripts = [...text.matchAll(/\bbun(?:@[\d.]+)? run ([a-z]+)/g)].map(([, name]) => name ?? "");
    expect(scripts.filter((name) => !(name in packageJson.scripts))).toEqual([]);
    const paths = [...text.matchAll(/\b(?:test|src|\.ci)\/[\w/.-]+\.ts\b/g)].map(([path]) => path);
    for (const path of paths)
      expect({ path, exists: await Bun.file(join(ROOT, path)).exists() }).toEqual({ path, exists: true });
  });
});

test("every generated part has its place, and every verb its section", () => {
  const placed = documents.flatMap(({ text }) => partsIn(text));
  expect(placed.toSorted()).toEqual([...PARTS.keys()].toSorted());
});

test("every page but decisions and the specification is in the navigation of /docs", () => {
  const pages = files.filter((file) => /^docs\/(?:recipes\/)?[^/]+\.md$/.test(file));
  const listed = PAGES.map(({ name }) => `docs/${name}.md`);
  expect(listed.toSorted()).toEqual(pages.toSorted());
});

test("one version of Bun is pinned everywhere", async () => {
  const pinning = ["README.md", "Dockerfile", ".ci/run", ...files.filter((file) => file.startsWith("docs/"))];
  for (const file of new Set(pinning)) {
    const text = await Bun.file(join(ROOT, file)).text();
    const pins = [...text.matchAll(/bun(?:@|_version=)(\d+\.\d+\.\d+)/g)].map(([, version]) => version);
    expect({ file, others: pins.filter((version) => version !== Bun.version) }).toEqual({ file, others: [] });
  }
});

test("the README opens with commands that exist, from a machine without Bun", () => {
  const { text } = documents.find(({ file }) => file === "README.md") ?? { text: "" };
  for (const script of ["demo", "verify"]) expect(text).toContain(`npx -y bun@${Bun.version} run ${script}`);
});

test("the licence is the whole of Apache 2.0, in the authors' name", async () => {
  const licence = await Bun.file(join(ROOT, "LICENSE")).text();
  expect(licence).toContain("END OF TERMS AND CONDITIONS");
  expect(licence).toMatch(/Copyright \d{4} The Guardhouse Authors/);
});
