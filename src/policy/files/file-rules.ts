import {
  literally,
  mayMatch,
  mayMatchWithin,
  pathPattern,
  surelyMatches,
  UNKNOWN,
  type Wildcards,
} from "#core/wildcards";
import { type ListRules, type Ruling, stricterOf, strictestOf } from "#policy/commands/permission";
import {
  alternativesOf,
  foldedPath,
  homesOf,
  isAbsolute,
  isWindows,
  MAX_PATH,
  type Place,
  readingsOf,
  resolvedPath,
} from "./paths";

export const ACCESSES = ["read", "write"] as const;
export type Access = (typeof ACCESSES)[number];

/** What files an agent may read, and what it may write or delete. */
export type FileRules = Readonly<Record<Access, ListRules>>;

/** What the rules say of one path, relative to where the agent is. */
export const rulingOnPath = (rules: FileRules, access: Access, path: string, place: Place): Ruling =>
  new FileList(rules, access, place).rulingOn(path);

/** Of a pattern of paths: what they say of where its search begins, and of what it names. */
export const rulingOnPattern = (rules: FileRules, access: Access, pattern: string, place: Place): Ruling => {
  const list = new FileList(rules, access, place);
  // Between such brackets may be slashes.
  const patterns = pattern === "" || /[!@+?*]\(/.test(pattern) ? null : alternativesOf(pattern, "{");
  if (patterns === null) return list.unread();
  return patterns.map((one) => rulingOnOne(list, one, place)).reduce(stricterOf);
};

const rulingOnOne = (list: FileList, pattern: string, place: Place): Ruling => {
  const path = pattern.replace(isWindows(pattern) ? WILDCARDS : ESCAPES_OR_WILDCARDS, UNKNOWN);
  const known = path.includes(UNKNOWN) ? path.slice(0, path.indexOf(UNKNOWN)).replace(/[^/\\]*$/, "") || "." : path;
  return readingsOf(path)
    .map((reading) => list.rulingOnName(resolvedPath(reading, place)))
    .reduce<Ruling>((one, other) => (other === null ? one : stricterOf(one, other)), list.rulingOn(known));
};

const WILDCARDS = /\[[^\]/]*\]|[*?]/g;
const ESCAPES_OR_WILDCARDS = new RegExp(`\\\\.|${WILDCARDS.source}`, "gs");

/** The rules of one access, at one place. */
export class FileList {
  private readonly lists: Readonly<Record<"deny" | "ask" | "allow", readonly FilePattern[]>>;
  private readonly rules: ListRules;

  constructor(
    rules: FileRules,
    private readonly access: Access,
    private readonly place: Place,
  ) {
    this.rules = rules[access];
    const made = (list: readonly string[]) => list.map((pattern) => new FilePattern(pattern, place));
    this.lists = { deny: made(this.rules.deny), ask: made(this.rules.ask), allow: made(this.rules.allow) };
  }

  rulingOn(path: string): Ruling {
    if (path === "" || path.length > MAX_PATH || /[\0\n]/.test(path)) return this.unread();
    const resolved = resolvedPath(path, this.place);
    const named = this.namedRuling(resolved, mayMatch);
    if (named !== null) return named;
    const isAllowed = this.lists.allow.some((pattern) => pattern.isFor(resolved));
    return { permission: isAllowed ? "allow" : this.rules.default, rule: this.rule("default") };
  }

  /** What is denied or asked about by a pattern, each unknown part within its segment; null where none speaks of it. */
  rulingOnName(path: string): Ruling | null {
    return path.length > MAX_PATH ? this.unread() : this.namedRuling(path, mayMatchWithin);
  }

  private namedRuling(resolved: string, isMet: typeof mayMatch): Ruling | null {
    const folded = foldedPath(resolved);
    const named = (["deny", "ask"] as const).find((name) => this.lists[name].some((one) => one.mayBe(folded, isMet)));
    return named === undefined ? null : { permission: named, rule: this.rule(named) };
  }

  /** Of a path that cannot be told. */
  unread(): Ruling {
    return { permission: strictestOf(this.rules), rule: this.rule("unread") };
  }

  private rule(name: string): string {
    return `files.${this.access}.${name}`;
  }
}

/**
 * A pattern of paths: absolute, under `~` (anybody's home), relative to where the agent is, or a name without a slash,
 * which is one in any directory.
 */
class FilePattern {
  private readonly exact: readonly Wildcards[];
  private readonly folded: readonly Wildcards[];

  constructor(pattern: string, place: Place) {
    this.exact = formsOf(pattern, place, (text) => text);
    this.folded = formsOf(pattern, place, foldedPath);
    if (this.exact.length === 0) this.folded = [pathPattern(`**/${foldedPath(withoutDot(pattern))}`)];
  }

  /** The path is folded. */
  mayBe(path: string, isMet: typeof mayMatch): boolean {
    return this.folded.some((form) => isMet(form, path));
  }

  isFor(path: string): boolean {
    if (isWindows(path)) return this.folded.some((form) => surelyMatches(form, foldedPath(path)));
    return this.exact.some((form) => surelyMatches(form, path));
  }
}

const withoutDot = (pattern: string): string => pattern.replace(/^(?:\.\/)+/, "");

/** None for a pattern that is relative to a place nobody knows. */
const formsOf = (pattern: string, place: Place, fold: (text: string) => string): Wildcards[] => {
  const plain = isWindows(pattern) ? pattern.replaceAll("\\", "/") : pattern;
  if (isWindows(plain)) return [pathPattern(fold(plain.slice(0, 2).toLowerCase() + plain.slice(2)))];
  if (isAbsolute(plain)) return homesOf(plain).map((one) => pathPattern(fold(one)));
  if (plain.startsWith("**/")) return [pathPattern(fold(plain))];
  if (!plain.includes("/")) return [pathPattern(fold(`**/${plain}`))];
  if (place === null || !isAbsolute(place)) return [];
  const here = resolvedPath(place, null).replace(/\/$/, "");
  return [[...literally(fold(`${here}/`)), ...pathPattern(fold(withoutDot(plain)))]];
};
