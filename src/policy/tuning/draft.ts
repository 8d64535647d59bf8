import type { AuditFlag } from "#model/audit";
import type { Action, Origin } from "#scan/detector";
import { isEnforced, type Thresholds } from "#scan/policy";
import type { Judged } from "#scan/scan";
import { contextOf } from "./exceptions";
import type { Effect, TuningChange, TuningKind, TuningMatch } from "./rule";

/** A change as it could be suggested. */
export type TuningDraft = {
  readonly kind: TuningKind;
  readonly effect: Effect;
  readonly match: TuningMatch;
  readonly change: TuningChange;
  readonly rationale: string;
};

export type EvidenceText = { readonly param: string; readonly origin: Origin; readonly text: string };

/** What is known of what a report is about. */
export type Evidence = {
  /** Flag types the reporter named; all when empty. */
  readonly types: readonly string[];
  /** What was blocked, or was missed, as far as it is still there. */
  readonly texts: readonly EvidenceText[];
  /** What the record of the event says was found. */
  readonly flags: readonly AuditFlag[];
};

/** How the scanner judges now. */
export type Means = {
  readonly findingsOf: (text: EvidenceText) => readonly Judged[];
  readonly thresholdsOf: (type: string, origin: Origin) => Thresholds;
  /** Keyed hash of a text's comparable form. */
  readonly hashOf: (text: string) => string;
};

type Found = Pick<Judged, "type" | "score" | "action"> & { readonly start: number; readonly end: number };

const MAX_SHAPE_LENGTH = 64;

/** Changes that would have avoided a wrong block, the narrowest first: value, context, pattern, threshold. */
export const looseningDrafts = (evidence: Evidence, means: Means): TuningDraft[] => {
  for (const text of evidence.texts) {
    const found = means.findingsOf(text).filter((finding) => isMeant(finding, evidence));
    if (found.length > 0) return draftsAt(text, found, means);
  }
  const flags = evidence.flags.filter((flag) => isMeant(flag, evidence));
  const [first] = flags;
  if (!first) return [];
  const here = flags.filter(({ param, origin }) => param === first.param && origin === first.origin);
  return [contextDraft(first, here), ...thresholdDrafts(first, here, means)];
};

const isMeant = ({ type, action }: Pick<Judged, "type" | "action">, { types }: Evidence): boolean =>
  isEnforced(action) &&
  (types.length === 0 || types.some((prefix) => type === prefix || type.startsWith(`${prefix}.`)));

const draftsAt = (text: EvidenceText, found: readonly Judged[], means: Means): TuningDraft[] => [
  valueDraft(text, found, means),
  contextDraft(text, found),
  ...patternDrafts(text, found),
  ...thresholdDrafts(text, found, means),
];

/** What several detectors find, or what reads like an attack, is one text; anything else is the value itself. */
const valueDraft = ({ origin, text }: EvidenceText, found: readonly Judged[], { hashOf }: Means): TuningDraft => {
  const [only] = found;
  const isWhole = found.length > 1 || only === undefined || only.category === "injection";
  const value = isWhole ? text : text.slice(only.start, only.end);
  return {
    kind: "value_exception",
    effect: "loosen",
    match: {
      types: typesOf(found),
      origins: [origin],
      value: { hash: hashOf(value), of: isWhole ? "text" : "match" },
    },
    change: { op: "allow" },
    rationale: `Lets ${isWhole ? "this one text" : "this one value"} pass as ${list(found)} (${origin}); everything else stays as it is.`,
  };
};

const contextDraft = (
  { param, origin }: Pick<EvidenceText, "param" | "origin">,
  found: readonly Found[],
): TuningDraft => ({
  kind: "context_exception",
  effect: "loosen",
  match: { types: typesOf(found), origins: [origin], context: contextOf(param) },
  change: { op: "allow" },
  rationale: `Only flags ${list(found)} at ${contextOf(param)}, whatever the value.`,
});

/** Values of one form: letters as they are, digits as digits. */
const patternDrafts = ({ origin, text }: EvidenceText, found: readonly Judged[]): TuningDraft[] => {
  const [only] = found;
  if (found.length !== 1 || !only || only.category === "injection") return [];
  const value = text.slice(only.start, only.end);
  if (value.length > MAX_SHAPE_LENGTH || !/\d/.test(value) || !/^[\x20-\x7e]+$/.test(value)) return [];
  const pattern = value.replace(/\d+|[^\w\s]/g, (part) => (/\d/.test(part) ? `\\d{${part.length}}` : `\\${part}`));
  return [
    {
      kind: "pattern_exception",
      effect: "loosen",
      match: { types: typesOf(found), origins: [origin], pattern },
      change: { op: "allow" },
      rationale: `Only flags ${list(found)} of this form, wherever it stands.`,
    },
  ];
};

const thresholdDrafts = (
  { origin }: Pick<EvidenceText, "origin">,
  found: readonly Found[],
  means: Means,
): TuningDraft[] => {
  const highest = Math.max(...found.map(({ score }) => score));
  const [first] = found;
  if (!first || highest >= 1 || first.action === "allow" || first.action === "flag") return [];
  const { action } = first;
  const to = Math.min(1, Math.floor(highest * 100 + 1) / 100);
  const from = means.thresholdsOf(first.type, origin)[action] ?? null;
  return [
    {
      kind: "threshold",
      effect: "loosen",
      match: { types: typesOf(found.filter((one) => one.action === action)), origins: [origin] },
      change: { op: "threshold", action, from, to },
      rationale: `Asks for a score of ${to} before ${first.type} leads to ${action}; the reported one had ${highest}.`,
    },
  ];
};

/** Changes that would have caught a miss, the narrowest first. */
export const tighteningDrafts = (evidence: Evidence, means: Means): TuningDraft[] => {
  const drafts: TuningDraft[] = [];
  for (const text of evidence.texts) {
    const seen = means
      .findingsOf(text)
      .filter(({ action, type }) => !isEnforced(action) && isNamed(type, evidence.types));
    drafts.push(...(seen.length > 0 ? seen.map((finding) => raised(text, finding, means)) : additions(text, evidence)));
  }
  return drafts;
};

const isNamed = (type: string, types: readonly string[]): boolean =>
  types.length === 0 || types.some((prefix) => type === prefix || type.startsWith(`${prefix}.`));

/** What was seen but only flagged is acted on from now on. */
const raised = ({ origin }: EvidenceText, { type, score }: Judged, { thresholdsOf }: Means): TuningDraft => {
  const thresholds = thresholdsOf(type, origin);
  const action =
    thresholds.block !== undefined ? "block" : thresholds.redact !== undefined ? "redact" : actionFor(type);
  return {
    kind: "threshold",
    effect: "tighten",
    match: { types: [type], origins: [origin] },
    change: { op: "threshold", action, from: thresholds[action] ?? null, to: score },
    rationale: `${type} was seen with a score of ${score} and only flagged; from there on it leads to ${action}.`,
  };
};

const actionFor = (type: string): Exclude<Action, "allow"> => (type.startsWith("pii") ? "redact" : "block");

const WORDS = /[\x21-\x7e][\x20-\x7e]{1,62}[\x21-\x7e]/g;

/** What nothing saw is looked for by its most telling words. */
const additions = ({ text, origin }: EvidenceText, { types }: Evidence): TuningDraft[] => {
  const phrase = text
    .split(/[\r\n]+/)
    .flatMap((line) => line.match(WORDS) ?? [])
    .sort((one, other) => other.length - one.length)[0];
  if (phrase === undefined) return [];
  const [type = "injection"] = types;
  return [
    {
      kind: "pattern_add",
      effect: "tighten",
      match: { types: [type], origins: [origin], keywords: [phrase.toLowerCase()] },
      change: { op: "detect", action: actionFor(type) },
      rationale: `Nothing in the scanner sees it; from now on its words are looked for, and lead to ${actionFor(type)}.`,
    },
  ];
};

const typesOf = (found: readonly Found[]): string[] => [...new Set(found.map(({ type }) => type))];
const list = (found: readonly Found[]): string => typesOf(found).join(", ");
