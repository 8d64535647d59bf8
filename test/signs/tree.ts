import { join } from "node:path";
import { codeOf, importsOf } from "#test/support/code";

export type SourceFile = {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** Without comments, strings and regular expressions. */
  readonly code: string;
  readonly lines: number;
  /** Files of the tree it imports, types too. Packages are left out. */
  readonly imports: readonly string[];
  /** The same without imports that are only types. */
  readonly valueImports: readonly string[];
};

/** The part of a repository that is measured: `src`, and single files beside it. */
export type Tree = {
  readonly src: readonly SourceFile[];
  /** Text of the files that match; paths from the root. */
  texts(glob: string): Promise<readonly { readonly path: string; readonly text: string }[]>;
  exists(path: string): Promise<boolean>;
};

export const lineCount = (text: string): number => text.split("\n").length - 1;

const valueImportsOf = (path: string, text: string): string[] =>
  new Bun.Transpiler({ loader: path.endsWith("x") ? "tsx" : "ts" }).scanImports(text).map((each) => each.path);

/** `#core/glob` and `./glob` as the file they name; null for packages. */
const resolver = (paths: ReadonlySet<string>) => (from: string, name: string) => {
  const base = name.startsWith("#") ? `src/${name.slice(1)}` : name.startsWith(".") ? join(from, "..", name) : null;
  if (base === null) return null;
  return [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find((path) => paths.has(path)) ?? null;
};

/** Reads a repository. Nothing of it is run. */
export const readTree = async (root: string): Promise<Tree> => {
  const texts: Tree["texts"] = (glob) => {
    const paths = [...new Bun.Glob(glob).scanSync({ cwd: root })].sort();
    return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() })));
  };
  const sources = await texts("src/**/*.{ts,tsx}");
  const resolve = resolver(new Set(sources.map(({ path }) => path)));
  const src = sources.map(({ path, text }): SourceFile => {
    const resolved = (names: readonly string[]) => [...new Set(names.flatMap((name) => resolve(path, name) ?? []))];
    return {
      path,
      text,
      code: codeOf(text),
      lines: lineCount(text),
      imports: resolved(importsOf(text)),
      valueImports: resolved(valueImportsOf(path, text)),
    };
  });
  return { src, texts, exists: (path) => Bun.file(join(root, path)).exists() };
};
