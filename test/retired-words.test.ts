import { expect, test } from "bun:test";
import { join } from "node:path";
import { TOPICS, VERBS } from "#cli/catalogue";
import { overview, verbHelp } from "#cli/help";
import { paintFor } from "#cli/paint";
import { faultsIn, RETIRED, textsOf } from "#test/support/retired-words";

const ROOT = join(import.meta.dir, "..");

const sources = async (glob: string): Promise<readonly { readonly path: string; readonly text: string }[]> => {
  const paths = [...new Bun.Glob(glob).scanSync({ cwd: ROOT })].sort();
  return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })));
};

test("each retired term is found, in any case, with what replaces it", () => {
  expect(faultsIn("page", ["Whoever opens this is on record"])).toEqual([
    "page: “Whoever”: name the role or person. In: Whoever opens this is on record",
    "page: “is on record”: recorded in the audit log. In: Whoever opens this is on record",
  ]);
  expect(RETIRED.filter(({ instead }) => instead === "")).toEqual([]);
});

test("texts of a component are its literals, templates and JSX text, without comments", () => {
  const text = `// whoever
    export const A = ({ n }) => <p title="Shown" className="flex gap-2">Held {n} by <b>it</b> {\`of \${n} calls\`}</p>;`;
  expect(textsOf("a.tsx", text)).toEqual(["p", "Shown", "flex gap-2", "Held ", " by ", "b", "it", "of … calls"]);
});

test("the dashboard uses no retired term", async () => {
  const files = await sources("src/dashboard/**/*.tsx");
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(({ path, text }) => faultsIn(path, textsOf(path, text)))).toEqual([]);
});

test("sign-in, consent and other pages, and messages of errors use no retired term", async () => {
  const files = await sources("src/{features,http,guard,cli,core,config}/**/*.ts");
  expect(files.flatMap(({ path, text }) => faultsIn(path, textsOf(path, text)))).toEqual([]);
});

test("the help of the command line uses no retired term", () => {
  expect(faultsIn("help", [overview(TOPICS, paintFor(false))])).toEqual([]);
  expect(VERBS.flatMap((verb) => faultsIn(`help ${verb.name}`, [verbHelp(verb, paintFor(false))]))).toEqual([]);
});

test("documents use no retired term", async () => {
  const files = [...(await sources("README.md")), ...(await sources("docs/*.md"))];
  expect(files.flatMap(({ path, text }) => faultsIn(path, [text]))).toEqual([]);
});
