import { matchWindow, spellingsIn } from "#scan/derived";
import type { Places } from "#scan/fold/normalize";
import type { Raw } from "#scan/matcher";
import type { OriginPlan } from "#scan/policy";
import type { View } from "#scan/view";
import { GrowingDecoder } from "./growing-decoder";
import type { DerivedFinding } from "./growing-window";
import { HiddenViews } from "./hidden";
import { Paragraphs } from "./paragraphs";
import { windowsOf } from "./rewrite";
import { survey } from "./survey";

/** How often what was decoded is decoded again. */
const DEPTH = 2;
/** Units decoded of one text, at each of these levels. */
const MAX_DECODED = 65_536;

/** An answer, whole or as it grows: its folded text, where that comes from, and what it is held to. */
export type Answer = {
  readonly view: View;
  readonly places: Places;
  readonly plan: OriginPlan;
  /** Units before a decision's place that a detector may look at. */
  readonly behind: number;
  readonly found: DerivedFinding;
};

/** What an answer says in disguise: encodings undone as they end, other spellings and the trained model paragraph by paragraph. */
export class AnswerViews {
  private readonly decoder: GrowingDecoder;
  private readonly paragraphs: Paragraphs | null;
  private readonly hidden: HiddenViews;
  /** What the model made of paragraphs, until it is known whether rules say as much of them. */
  private judged: { readonly from: number; readonly to: number; readonly tell: () => void }[] = [];
  /** Where injections begin that rules found. */
  private ruled: number[] = [];

  constructor(private readonly answer: Answer) {
    const { view, places, plan } = answer;
    const budgets = Array.from({ length: DEPTH }, () => ({ left: MAX_DECODED }));
    this.decoder = new GrowingDecoder(answer, view, places, budgets);
    this.hidden = new HiddenViews((window) => matchWindow(plan, window, answer.found));
    this.paragraphs = plan.injection.active ? new Paragraphs((text, start) => this.judge(text, start)) : null;
  }

  /** `piece`: what the view has gained; `original`: what it was folded from. */
  advance(piece: string, original: string): void {
    this.hidden.push(original, piece === original, this.answer.view.final);
    this.decoder.advance();
    this.paragraphs?.push(piece, this.answer.view.final);
  }

  /** A rule found an injection that begins there. */
  ruledAt(start: number): void {
    this.ruled.push(start);
  }

  /** Something waits to be told. */
  get isJudging(): boolean {
    return this.judged.length > 0;
  }

  /** Tells of judgements on paragraphs in which rules have found all that they find, and found nothing. `decided`: they have up to there. */
  tell(decided: number): void {
    const { judged, ruled } = this;
    for (const { from, to, tell } of judged) {
      if (to <= decided && !ruled.some((start) => start >= from && start < to)) tell();
    }
    this.judged = judged.filter(({ to }) => to > decided);
  }

  /** Nothing has begun that would have to be put back but by `mark`. */
  get isIdle(): boolean {
    return this.decoder.isIdle && this.hidden.isIdle && this.judged.length === 0;
  }

  mark(): () => void {
    const parts = [this.decoder.mark(), this.hidden.mark(), this.paragraphs?.mark()];
    const { ruled } = this;
    const { length } = ruled;
    return () => {
      this.judged = [];
      this.ruled = ruled.slice(0, length);
      for (const undo of parts) undo?.();
    };
  }

  /** Where something enforced may begin that has not been told of. */
  heldFrom(): number {
    const { plan } = this.answer;
    const from = plan.isEnforcing ? this.decoder.heldFrom() : Number.POSITIVE_INFINITY;
    return plan.injection.enforced ? Math.min(from, this.placesNeededFrom()) : from;
  }

  /** The same in the original text, of what is hidden in it. */
  hiddenFrom(): number {
    return this.answer.plan.isEnforcing ? this.hidden.heldFrom() : Number.POSITIVE_INFINITY;
  }

  /** What the view must keep. */
  neededFrom(): number {
    return this.decoder.neededFrom();
  }

  /** Of what it must be known where it comes from. */
  placesNeededFrom(): number {
    return this.paragraphs?.start ?? Number.POSITIVE_INFINITY;
  }

  private judge(text: string, start: number): void {
    const { places, plan, found } = this.answer;
    const here: Places = { start: (index) => places.start(start + index), end: (index) => places.end(start + index) };
    const shapes = survey(text);
    for (const rewrites of shapes ? spellingsIn(text, shapes) : []) {
      for (const window of windowsOf(text, rewrites, here)) matchWindow(plan.injections(), window, found);
    }
    if (this.judged.length === 0) this.ruled = this.ruled.filter((at) => at >= start);
    for (const { detector, judge } of plan.paragraphs) {
      const score = judge.score(text);
      const raw: Raw = { detector, start: 0, end: text.length, score, isJudgement: true, open: false };
      if (score <= 0) continue;
      const [from, to] = [here.start(0), here.end(text.length - 1)];
      this.judged.push({
        from: start,
        to: start + text.length,
        tell: () => found({ start: () => from, end: () => to }, raw),
      });
    }
  }
}
