import type { SourceFile, Tree } from "./tree";

export type Measured = {
  readonly now: number;
  /** What was counted, one line each, for who wants to mend it. */
  readonly found: readonly string[];
};

/** One measure of how well the repository can be read: docs/development.md has the table. */
export type Sign = {
  readonly key: string;
  readonly title: string;
  /** Met at this count or below; null for a figure without a target. */
  readonly atMost: number | null;
  measure(tree: Tree): Measured | Promise<Measured>;
};

export const counted = (found: readonly string[]): Measured => ({ now: found.length, found });

/** Every match in the code of the files, with its file. */
export const matches = (files: readonly SourceFile[], pattern: RegExp): Measured =>
  counted(
    files.flatMap(({ path, code }) =>
      [...code.matchAll(pattern)].map(([text]) => `${path}: ${text.trim().replaceAll(/\s+/g, " ")}`),
    ),
  );

export const under = (files: readonly SourceFile[], folders: RegExp): SourceFile[] =>
  files.filter(({ path }) => folders.test(path));

export const outside = (files: readonly SourceFile[], folders: RegExp): SourceFile[] =>
  files.filter(({ path }) => !folders.test(path));
