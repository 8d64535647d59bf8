import type { Origin } from "./detector";
import { HIDDEN_TEXT, type HiddenRun, HiddenText } from "./fold/hidden-text";
import { Folder, type Places } from "./fold/normalize";
import { JsonPlaces } from "./json-place";
import type { Labels } from "./label";
import { Matcher, type Raw } from "./matcher";
import { type CompiledPolicy, isEnforced, LABEL_KEY, type OriginPlan } from "./policy";
import { bySpan, findPlaces, type PlacedLabel, placed, Redaction } from "./redact";
import { byPlace, type Judged, judge, type Unscanned } from "./scan";
import { Told } from "./told";
import { View } from "./view";
import { AnswerViews } from "./views/answer-views";

const unamended = (finding: Judged): Judged => finding;

type Mutable = { -readonly [Key in keyof Judged]: Judged[Key] } & { open: boolean };

/** Units behind what is still needed that a view may gather before it is cut. */
const SLACK = 128;
const NONE: readonly PlacedLabel[] = [];

/**
 * Scans a text that comes in pieces. However it is cut, the findings and the redacted text are those
 * of the whole text; only what no detector of the policy can still turn into a redaction or a block
 * is cleared for release.
 */
export class StreamScanner {
  private received = 0;
  private cleared = 0;
  private ended = false;
  private blockStart = Number.POSITIVE_INFINITY;
  /** Units that came in but are not yet looked at: a first half of a surrogate pair. */
  private half = "";
  /** The original text from `rawBase` on. */
  private raw = "";
  private rawBase = 0;
  private readonly settled: Mutable[] = [];
  /** Enforced spans not yet given out, and those whose end is not yet known. */
  private readonly spans: PlacedLabel[] = [];
  /** How far it is known where labels would stand in a JSON text. */
  private readonly places = new JsonPlaces();
  private readonly open = new Map<Raw | HiddenRun, Mutable>();
  /** Open ones that are not settled, because tuning has not been asked about them. */
  private readonly unamended = new Set<Mutable>();
  private readonly view = new View("", false);
  private readonly folder = new Folder();
  private readonly matchers: readonly Matcher[];
  private readonly hidden: HiddenText;
  private readonly views: AnswerViews;
  private readonly plan: OriginPlan;
  private readonly told = new Told();
  /** Where those matches that still grow stand that were found in disguise. */
  private readonly disguisedPlaces = new Map<Raw | HiddenRun, Places>();
  private readonly redaction: Redaction;
  private readonly behind: number;

  constructor(
    private readonly policy: CompiledPolicy,
    private readonly origin: Origin,
    labels: Labels,
    /** What tuning makes of a finding; `value` is its text, null while its end is not known. */
    private readonly amend: (finding: Judged, value: string | null) => Judged = unamended,
  ) {
    this.redaction = new Redaction(labels);
    const plan = policy.plan(origin);
    this.plan = plan;
    this.matchers = (plan.added ? [plan, plan.added] : [plan]).map(
      (each) => new Matcher(each, this.view, (raw) => this.found(raw)),
    );
    this.hidden = new HiddenText((run) => this.foundHidden(run));
    this.behind = policy.behind;
    const { view, folder, behind } = this;
    const found = (places: Places, raw: Raw): void => this.found(raw, places);
    this.views = new AnswerViews({ view, places: folder.map, plan, behind, found });
  }

  /** UTF-16 units received so far. */
  get pushedTo(): number {
    return this.received;
  }

  /** Everything before this offset is decided and may be released. */
  get clearedTo(): number {
    return this.cleared;
  }

  /** What is certain so far, in text order; the end of a long value may still grow. */
  get findings(): readonly Judged[] {
    return this.settledFrom(0);
  }

  /** Those that became certain after the first so many did, in text order: what comes later may stand before them. */
  settledFrom(count: number): readonly Judged[] {
    const fresh = this.settled.slice(count);
    return fresh.map(({ open: _, ...finding }) => finding).sort(byPlace);
  }

  /** How many findings are certain so far. */
  get findingCount(): number {
    return this.settled.length;
  }

  /** Whether a blocking finding has settled. `clearedTo` never passes its start. */
  get blocked(): boolean {
    return this.blockStart !== Number.POSITIVE_INFINITY;
  }

  get isEnded(): boolean {
    return this.ended;
  }

  /** Which part of the text is not looked at, and why. */
  get unscanned(): Unscanned | undefined {
    if (this.policy.mode === "off") return { reason: "off", from: 0 };
    return this.received > this.policy.maxText ? { reason: "over_limit", from: this.policy.maxText } : undefined;
  }

  push(text: string): void {
    this.accept(text);
    this.trim();
  }

  private accept(text: string): void {
    if (this.ended) throw new Error("push after end");
    const room = this.policy.mode === "off" ? 0 : Math.max(0, this.policy.maxText - this.received);
    this.received += text.length;
    if (this.rawBase + this.raw.length < this.rawNeededTo) this.raw += text;
    if (room > 0) this.scan(text.slice(0, room), text.length >= room);
    this.clear();
  }

  /**
   * Takes in a text in which nothing is found: true then. Else, and where something found before may still grow, it is as
   * if nothing had come, and the text is to be pushed in the pieces it came in: what is found is acted upon where it stands.
   */
  pushFree(text: string): boolean {
    const { settled } = this;
    if (this.spans.length > 0 || this.open.size > 0 || this.ended || !this.hidden.isIdle) return false;
    if (!this.matchers.every(({ isIdle }) => isIdle) || !this.views.isIdle) return false;
    const found = settled.length;
    const undo = this.mark();
    try {
      this.accept(text);
      if (settled.length === found && this.open.size === 0) {
        this.trim();
        return true;
      }
    } catch {
      // What fails in it fails again in the piece that makes it fail.
    }
    undo();
    settled.length = found;
    this.spans.length = 0;
    this.open.clear();
    this.unamended.clear();
    return false;
  }

  /** What puts all but findings back to what they are now. */
  private mark(): () => void {
    const { received, cleared, blockStart, half, raw, rawBase, view, places, folder, hidden, views, told, matchers } =
      this;
    const { text, base, final } = view;
    const parts = [places, folder, hidden, views, told, ...matchers].map((part) => part.mark());
    return () => {
      Object.assign(this, { received, cleared, blockStart, half, raw, rawBase });
      Object.assign(view, { text, base, final });
      for (const undo of parts) undo();
    };
  }

  /** Nothing of what is cleared is to be replaced. */
  get isPlain(): boolean {
    return this.spans.length === 0 && this.redaction.isIdle;
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    if (!this.view.final && this.policy.mode !== "off") this.scan("", true);
    this.clear();
  }

  /**
   * The redacted text from where the last call stopped up to `upTo`, which may not pass `clearedTo`.
   * A label is given out where its span starts.
   */
  release(upTo: number): { text: string; changed: boolean } {
    if (upTo > this.cleared) throw new Error("take beyond what is cleared");
    if (upTo <= this.redaction.position) return { text: "", changed: false };
    const taken = this.redaction.step(this.raw, this.rawBase, this.due(upTo), upTo);
    this.raw = this.raw.slice(upTo - this.rawBase);
    this.rawBase = upTo;
    return taken;
  }

  /** Takes the spans that begin before `upTo`. */
  private due(upTo: number): readonly PlacedLabel[] {
    if (this.spans.length === 0) return NONE;
    if (this.spans.length > 1) this.spans.sort(bySpan);
    const later = this.spans.findIndex(({ from }) => from >= upTo);
    return this.spans.splice(0, later < 0 ? this.spans.length : later);
  }

  private scan(text: string, final: boolean): void {
    const { view } = this;
    let piece = this.half + text;
    this.half = "";
    if (!final && isFirstHalf(piece.charCodeAt(piece.length - 1))) {
      this.half = piece.slice(-1);
      piece = piece.slice(0, -1);
    }
    const folded = this.folder.fold(piece);
    if (this.plan.hidden.active) {
      this.hidden.push(piece, folded === piece);
      if (final) this.hidden.end();
    }
    view.text += folded;
    view.final = final;
    for (const matcher of this.matchers) matcher.advance();
    this.views.advance(folded, piece);
    if (this.views.isJudging) this.views.tell(final ? view.base + view.text.length : this.neededFrom());
    for (const [raw, finding] of this.open) this.follow(raw, finding);
  }

  /** Cuts off what no decision can need any more, now and then. */
  private trim(): void {
    const { view } = this;
    if (view.text.length - this.behind < SLACK) return;
    const keep = Math.min(this.neededFrom() - this.behind, this.views.neededFrom()) - view.base;
    if (keep < SLACK) return;
    view.text = view.text.slice(keep);
    view.base += keep;
    this.folder.map.dropBefore(Math.min(view.base, this.views.placesNeededFrom()));
  }

  /** What decisions still to come need, look-behind not counted. */
  private neededFrom(): number {
    return Math.min(...this.matchers.map((matcher) => matcher.neededFrom()));
  }

  private found(raw: Raw, places: Places = this.folder.map): void {
    const judged = judge(this.policy, this.origin, places, raw);
    if (!judged) return;
    if (places === this.folder.map && judged.category === "injection") this.views.ruledAt(raw.start);
    if (!this.told.isNew(raw, judged)) return;
    if (raw.open && places !== this.folder.map) this.disguisedPlaces.set(raw, places);
    const finding = { ...judged, open: raw.open };
    if (this.amend === unamended || !isEnforced(judged.action)) this.settle(finding, raw);
    else if (!raw.open) this.settle(this.amended(finding), raw);
    else {
      // What tuning makes of a value is known once all of it is: until then it is held like any that may grow.
      this.open.set(raw, finding);
      this.unamended.add(finding);
    }
  }

  private amended(finding: Mutable): Mutable {
    const { start, end, open } = finding;
    const value = open ? null : this.raw.slice(start - this.rawBase, end - this.rawBase);
    return { ...this.amend(finding, value), open };
  }

  private foundHidden(run: HiddenRun): void {
    const verdict = this.policy.verdict(this.origin, HIDDEN_TEXT.type, HIDDEN_TEXT.score);
    this.settle({ ...HIDDEN_TEXT, start: run.start, end: run.end, ...verdict, open: run.open }, run);
  }

  private settle(finding: Mutable, source: Raw | HiddenRun): void {
    this.settled.push(finding);
    if (finding.open) this.open.set(source, finding);
    if (this.policy.mode !== "enforce" || !isEnforced(finding.action)) return;
    this.spans.push(placed(finding));
    if (finding.action === "block") this.blockStart = Math.min(this.blockStart, finding.start);
  }

  private follow(source: Raw | HiddenRun, finding: Mutable): void {
    const places = this.disguisedPlaces.get(source) ?? this.folder.map;
    finding.end = "detector" in source ? places.end(source.end - 1) : source.end;
    finding.open = source.open;
    if (!source.open) {
      this.open.delete(source);
      this.disguisedPlaces.delete(source);
    }
    const isLong = finding.end - finding.start >= LABEL_KEY;
    if (this.unamended.has(finding) && (isLong || !source.open)) {
      this.unamended.delete(finding);
      this.settle(this.amended(finding), source);
    }
  }

  private clear(): void {
    this.cleared = Math.max(this.cleared, this.placedTo(Math.min(this.decidedTo(), this.blockStart)));
    if (this.blocked) this.raw = this.raw.slice(0, this.rawNeededTo - this.rawBase);
  }

  /**
   * Finds the places of the spans in a JSON text that begin before `decided`. A number, literal or escape sequence
   * in JSON is held until it ends, since a span that begins later in it replaces all of it.
   */
  private placedTo(decided: number): number {
    const { places, spans } = this;
    if (places.isOff || this.policy.mode !== "enforce") return decided;
    if (spans.length > 0) {
      const found = spans.filter(({ span }) => span.start >= places.followedTo && span.start < decided);
      findPlaces(places, this.raw, this.rawBase, found.sort(bySpan));
    }
    places.advance(this.raw, this.rawBase, decided);
    return this.ended ? decided : places.from;
  }

  /** Nothing is given out beyond a block, but labels depend on values that go on there. */
  private get rawNeededTo(): number {
    return this.blockStart + LABEL_KEY;
  }

  private decidedTo(): number {
    if (this.view.final || this.policy.mode !== "enforce") return this.received;
    const { view, folder, plan } = this;
    let decided = this.received - this.half.length;
    let from = Number.POSITIVE_INFINITY;
    for (const matcher of this.matchers) from = Math.min(from, matcher.enforcedFrom());
    from = Math.min(from, this.views.heldFrom());
    if (from < view.base + view.text.length) decided = Math.min(decided, folder.map.start(from));
    decided = Math.min(decided, this.views.hiddenFrom());
    if (plan.hidden.enforced) decided = Math.min(decided, this.hidden.decidedTo());
    for (const span of this.open.values()) {
      if (!isEnforced(span.action)) continue;
      // A label depends on the value's first units: they must be there before it goes out.
      const labelled = span.end - span.start >= LABEL_KEY;
      // Invisible units behind an open span belong to it only if the span goes on after them.
      decided = Math.min(decided, labelled ? span.end : span.start);
    }
    return decided;
  }
}

/** Of a surrogate pair. */
const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
