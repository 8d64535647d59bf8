import { scanDerived } from "./derived";
import { ACTIONS, type Action, type Detector, type Finding, type Origin } from "./detector";
import { HIDDEN_TEXT, HiddenText } from "./fold/hidden-text";
import { type Folded, fold, type Places } from "./fold/normalize";
import { Matcher, type Raw } from "./matcher";
import { type CompiledPolicy, isEnforced, type Mode, type OriginPlan, stricter, typeAt, type Verdict } from "./policy";
import { Told } from "./told";
import { View } from "./view";
import { AnswerViews } from "./views/answer-views";

export { redactInSlices, redactText } from "./redact";

/** A finding with what the policy does about it (in monitor mode: would do). */
export type Judged = Finding & Verdict;

/** Which part of a text was not looked at, and why. */
export type Unscanned = { readonly reason: "over_limit" | "off" | "scan_failed"; readonly from: number };

export type Scan = { readonly findings: readonly Judged[]; readonly unscanned?: Unscanned };

/** Looks through a whole text. Findings the policy allows are left out; the rest is in text order. */
export function scanText(policy: CompiledPolicy, text: string, origin: Origin): Scan {
  if (policy.mode === "off") return { findings: [], unscanned: { reason: "off", from: 0 } };
  const scanned = text.length > policy.maxText ? text.slice(0, policy.maxText) : text;
  const findings: Judged[] = [];
  const plan = policy.plan(origin);
  const folded = fold(scanned);
  const held = { policy, plan, origin };
  // Made for the first finding: most answers have none.
  let told: Told | undefined;
  const match = (raw: Raw, places: Places = folded.map): Judged | undefined => {
    const judged = judge(policy, origin, places, raw);
    if (!judged) return undefined;
    if (origin === "output") told ??= new Told();
    if (told?.isNew(raw, judged) !== false) findings.push(judged);
    return judged;
  };
  const view = new View(folded.text, true);
  const found = (places: Places, raw: Raw): void => {
    match(raw, places);
  };
  const views =
    origin === "output"
      ? new AnswerViews({ view, places: folded.map, plan, behind: policy.behind, found }, scanned)
      : null;
  const plain = (raw: Raw): void => {
    if (match(raw)?.category === "injection") views?.ruledAt(raw.start);
  };
  new Matcher(plan, view, plain).advance();
  if (plan.added) new Matcher(plan.added, view, plain).advance();
  // Whatever hides text is taken out by the fold.
  if (plan.hidden.active && folded.text !== scanned) {
    const hidden = new HiddenText((run) => {
      runs.push(run);
    });
    const runs: { start: number; end: number }[] = [];
    hidden.push(scanned);
    hidden.end();
    const verdict = policy.verdict(origin, HIDDEN_TEXT.type, HIDDEN_TEXT.score);
    for (const { start, end } of runs) findings.push({ ...HIDDEN_TEXT, start, end, ...verdict });
  }
  if (views) {
    views.advance(folded.text, scanned);
    views.tell(folded.text.length);
  } else addDerived(held, scanned, folded, findings);
  // Last, since what it says depends on what else was found.
  if (plan.whole.length > 0 && folded.text !== "") addWhole(held, folded, findings);
  if (findings.length > 1) findings.sort(byPlace);
  if (scanned.length === text.length) return { findings };
  return { findings, unscanned: { reason: "over_limit", from: scanned.length } };
}

/** What a text is held to. */
type Held = { readonly policy: CompiledPolicy; readonly plan: OriginPlan; readonly origin: Origin };

/** Adds what a text says in disguise, unless the same was found undisguised. */
function addDerived({ policy, plan, origin }: Held, original: string, folded: Folded, findings: Judged[]): void {
  let ends: Map<string, number> | undefined;
  scanDerived(plan, origin, { original, folded: folded.text, places: folded.map }, (places, raw) => {
    const judged = judge(policy, origin, places, raw);
    if (!judged) return;
    ends ??= new Map(findings.map(({ type, start, end }) => [`${type} ${start}`, end]));
    const key = `${judged.type} ${judged.start}`;
    if (judged.end <= (ends.get(key) ?? -1)) return;
    ends.set(key, judged.end);
    findings.push(judged);
  });
}

/** Adds what is said of the text as a whole, where nothing of its kind was found in it that weighs as much. */
function addWhole({ policy, plan, origin }: Held, folded: Folded, findings: Judged[]): void {
  for (const { detector, judge: judging } of plan.whole) {
    const score = judging.score(folded.text);
    if (score <= 0) continue;
    const category = policy.detectors[detector]?.category;
    const others = findings.filter((one) => one.category === category);
    const { withRule } = judging;
    const type = withRule && others.some((one) => one.score >= withRule.from) ? withRule.type : undefined;
    // It covers all of the text.
    const raw = { detector, from: 0, start: 0, end: folded.text.length, score, open: false, ...(type && { type }) };
    const judged = judge(policy, origin, folded.map, raw);
    if (judged && !others.some((one) => stricter(one.action, judged.action) === one.action)) findings.push(judged);
  }
}

/** The strictest of some actions; `allow` for none. */
export function strictest(actions: Iterable<Action>): Action {
  let most = 0;
  for (const action of actions) most = Math.max(most, ACTIONS.indexOf(action));
  return ACTIONS[most] ?? "allow";
}

/** What is done in a mode about what the policy would do: monitoring does no more than flag. */
export function effective(mode: Mode, action: Action): Action {
  if (mode === "off") return "allow";
  return mode === "monitor" && action !== "allow" ? "flag" : action;
}

export function byPlace(one: Finding, other: Finding): number {
  return (
    one.start - other.start ||
    one.end - other.end ||
    inOrder(one.detector, other.detector) ||
    one.score - other.score ||
    inOrder(one.type, other.type)
  );
}

const inOrder = (one: string, other: string): number => Number(one > other) - Number(one < other);

/** A match in the folded text as a finding in the original one; undefined when the policy allows it. */
export function judge(policy: CompiledPolicy, origin: Origin, map: Places, raw: Raw): Judged | undefined {
  const detector = policy.detectors[raw.detector];
  if (!detector || (raw.host !== undefined && policy.allowsHost(raw.host))) return undefined;
  const type = raw.type ?? typeAt(detector, origin);
  const verdict = raw.isJudgement
    ? flagging(policy.verdict(origin, type, raw.score))
    : policy.verdict(origin, type, raw.score);
  if (verdict.action === "allow") return undefined;
  return {
    type,
    category: detector.category,
    detector: detector.id,
    start: map.start(raw.start),
    end: map.end(raw.end - 1),
    score: raw.score,
    ...verdict,
  };
}

const flagging = (verdict: Verdict): Verdict => (isEnforced(verdict.action) ? { action: "flag" } : verdict);

/**
 * A masked glimpse of a match: enough to recognise one's own text, too little to use. At most a quarter of it and
 * never more than four characters are shown; the mask's length says nothing of the length of the match.
 */
export const previewOf = (match: string): string => {
  const shown = Math.min(4, Math.floor(Array.from(match).length / 4));
  return `${Array.from(match).slice(0, shown).join("")}****`;
};

/** A finding as callers are shown it: what, where, how sure, and a masked glimpse. */
export const flagOf = (text: string, { type, category, score, action, would, start, end, detector }: Judged) => ({
  type,
  category,
  score,
  action,
  ...(would && { would }),
  start,
  end,
  preview: previewOf(text.slice(start, end)),
  detector,
});
export type Flag = ReturnType<typeof flagOf>;

/** Whether a policy lets a text pass unchanged; one that only watches is asked what it would do. */
export const isSafe = (findings: readonly Judged[], mode: Mode): boolean =>
  findings.every(({ action, would }) => !isEnforced(action) && (mode !== "monitor" || would === undefined));

/** The text of a JSON field. Verdicts are remembered by text alone, so that the name is looked at after the scan. */
type FieldText = { readonly field?: string; readonly text: string; readonly origin: Origin };

/** What is found in a text, where the name of the field that it is the value of has a say in it. */
export function inField(policy: CompiledPolicy, findings: readonly Judged[], place: FieldText): readonly Judged[] {
  const { field, text, origin } = place;
  if (field === undefined || findings.length === 0) return findings;
  return findings.flatMap((finding) => {
    if (finding.start !== 0 || finding.end !== text.length) return [finding];
    const score = scoreIn(policy.detectors, finding, field);
    if (score === finding.score) return [finding];
    const { type, category, detector, start, end } = finding;
    const verdict = policy.verdict(origin, type, score);
    return verdict.action === "allow" ? [] : [{ type, category, detector, start, end, score, ...verdict }];
  });
}

function scoreIn(detectors: readonly Detector[], { detector, score }: Judged, field: string): number {
  const found = detectors.find(({ id }) => id === detector);
  return found?.inField?.(score, field) ?? score;
}
