import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Left out wherever they stand, whatever `.gitignore` says. */
const NEVER = ["node_modules", "dist", ".git"];

/**
 * The files of a repository, by their paths in it: what git knows and what it would take, or, without git or a
 * repository (an unpacked archive), what lies there and `.gitignore` does not name.
 */
export const filesOf = async (root: string): Promise<string[]> => listed(root) ?? (await walked(root));

const listed = (root: string): string[] | null => {
  const git = Bun.which("git");
  if (git === null || !existsSync(join(root, ".git"))) return null;
  const { exitCode, stdout } = Bun.spawnSync([git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  return exitCode === 0
    ? stdout
        .toString()
        .split("\0")
        .filter((path) => path !== "")
    : null;
};

/** The same without git. Knows the patterns one `.gitignore` at the root needs, and refuses others. */
export const walked = async (root: string): Promise<string[]> => {
  const file = Bun.file(join(root, ".gitignore"));
  const isIgnored = ignores((await file.exists()) ? await file.text() : "");
  const paths: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (NEVER.includes(entry.name) || isIgnored(path, entry.isDirectory())) continue;
      if (entry.isDirectory()) await walk(path);
      else paths.push(path);
    }
  };
  await walk("");
  return paths.sort();
};

/** One pattern a line: a name anywhere, or with a slash before its end a path from the root; `/` at the end: folders only. */
const ignores = (text: string): ((path: string, isFolder: boolean) => boolean) => {
  const patterns = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      if (line.startsWith("!")) throw new Error(`.gitignore: ${line} is more than a walk can follow`);
      const name = line.replace(/\/$/, "");
      const glob = new Bun.Glob(name.includes("/") ? name.replace(/^\//, "") : `**/${name}`);
      return { glob, foldersOnly: line.endsWith("/") };
    });
  return (path, isFolder) => patterns.some(({ glob, foldersOnly }) => (isFolder || !foldersOnly) && glob.match(path));
};
