import { UNKNOWN } from "#core/wildcards";

/*
 * Paths as rules see them: absolute, with `/` between segments and without `.` and `..`. Links are not followed; that is
 * for the machine the files are on.
 */

/** Longer ones are no paths. UTF-16 units. */
export const MAX_PATH = 4_096;

/** Where an agent is; relative paths are of there. Null where nobody knows. */
export type Place = string | null;

/** `C:\a`, `\\server\share`, `\\?\C:\a`. */
const WINDOWS = /^(?:[A-Za-z]:(?:[\\/]|$)|\\\\)/;
const HOME = /^(?:~(?:[A-Za-z_][\w.-]*)?|\$HOME|\$\{HOME\}|%USERPROFILE%)(?=[\\/]|$)/;

/** Where a shell is, and where it was. */
const PLACES = /^~([+-]|[+-]?\d+)(?=\/|$)/;

export const isWindows = (path: string): boolean => WINDOWS.test(path);

/** Whether a path says by itself where it is. */
export const isAbsolute = (path: string): boolean => path.startsWith("/") || isWindows(path) || HOME.test(path);

/** `~` stays: whose home it is, the hub cannot know. Of what nobody knows, `UNKNOWN` stands in it. */
export const resolvedPath = (given: string, place: Place): string => {
  const path = given.replace(HOME, "~").replace(PLACES, (_, sign: string) => (sign === "+" ? "." : UNKNOWN));
  if (path.startsWith("/") || path.startsWith(UNKNOWN) || /^~(?:[\\/]|$)/.test(path)) return straight(path);
  if (isWindows(path)) return straightOnWindows(path);
  // On another drive it is of that drive's own directory.
  if (place === null || !isAbsolute(place)) return straight(`${UNKNOWN}/${path}`);
  if (!isWindows(place)) return straight(`${resolvedPath(place, null)}/${path}`);
  return /^[A-Za-z]:/.test(path) ? straight(`${UNKNOWN}/${path.slice(2)}`) : straightOnWindows(`${place}/${path}`);
};

const straightOnWindows = (path: string): string => {
  const plain = path.replace(/^\\\\[?.]\\/, "").replaceAll("\\", "/");
  // Windows leaves out dots and blanks at the end of a name, and what is behind a colon is in the same file.
  const names = plain
    .slice(2)
    .split("/")
    .map((name) => (/^\.{1,2}$/.test(name) ? name : name.replace(/(?::.*)?[. ]*$/, "")));
  return plain.slice(0, 2).toLowerCase() + straight(`/${names.join("/")}`);
};

/** Without `.`, `..` and slashes that say nothing. */
const straight = (path: string): string => {
  const root = path.startsWith("/") ? "" : path.slice(0, Math.max(0, path.indexOf("/"))) || path;
  let known = root;
  const segments: string[] = [];
  for (const segment of path.slice(root.length).split("/")) {
    if (segment === "" || segment === ".") continue;
    const above = segments.at(-1) ?? known;
    if (segment !== "..") segments.push(segment);
    // Above what nobody knows, a home too, anything may be.
    else if (above.includes(UNKNOWN) || (segments.length === 0 && known !== "")) {
      segments.length = 0;
      known = UNKNOWN;
    } else segments.pop();
  }
  return segments.length === 0 && known !== "" ? known : `${known}/${segments.join("/")}`;
};

/** Some name: no pattern has it, but for a wildcard. */
const SOME_NAME = "\u0001";
const WHOLE_SEGMENTS = new RegExp(`(^|/)${UNKNOWN}+(?=/|$)`, "g");

/**
 * A name of which nothing is known is none in particular: else every variable could be every file. What begins with one may
 * be a path of a home or of where the agent is, too.
 */
export const readingsOf = (word: string): string[] => {
  const path = word.replaceAll(WHOLE_SEGMENTS, `$1${SOME_NAME}`);
  return path.startsWith(`${SOME_NAME}/`) ? [path, `~${path.slice(1)}`, `.${path.slice(1)}`] : [path];
};

const MAX_ALTERNATIVES = 64;
/** UTF-16 units of all of them. */
const MAX_ALTERNATIVE_TEXT = 2 * MAX_PATH;

/** What `{a,b}` stands for, each bracket that opens being written as `open`; null for too much. */
export const alternativesOf = (text: string, open: string): string[] | null => {
  const done: string[] = [];
  const left = [text];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const at = one.lastIndexOf(open);
    const end = one.indexOf("}", at);
    if (at < 0) done.push(one);
    else if (end < 0) left.push(one.slice(0, at) + UNKNOWN + one.slice(at + 1));
    else {
      const [before, inside, behind] = [one.slice(0, at), one.slice(at + 1, end), one.slice(end + 1)];
      const isList = inside.includes(",");
      const unknown = inside.includes("..") ? UNKNOWN : `${UNKNOWN}${inside}}`;
      for (const part of isList ? inside.split(",") : [unknown]) left.push(before + part + behind);
    }
    const count = left.length + done.length;
    if (count > MAX_ALTERNATIVES || (count > 1 && count * one.length > MAX_ALTERNATIVE_TEXT)) return null;
  }
  return done;
};

/** For what is looked for whatever the case and the writing: file systems take some for the same. */
export const foldedPath = (path: string): string =>
  path
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .toLowerCase()
    .replace(/^\/proc\/[^/]+\/(?:task\/[^/]+\/)?root(?=\/)/, "")
    .replace(/^\/(?:private|system\/volumes\/data)(?=\/)/, "");

/** All that a path under somebody's home may be written as; the path itself where it is no such. */
export const homesOf = (pattern: string): readonly string[] => {
  if (pattern !== "~" && !pattern.startsWith("~/")) return [pattern];
  const rest = pattern.slice(1);
  const homes = ["~", "/home/*", "/Users/*", "/root", "/var/root", "/var/home/*", "c:/Users/*"];
  return homes.map((home) => home + rest);
};
