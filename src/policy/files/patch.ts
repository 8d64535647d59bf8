const NAMED = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): ?(.*?)[ \t\r]*$/gm;
const MAX_FILES = 1_000;

/** The files that a patch for `apply_patch` writes or deletes; one that cannot be told where it names none. */
export const patchedFiles = (patch: string): readonly string[] => {
  const files = [...new Set([...patch.matchAll(NAMED)].map(([, path = ""]) => path))];
  return files.length === 0 || files.length > MAX_FILES ? [""] : files;
};
