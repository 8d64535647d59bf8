import { matchWindow, spellingsIn } from "#scan/derived";
import type { Places } from "#scan/fold/normalize";
import type { Raw } from "#scan/matcher";
import type { OriginPlan } from "#scan/policy";
import type { View } from "#scan/view";
import { type Budget, GrowingDecoder } from "./growing-decoder";
import type { DerivedFinding } from "./growing-window";
import { HiddenViews } from "./hidden";
import { Paragraphs } from "./paragraphs";
import { windowsOf } from "./rewrite";
import { isPlainWords, survey } from "./survey";

/** How often what was decoded is decoded again. */
const DEPTH = 2;
/** Units decoded of one text, at each of these levels. */
const MAX_DECODED = 65_536;

const budgets = (): Budget[] => Array.from({ length: DEPTH }, () => ({ left: MAX_DECODED }));

/** An answer, whole or as it grows: its folded text, where that comes from, and what it is held to. */
export type Answer = {
  readonly view: View;
  readonly places: Places;
  readonly plan: OriginPlan;
  /** Units before a decision's place that a detector may look at. */
  readonly behind: number;
  readonly found: DerivedFinding;
};

const placesFrom = (places: Places, from: number): Places => ({
  start: (index) => places.start(from + index),
  end: (index) => places.end(from + index),
});

/** What an answer says in disguise: encodings undone as they end, other spellings and the trained model paragraph by paragraph. */
export class AnswerViews {
  /** Null where nothing can be in disguise, which only of a whole answer is known beforehand: of most. */
  private readonly decoder: GrowingDecoder | null;
  private readonly paragraphs: Paragraphs | null;
  private readonly hidden: HiddenViews | null;
  /** What the model made of paragraphs, until it is known whether rules say as much of them. */
  private judged: { readonly from: number; readonly to: number; readonly tell: () => void }[] = [];
  /** Where injections begin that rules found. */
  private ruled: number[] = [];

  /** `original`: the whole answer as it came, where `answer.view` has all of it. */
  constructor(
    private readonly answer: Answer,
    original: string | null = null,
  ) {
    const { view, places, plan } = answer;
    const isPlain = original === view.text && isPlainWords(original);
    this.decoder = isPlain ? null : new GrowingDecoder(answer, view, places, budgets());
    this.hidden = isPlain ? null : new HiddenViews((window) => matchWindow(plan, window, answer.found));
    this.paragraphs = plan.injection.active ? new Paragraphs((text, start) => this.judge(text, start)) : null;
  }

  /** `piece`: what the view has gained; `original`: what it was folded from. */
  advance(piece: string, original: string): void {
    this.hidden?.push(original, piece === original, this.answer.view.final);
    this.decoder?.advance();
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
    if (this.isJudging) this.tellJudged(decided);
  }

  private tellJudged(decided: number): void {
    const { judged, ruled } = this;
    for (const { from, to, tell } of judged) {
      if (to <= decided && !ruled.some((start) => start >= from && start < to)) tell();
    }
    this.judged = judged.filter(({ to }) => to > decided);
  }

  /** Nothing has begun that would have to be put back but by `mark`. */
  get isIdle(): boolean {
    return this.decoder?.isIdle !== false && this.hidden?.isIdle !== false && this.judged.length === 0;
  }

  mark(): () => void {
    const parts = [this.decoder?.mark(), this.hidden?.mark(), this.paragraphs?.mark()];
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
    const from = (plan.isEnforcing ? this.decoder?.heldFrom() : undefined) ?? Number.POSITIVE_INFINITY;
    return plan.injection.enforced ? Math.min(from, this.paragraphFrom) : from;
  }

  /** The same in the original text, of what is hidden in it. */
  hiddenFrom(): number {
    return (this.answer.plan.isEnforcing ? this.hidden?.heldFrom() : undefined) ?? Number.POSITIVE_INFINITY;
  }

  /** What the view must keep. */
  neededFrom(): number {
    return this.decoder?.neededFrom() ?? Number.POSITIVE_INFINITY;
  }

  /** Of what it must be known where it comes from. */
  placesNeededFrom(): number {
    return Math.min(this.paragraphFrom, this.decoder?.placesNeededFrom() ?? Number.POSITIVE_INFINITY);
  }

  private get paragraphFrom(): number {
    return this.paragraphs?.start ?? Number.POSITIVE_INFINITY;
  }

  private judge(text: string, start: number): void {
    const { places, plan, found } = this.answer;
    const shapes = this.decoder ? survey(text) : null;
    if (shapes) {
      const here = placesFrom(places, start);
      for (const rewrites of spellingsIn(text, shapes)) {
        for (const window of windowsOf(text, rewrites, here)) matchWindow(plan.injections(), window, found);
      }
    }
    if (this.judged.length === 0 && this.ruled.length > 0) this.forgetRuled(start);
    for (const { detector, judge } of plan.paragraphs) {
      const score = judge.score(text);
      const end = text.length;
      if (score > 0) this.note({ detector, from: 0, start: 0, end, score, isJudgement: true, open: false }, start);
    }
  }

  private forgetRuled(before: number): void {
    this.ruled = this.ruled.filter((at) => at >= before);
  }

  /** A judgement on a paragraph waits until it is told of. */
  private note(raw: Raw, start: number): void {
    const { places, found } = this.answer;
    const to = start + raw.end;
    const [first, last] = [places.start(start), places.end(to - 1)];
    this.judged.push({ from: start, to, tell: () => found({ start: () => first, end: () => last }, raw) });
  }
}
