import { ALNUM, anyOf, BASE64 } from "#scan/char-set";
import { type Detector, type Match, ORIGINS, type Origin, type Precheck } from "#scan/detector";
import { once } from "#scan/fold/once";
import type { View } from "#scan/view";
import { decodeAround, FRAGMENT_REACH, fragmentsOf } from "./base64-fragment";
import { ADDRESSEE_RULES, AGENT_RULES } from "./injection/agent-rules";
import { DOCUMENT_RULES } from "./injection/document-rules";
import { EASTERN_RULES } from "./injection/eastern-rules";
import { FORCING_RULES } from "./injection/forcing-rules";
import { ENGLISH_GRAMMAR, FOREIGN_GRAMMAR } from "./injection/grammar/rules";
import { LANGUAGE_RULES } from "./injection/language-rules";
import { LEAK_RULES } from "./injection/leak-rules";
import { DOCUMENT_MARKS, MARKER_RULES } from "./injection/marker-rules";
import { OVERRIDE_RULES } from "./injection/override-rules";
import { JAILBREAK_RULES } from "./injection/persona-rules";
import { PRETEXT_RULES } from "./injection/pretext-rules";
import type { InjectionRule } from "./injection/rule";
import { SWITCH_RULES } from "./injection/switch-rules";
import { isTold, TOLD_BEHIND, TOLD_SCORE } from "./injection/told";
import { WESTERN_RULES } from "./injection/western-rules";
import { WORDING_RULES } from "./injection/wording-rules";
import { shownMark } from "./structure/template-marks";

const REACH = 320;
const ANY_WORDS = -1;

type Indexed = { readonly rules: ReadonlyMap<string, readonly InjectionRule[]>; readonly longest: number };

/** In text that a tool brought, the same words come from a third party. */
const FROM_TOOLS: Partial<Record<Origin, string>> = {
  tool_result: "injection.indirect",
  tool_args: "injection.indirect",
  tool_definition: "injection.indirect",
};

export const instructionOverride = ruled({ id: "injection.direct", types: FROM_TOOLS, boundary: ALNUM }, [
  OVERRIDE_RULES,
  SWITCH_RULES,
  WORDING_RULES,
  LEAK_RULES,
  DOCUMENT_RULES,
  AGENT_RULES,
  PRETEXT_RULES,
  ENGLISH_GRAMMAR,
]);
/** What definitions of tools say by right. */
export const modelAddressed = ruled(
  {
    id: "injection.addressee",
    type: "injection.direct",
    types: FROM_TOOLS,
    boundary: ALNUM,
    origins: ORIGINS.filter((origin) => origin !== "tool_definition"),
  },
  [ADDRESSEE_RULES],
);
export const foreignOverride = ruled(
  { id: "injection.languages", type: "injection.direct", types: FROM_TOOLS, boundary: ALNUM },
  [LANGUAGE_RULES, WESTERN_RULES, EASTERN_RULES, FOREIGN_GRAMMAR],
);
export const jailbreak = ruled({ id: "injection.jailbreak", boundary: ALNUM }, [JAILBREAK_RULES, FORCING_RULES]);
/** Marks of chat templates and of smuggled images may follow a word directly. */
export const roleMarker = ruled(
  { id: "injection.marker", type: "injection.direct", types: FROM_TOOLS },
  [MARKER_RULES, DOCUMENT_MARKS],
  shownMark,
);

/** Instructions in base64, found by what the rules' own words look like in it at each alignment. */
export const encodedInstruction: Detector = {
  id: "injection.evasion",
  category: "injection",
  severity: "high",
  reach: FRAGMENT_REACH,
  behind: FRAGMENT_REACH,
  maxScore: 0.9,
  keywords: fragmentsOf([
    "ignore",
    "Ignore",
    "IGNORE",
    "disregard",
    "Disregard",
    "system prompt",
    "previous instructions",
    "instructions",
    "do anything now",
  ]),
  begin: (view, at) => at - view.runBack(at, BASE64, FRAGMENT_REACH),
  pending: (view) => view.text.length - view.runBack(view.text.length, BASE64, FRAGMENT_REACH),
  read(view, at) {
    const decoded = decodeAround(view, at);
    if (decoded.end - decoded.start < 24) return null;
    for (const text of decoded.texts) {
      if (strongest(OVERRIDE_RULES, text) >= 0.7) return { start: decoded.start, end: decoded.end, score: 0.9 };
    }
    return null;
  },
};

function ruled(
  named: Pick<Detector, "id" | "type" | "types" | "boundary" | "origins">,
  lists: readonly (readonly InjectionRule[])[],
  amend: (view: View, at: number, match: Match | null) => Match | null = (_view, _at, match) => match,
): Detector {
  const rules = lists.flat();
  const index = once(() => indexed(rules));
  return {
    ...named,
    category: "injection",
    severity: "high",
    reach: REACH,
    behind: TOLD_BEHIND,
    maxScore: Math.max(...rules.map(({ score }) => score)),
    get keywords() {
      return [...index().rules.keys()];
    },
    get wordLists() {
      return rules.flatMap(({ words }) => words ?? []);
    },
    precheck: (keyword) => precheckOf(index().rules.get(keyword) ?? []),
    read: (view, at, length, words = ANY_WORDS) => amend(view, at, readRules(index(), view, at, length, words)),
  };
}

function indexed(rules: readonly InjectionRule[]): Indexed {
  const index = new Map<string, InjectionRule[]>();
  let longest = 0;
  for (const rule of rules) {
    for (const keyword of rule.keywords) {
      longest = Math.max(longest, keyword.length);
      const known = index.get(keyword);
      if (known) known.push(rule);
      else index.set(keyword, [rule]);
    }
  }
  return { rules: index, longest };
}

/** What some rules need, the least of all; null as soon as one of them needs nothing. */
function precheckOf(rules: readonly InjectionRule[]): Precheck | null {
  let words = 0;
  for (const rule of rules) {
    if (!rule.words) return null;
    words |= rule.words.bit;
  }
  return { behind: anyOf(...rules.map(({ behind }) => behind)), words };
}

function readRules(index: Indexed, view: View, at: number, length: number, words: number): Match | null {
  const window = view.slice(at, at + REACH);
  if (view.short) return null;
  const first = bestOf(index.rules.get(window.slice(0, length).toLowerCase()), window, words, NONE);
  if (first === NONE) return null;
  // The anchor may be the beginning of a longer one, whose rules would find nothing left once this is a finding.
  const begun = window.slice(0, index.longest).toLowerCase();
  let best = first;
  for (let more = length + 1; more <= begun.length; more++) {
    best = bestOf(index.rules.get(begun.slice(0, more)), window, ANY_WORDS, best);
  }
  const found = { start: at, end: at + best.length, score: best.score };
  if (found.score <= TOLD_SCORE) return found;
  return isTold(view, at, window.slice(best.length)) ? { ...found, score: TOLD_SCORE } : found;
}

type Best = { readonly length: number; readonly score: number };
const NONE: Best = { length: 0, score: 0 };

/** The strongest of some rules at a window's start, or what is known already. */
function bestOf(rules: readonly InjectionRule[] | undefined, window: string, behind: number, known: Best): Best {
  let best = known;
  for (const { words, pattern, score } of rules ?? []) {
    if (words && (words.bit & behind) === 0) continue;
    if (best.score >= score) continue;
    pattern.lastIndex = 0;
    const found = pattern.exec(window)?.[0];
    if (found !== undefined) best = { length: found.length, score };
  }
  return best;
}

function strongest(rules: readonly InjectionRule[], text: string): number {
  const lower = text.toLowerCase();
  let score = 0;
  for (const rule of rules) {
    for (const keyword of rule.keywords) {
      const at = lower.indexOf(keyword);
      if (at < 0 || rule.score <= score) continue;
      rule.pattern.lastIndex = at;
      if (rule.pattern.test(text)) score = rule.score;
    }
  }
  return score;
}
