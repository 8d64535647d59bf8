import { describe, expect, test } from "bun:test";
import { type CharSet, inSet } from "#scan/char-set";
import { AGENT_RULES } from "#scan/detectors/injection/agent-rules";
import { DOCUMENT_RULES } from "#scan/detectors/injection/document-rules";
import { FORCING_RULES } from "#scan/detectors/injection/forcing-rules";
import { LEAK_RULES } from "#scan/detectors/injection/leak-rules";
import { OVERRIDE_RULES } from "#scan/detectors/injection/override-rules";
import { JAILBREAK_RULES } from "#scan/detectors/injection/persona-rules";
import type { InjectionRule } from "#scan/detectors/injection/rule";
import { SWITCH_RULES } from "#scan/detectors/injection/switch-rules";
import { WORDING_RULES } from "#scan/detectors/injection/wording-rules";
import { type Part, parsedPattern } from "./pattern";

/*
 * A rule behind a common word is passed over unless the units and words stand behind it that its pattern needs. What a
 * rule says it needs is derived here from its pattern: a change of the pattern that needs less would hide attacks.
 */

const RULES: readonly InjectionRule[] = [
  AGENT_RULES,
  DOCUMENT_RULES,
  FORCING_RULES,
  LEAK_RULES,
  OVERRIDE_RULES,
  JAILBREAK_RULES,
  SWITCH_RULES,
  WORDING_RULES,
].flat();
type Repeated = Extract<Part, { kind: "repeated" }>;
const MAX_TEXTS = 400;

/** What a part can be, if that is one of a few texts. */
function textsOf(part: Part): readonly string[] | null {
  if (part.kind === "text") return [part.text];
  if (part.kind === "unit") return part.members;
  if (part.kind === "repeated") {
    const texts = part.most === 1 ? textsOf(part.part) : null;
    return texts && part.least === 0 ? ["", ...texts] : texts;
  }
  const all = part.parts.map(textsOf);
  const known = all.flatMap((texts) => (texts ? [texts] : []));
  if (known.length < all.length) return null;
  const texts = part.kind === "choice" ? known.flat() : known.reduce(joined, [""]);
  return texts.length > MAX_TEXTS ? null : texts;
}

const joined = (ones: readonly string[], others: readonly string[]): string[] =>
  ones.length * others.length > MAX_TEXTS
    ? new Array(MAX_TEXTS + 1).fill("")
    : ones.flatMap((one) => others.map((other) => one + other));

/** Whether one of the words is in whatever a part matches. */
function holdsOne(part: Part, words: readonly string[]): boolean {
  const hasOne = (text: string): boolean => words.some((word) => text.includes(word));
  if (textsOf(part)?.every(hasOne)) return true;
  if (part.kind === "choice") return part.parts.every((each) => holdsOne(each, words));
  if (part.kind === "repeated") return part.least > 0 && holdsOne(part.part, words);
  if (part.kind !== "sequence") return false;
  if (part.parts.some((each) => holdsOne(each, words))) return true;
  // A word may go from one part over into the next ones.
  return part.parts.some((_, from) => {
    for (let to = from + 2; to <= part.parts.length; to++) {
      const texts = textsOf({ kind: "sequence", parts: part.parts.slice(from, to) });
      if (!texts) return false;
      if (texts.every(hasOne)) return true;
    }
    return false;
  });
}

/** Follows a keyword through a pattern, and gathers what can stand behind it. */
class Follower {
  readonly behind = new Set<number>();

  constructor(private readonly keyword: string) {}

  /** Calls `next` with each place in the keyword at which a part can end that begins at `at`. */
  follow(part: Part, at: number, next: (at: number) => void): void {
    if (part.kind === "text") this.text(part.text, at, next);
    else if (part.kind === "unit") this.unit(part.set, at, next);
    else if (part.kind === "choice") for (const each of part.parts) this.follow(each, at, next);
    else if (part.kind === "sequence") this.sequence(part.parts, at, next);
    else this.repeated(part, at, next);
  }

  private text(text: string, at: number, next: (at: number) => void): void {
    const { keyword } = this;
    const left = keyword.length - at;
    if (text.length <= left) {
      if (keyword.startsWith(text, at)) next(at + text.length);
    } else if (text.startsWith(keyword.slice(at))) {
      const unit = text.charAt(left);
      for (const one of [unit, unit.toUpperCase()]) this.behind.add(one.charCodeAt(0));
    }
  }

  private unit(set: CharSet, at: number, next: (at: number) => void): void {
    if (at === this.keyword.length) this.add(set);
    else if (inSet(set, this.keyword.charCodeAt(at))) next(at + 1);
  }

  private add(set: CharSet): void {
    for (const [unit, on] of set.entries()) if (on === 1) this.behind.add(unit);
  }

  private sequence([first, ...rest]: readonly Part[], at: number, next: (at: number) => void): void {
    if (first) this.follow(first, at, (end) => this.sequence(rest, end, next));
    else next(at);
  }

  private repeated({ part, least, most, kind }: Repeated, at: number, next: (at: number) => void): void {
    if (least <= 0) next(at);
    if (most <= 0) return;
    this.follow(part, at, (end) => {
      if (end > at) this.repeated({ kind, part, least: least - 1, most: most - 1 }, end, next);
      else next(end);
    });
  }
}

/** The units that can stand behind a keyword where a pattern matches. Null if nothing needs to. */
function unitsBehind(pattern: Part, keyword: string): Set<number> | null {
  const follower = new Follower(keyword);
  let isOver = false;
  follower.follow(pattern, 0, () => {
    isOver = true;
  });
  return isOver ? null : follower.behind;
}

describe("what rules behind common words need", () => {
  const needing = RULES.flatMap((rule) => (rule.words ? [{ rule, words: rule.words.words }] : []));

  test("is said of those that everyday words begin", () => {
    const keywords = new Set(needing.flatMap(({ rule }) => rule.keywords));
    expect(["write", "place", "read", "no", "list", "add"].filter((word) => !keywords.has(word))).toEqual([]);
  });

  for (const { rule, words } of needing) {
    const name = `${rule.keywords.slice(0, 4).join(", ")}: ${words.slice(0, 3).join(", ")}`;
    const pattern = parsedPattern(rule.pattern.source);

    test(`${name}: every match has one of the words, and not in its keyword`, () => {
      expect(holdsOne(pattern, words)).toBe(true);
      expect(rule.keywords.filter((keyword) => words.some((word) => keyword.includes(word)))).toEqual([]);
    });

    test(`${name}: every match goes on with one of the units`, () => {
      for (const keyword of rule.keywords) {
        const missing = [...(unitsBehind(pattern, keyword) ?? ["any"])].filter(
          (unit) => typeof unit === "string" || (unit < 128 && rule.behind[unit] !== 1),
        );
        const told = missing.map((unit) => (typeof unit === "string" ? unit : String.fromCharCode(unit)));
        expect({ keyword, told }).toEqual({ keyword, told: [] });
      }
    });
  }
});
