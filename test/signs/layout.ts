/** Folders, files and the rules that hold them. */
import { dirname } from "node:path";
import { counted, type Measured, matches, type Sign } from "./sign";
import { lineCount, type SourceFile, type Tree } from "./tree";

/** The file that holds the import rules, in a table called FOLDERS. */
const RULES = "test/architecture.test.ts";
const SHORT = 30;

/** Import rules hold each file beside the folders of `src` as a folder of its own: `main.ts`, `app.ts`. */
const folderOf = (path: string): string => (dirname(path) === "src" ? path : dirname(path));

/** Pairs of folders each of which has a file that imports one of the other, types too. */
export const folderPairs = (files: readonly SourceFile[]): string[] => {
  const arrows = new Map<string, number>();
  for (const { path, imports } of files)
    for (const to of imports) {
      const arrow = `${folderOf(path)} > ${folderOf(to)}`;
      arrows.set(arrow, (arrows.get(arrow) ?? 0) + 1);
    }
  return [...arrows].flatMap(([arrow, count]) => {
    const [from = "", to = ""] = arrow.split(" > ");
    const back = arrows.get(`${to} > ${from}`);
    return from < to && back !== undefined ? [`${from} (${count}) <> ${to} (${back})`] : [];
  });
};

/** The folders of `src`, and files beside them, that have a rule. */
const ruledIn = (text: string): ReadonlySet<string> => {
  const table = /const FOLDERS[^=]*=\s*\[\n([\s\S]*?)^\];$/m.exec(text)?.[1];
  if (table === undefined) throw new Error(`${RULES} has no table FOLDERS: say in test/signs/layout.ts where it is`);
  return new Set([...table.matchAll(/^\s*\["([^"]+)",/gm)].map(([, folder = ""]) => folder));
};

const outsideRules = async ({ src, texts }: Tree): Promise<Measured> => {
  const [file] = await texts(RULES);
  const ruled = ruledIn(file?.text ?? "");
  const parts = new Set(src.map(({ path }) => path.split("/")[1] ?? ""));
  return counted([...parts].filter((part) => !ruled.has(part)).map((part) => `src/${part}`));
};

const requirementSources = async ({ texts, exists }: Tree): Promise<Measured> => {
  const found: string[] = [];
  for (const { path, text } of await texts("test/requirements/**/*.ts"))
    for (const [, source = ""] of text.matchAll(/\bsource:\s*"((?:\\.|[^"\\])*)"/g)) {
      const [file = ""] = source.split(/[#\s]/);
      if (!(await exists(file))) found.push(`${path}: ${source}`);
    }
  return counted(found);
};

const IMPORT = /^import\s(?:[^;"]*from\s*)?""[^;]*;/gm;

/** Of code without comments; a text over several lines counts as one. */
export const codeLines = (code: string): number =>
  code
    .replaceAll(IMPORT, "")
    .split("\n")
    .filter((line) => line.trim() !== "").length;

export const LAYOUT_SIGNS: readonly Sign[] = [
  {
    key: "folder-pairs",
    title: "pairs of folders that import each other",
    atMost: 0,
    measure: ({ src }) => counted(folderPairs(src)),
  },
  {
    key: "biome-lines",
    title: "lines of biome.json",
    atMost: 150,
    async measure({ texts }) {
      const [file] = await texts("biome.json");
      return { now: lineCount(file?.text ?? ""), found: [] };
    },
  },
  { key: "outside-rules", title: "folders that no import rule covers", atMost: 0, measure: outsideRules },
  {
    key: "short-files",
    title: `files of ${SHORT} lines or fewer`,
    atMost: 60,
    measure: ({ src }) =>
      counted(src.filter((file) => file.lines <= SHORT).map((file) => `${file.path}: ${file.lines}`)),
  },
  {
    key: "spread-groups",
    title: "spread groups ...{ a, b } that save lines",
    atMost: 0,
    measure: ({ src }) => matches(src, /\.\.\.\{[^}\n]*/g),
  },
  {
    key: "requirement-sources",
    title: "requirement sources that are not in the repository",
    atMost: 0,
    measure: requirementSources,
  },
  {
    key: "src-lines",
    title: "lines of src",
    // About 80,000, 2,000 more or less.
    atMost: 82_000,
    measure: ({ src }) => ({ now: src.reduce((sum, file) => sum + file.lines, 0), found: [] }),
  },
  {
    key: "code-lines",
    title: "lines of src without blank lines, comments and imports",
    atMost: null,
    measure: ({ src }) => ({ now: src.reduce((sum, { code }) => sum + codeLines(code), 0), found: [] }),
  },
];
