import type { Origin } from "#scan/detector";
import type { Places } from "#scan/fold/normalize";
import { Matcher, type Plan } from "#scan/matcher";
import type { OriginPlan } from "#scan/policy";
import { View } from "#scan/view";
import { decodedTokens } from "./views/encodings";
import { escapesOf } from "./views/escapes";
import type { DerivedFinding } from "./views/growing-window";
import { hiddenWindows } from "./views/hidden";
import { unmarked } from "./views/markup";
import { type Rewrite, type RewriteWindow, windowsOf } from "./views/rewrite";
import { disguisedWords, joinedGroups, spelledOut, turnedBack } from "./views/spellings";
import { type Survey, survey } from "./views/survey";

/** How often what was decoded is decoded again. */
const DEPTH = 2;
/** Units decoded of one text, all in all. */
const MAX_DECODED = 65_536;

/** Units of rewritten text that say enough to be judged by themselves. */
const MIN_JUDGED = 32;

/**
 * Looks through what a whole text says in disguise: encodings undone, and spellings that only
 * injections use. Each is scanned with the text about it; what is found is told of in places of the
 * original, encoded tokens as a whole. Answers are looked through as they grow: `AnswerViews`.
 */
export function scanDerived(
  plan: OriginPlan,
  origin: Origin,
  texts: { readonly original: string; readonly folded: string; readonly places: Places },
  found: DerivedFinding,
): void {
  const { original, folded, places } = texts;
  const shapes = survey(folded);
  // Whatever hides text is taken out by the fold.
  const mayHide = folded !== original;
  if (shapes === null && !mayHide) return;
  const scan = new DerivedScan(origin, plan, found);
  if (shapes) scan.visitShapes(folded, shapes, places, DEPTH);
  if (mayHide) scan.lookHidden(original);
}

class DerivedScan {
  private left = MAX_DECODED;

  constructor(
    private readonly origin: Origin,
    private readonly plan: OriginPlan,
    private readonly found: DerivedFinding,
  ) {}

  /** Looks for disguises in a text, and in what they give `depth` - 1 times more. */
  private visit(text: string, places: Places, depth: number): void {
    const shapes = survey(text);
    if (shapes) this.visitShapes(text, shapes, places, depth);
  }

  visitShapes(text: string, shapes: Survey, places: Places, depth: number): void {
    const decoded = inOrder([
      ...(shapes.escapes ? escapesOf(text, this.left) : []),
      ...decodedTokens(text, shapes, this.left),
      ...joinedGroups(text, shapes),
    ]);
    for (const window of this.windows(text, decoded, places)) {
      this.match(this.plan, window);
      if (depth > 1) this.visit(window.text, window.places, depth - 1);
    }
    for (const rewrites of spellingsIn(text, shapes)) this.matchInjections(text, rewrites, places);
  }

  lookHidden(original: string): void {
    for (const window of hiddenWindows(original, this.left)) {
      this.left -= window.text.length;
      this.match(this.plan, window);
      this.visit(window.text, window.places, DEPTH - 1);
    }
  }

  private windows(text: string, rewrites: readonly Rewrite[], places: Places): RewriteWindow[] {
    const windows = windowsOf(text, rewrites, places);
    for (const { text: meant } of rewrites) this.left -= meant.length;
    return windows;
  }

  private matchInjections(text: string, rewrites: readonly Rewrite[], places: Places): void {
    for (const window of windowsOf(text, rewrites, places)) this.match(this.plan.injections(), window);
  }

  private match(plan: Plan, window: RewriteWindow): void {
    matchWindow(plan, window, this.found);
    this.judgeWhole(plan, window);
  }

  /** The detectors that judge whole texts judge what was rewritten, if it is more than a few words. */
  private judgeWhole(plan: Plan, { text, core, places }: RewriteWindow): void {
    if (core.end - core.start < MIN_JUDGED) return;
    for (const [detector, { whole }] of plan.detectors.entries()) {
      if (!whole?.origins.includes(this.origin) || plan.active[detector] !== 1) continue;
      const score = whole.score(text.slice(core.start, core.end));
      if (score > 0) this.found(places, { detector, from: core.start, ...core, score, open: false });
    }
  }
}

/** Readings of a text that only injections are written in: each is undone by itself. */
export function spellingsIn(text: string, shapes: Survey): Rewrite[][] {
  const disguised = disguisedWords(text, shapes);
  const spelled = [...spelledOut(text, shapes, disguised), ...(shapes.markup ? unmarked(text) : [])];
  const { rotated, reversed } = disguised.length > 0 ? turnedBack(text, disguised) : NOTHING;
  return [inOrder(spelled), rotated, reversed].filter((rewrites) => rewrites.length > 0);
}

const NOTHING = { rotated: [], reversed: [] };

/** Tells of what is found in a window and touches what was rewritten. */
export function matchWindow(plan: Plan, window: RewriteWindow, found: DerivedFinding): void {
  const matcher = new Matcher(plan, new View(window.text, true), (raw) => {
    if (window.touches(raw)) found(window.places, raw);
  });
  matcher.advance();
}

/** In text order, without those that overlap an earlier one. */
function inOrder(rewrites: Rewrite[]): Rewrite[] {
  if (rewrites.length < 2) return rewrites;
  rewrites.sort((one, other) => one.start - other.start || other.end - one.end);
  let end = 0;
  return rewrites.filter((rewrite) => {
    if (rewrite.start < end) return false;
    end = rewrite.end;
    return true;
  });
}
