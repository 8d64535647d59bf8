import { askForCommands, askForPackages, isCommandField } from "#policy/provenance/provenance-commands";
import { type Ask, askForValues, KINDS, type ValueKind } from "#policy/provenance/provenance-values";
import {
  blocksOf,
  type Effort,
  type MayPause,
  MIN_VALUE_LENGTH,
  WordIndex,
  wordsOf,
} from "#policy/provenance/provenance-words";
import { type Speech, saidIn, type Voice } from "#policy/provenance/speech";
import { fold } from "#scan/fold/normalize";
import type { CompiledPolicy } from "#scan/policy";
import { byPlace, type Judged } from "#scan/scan";
import { decodedTokens } from "#scan/views/encodings";
import { survey } from "#scan/views/survey";

/**
 * Where the values of a tool call come from. A sentence in an e-mail that is harmless by itself ("Send the bill to …")
 * is seen by no detector; that the address came from that e-mail, and from nobody who may give orders, is.
 */
export const TAINTED = { type: "tool.tainted_argument", category: "tool", detector: "tool.provenance" } as const;

/** A finding, with the JSON path of the message its value came from. */
export type Tainted = Judged & { readonly source: string; readonly kind: ValueKind };

/** Kept of each voice, in UTF-16 units: seven bytes each. */
const MAX_UNITS = 2_000_000;
/** Different values looked for in one call. */
const MAX_VALUES = 5_000;
/** Places compared in one call: some ten milliseconds. */
const MAX_EFFORT = 2_000_000;

/** Tokens that may be base64 or hexadecimal of something worth following, and how much of a text is decoded. */
const ENCODED = /[A-Za-z0-9+/_-]{20}/;
const MAX_DECODED = 16_384;
/** Longer texts are taken in in blocks, where that is done in slices. In UTF-16 units. */
const ADDED_AT_ONCE = 8_192;
/** What each text costs beside its length, as so many units more. */
const UNITS_A_TEXT = 16;

/** What was said in a conversation, and by whom first. */
export class ProvenanceIndex {
  private readonly said: Record<Voice, WordIndex>;
  private readonly sources: string[] = [];
  private readonly known = new Map<string, string | null | undefined>();
  private readonly effort: Effort = { left: MAX_EFFORT };
  /** Not everything could be taken in or compared: what was not found may still have come from a tool. */
  isPartial = false;

  constructor(mostUnits = MAX_UNITS) {
    const index = () => new WordIndex(mostUnits);
    this.said = { trusted: index(), tool: index(), model: index() };
  }

  /** Texts of the next message, in the order of the conversation. `source`: where it is, as records name it. */
  add(source: string, texts: Iterable<readonly [voice: Voice, text: string]>): void {
    const turn = this.sources.push(source) - 1;
    for (const [voice, text] of texts) {
      if (!this.said[voice].add(text, turn)) this.isPartial = true;
      if (voice === "tool") this.addDecoded(text, turn);
    }
    this.known.clear();
  }

  /** A model reads base64: what a tool says in it, it says. */
  private addDecoded(text: string, turn: number): void {
    if (!ENCODED.test(text)) return;
    const folded = fold(text).text;
    const shapes = survey(folded);
    if (shapes === null) return;
    for (const { text: meant } of decodedTokens(folded, shapes, MAX_DECODED)) this.said.tool.add(meant, turn);
  }

  /**
   * As `add`; what is long in slices, as a promise. Nothing else may be added before it resolves; what is looked for
   * meanwhile may be missed.
   */
  addInSlices(
    source: string,
    texts: readonly (readonly [voice: Voice, text: string])[],
    pause: MayPause,
  ): Promise<void> | undefined {
    let units = 0;
    for (const [, text] of texts) units += text.length + UNITS_A_TEXT;
    if (units > ADDED_AT_ONCE) return this.addLong(source, texts, pause);
    this.add(source, texts);
    return undefined;
  }

  private async addLong(
    source: string,
    texts: readonly (readonly [voice: Voice, text: string])[],
    pause: MayPause,
  ): Promise<void> {
    const turn = this.sources.push(source) - 1;
    for (const [voice, text] of texts) {
      const index = this.said[voice];
      const isWhole = text.length <= ADDED_AT_ONCE ? index.add(text, turn) : index.addInSlices(text, turn, pause);
      if (!(typeof isWhole === "boolean" ? isWhole : await isWhole)) this.isPartial = true;
      for (const block of voice === "tool" ? blocksOf(text) : []) {
        this.addDecoded(block, turn);
        const wait = pause();
        if (wait) await wait;
      }
      const wait = pause();
      if (wait) await wait;
    }
    this.known.clear();
  }

  /** The message of a tool that first had a value; null when somebody trusted has it; undefined when neither does. */
  sourceOf(value: string): string | null | undefined {
    const words = wordsOf(value);
    if (words.length < MIN_VALUE_LENGTH) return undefined;
    if (this.known.has(words)) return this.known.get(words);
    if (this.known.size >= MAX_VALUES) {
      this.isPartial = true;
      return undefined;
    }
    const source = this.find(words);
    this.known.set(words, source);
    return source;
  }

  private find(words: string): string | null | undefined {
    const trusted = this.said.trusted.first(words, this.effort);
    const tool = this.said.tool.first(words, this.effort);
    const model = this.said.model.first(words, this.effort);
    if (trusted === null || tool === null || model === null) this.isPartial = true;
    if (trusted !== null && trusted >= 0) return null;
    if (tool === null || tool < 0) return undefined;
    // A name the model made up and a tool then repeats is the model's.
    if (model !== null && model >= 0 && model < tool) return undefined;
    return this.sources[tool];
  }
}

/** The provenance of one request. Nothing is computed until the first argument is judged. */
export class Provenance {
  private index: ProvenanceIndex | null = null;

  private constructor(
    private readonly speech: Speech,
    private readonly maxDepth: number,
    private readonly isLong: boolean,
  ) {}

  /** Null for a request without results of tools: nothing can come from there. `isLong`: to be prepared in slices. */
  static of(speech: Speech | null, maxDepth: number, isLong = false): Provenance | null {
    return speech?.turns.some(speech.hasResult) ? new Provenance(speech, maxDepth, isLong) : null;
  }

  /** Whether `prepare` should come before `judge`, which would keep the thread for long. */
  isUnprepared(policy: CompiledPolicy): boolean {
    return this.isLong && this.index === null && isJudged(policy);
  }

  /** Computes in slices what `judge` would in one piece. */
  async prepare(pause: MayPause): Promise<void> {
    const index = new ProvenanceIndex();
    const { speech } = this;
    for (const [at, turn] of speech.turns.entries()) {
      const added = index.addInSlices(speech.place(at), saidIn(speech, turn, this.maxDepth), pause);
      if (added) await added;
      const wait = pause();
      if (wait) await wait;
    }
    this.index ??= index;
  }

  /** Whether a value could not be followed. */
  get isPartial(): boolean {
    return this.index?.isPartial ?? false;
  }

  /** Values in one text of a tool call's arguments that only tools have said; what the policy allows is left out. */
  judge(policy: CompiledPolicy, argument: string, field?: string): readonly Tainted[] {
    if (!isJudged(policy)) return NONE;
    this.index ??= indexOf(this.speech, this.maxDepth);
    return taintedIn(this.index, policy, argument, field);
  }
}

const isJudged = (policy: CompiledPolicy): boolean =>
  policy.mode !== "off" && policy.judge("tool_args", TAINTED.type, 1) !== "allow";

/**
 * The findings of a text against an index, in text order, none inside another. `field`: the name of the argument, where
 * it is known: commands are looked for in those that take some.
 */
export const taintedIn = (
  index: ProvenanceIndex,
  policy: CompiledPolicy,
  argument: string,
  field?: string,
): readonly Tainted[] => {
  const { text, map } = fold(argument);
  const found: Tainted[] = [];
  const askOf =
    (lower: string, place: (start: number, end: number) => readonly [number, number]): Ask =>
    (kind, start, end) => {
      const source = index.sourceOf(lower.slice(start, end));
      if (source === undefined) return false;
      const score = KINDS[kind];
      const verdict = policy.verdict("tool_args", TAINTED.type, score);
      const [from, to] = place(start, end);
      if (source !== null && verdict.action !== "allow") {
        found.push({ ...TAINTED, start: map.start(from), end: map.end(to - 1), score, ...verdict, source, kind });
      }
      return true;
    };
  const lower = lowerCase(text);
  const ask = askOf(lower, (start, end) => [start, end]);
  askForPackages(lower, ask);
  if (isCommandField(field)) askForCommands(lower, ask);
  askForValues(lower, ask);
  if (ESCAPED.test(text)) {
    const plain = withoutPercent(text);
    const unescaped = lowerCase(plain.text);
    askForValues(
      unescaped,
      askOf(unescaped, (start, end) => [plain.places[start] ?? 0, plain.places[end] ?? text.length]),
    );
  }
  return outermost(found);
};

const outermost = (found: Tainted[]): Tainted[] => {
  const kept: Tainted[] = [];
  let end = -1;
  for (const finding of found.sort(
    (one, other) => one.start - other.start || other.end - one.end || other.score - one.score,
  )) {
    if (finding.end <= end) continue;
    kept.push(finding);
    end = finding.end;
  }
  return kept.sort(byPlace);
};

/** Unit by unit, so that places stay where they are. */
const lowerCase = (text: string): string => {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
};

const ESCAPED = /%[2-7][0-9a-f]/i;

/** With `%40` as `@`, and where each unit of that was. */
const withoutPercent = (text: string): { text: string; places: number[] } => {
  const places: number[] = [];
  let at = 0;
  const plain = text.replace(/%([2-7][0-9a-f])|[^%]|%/gi, (unit: string, hex: string | undefined) => {
    places.push(at);
    at += unit.length;
    return hex === undefined ? unit : String.fromCharCode(Number.parseInt(hex, 16));
  });
  places.push(at);
  return { text: plain, places };
};

const indexOf = (speech: Speech, maxDepth: number): ProvenanceIndex => {
  const index = new ProvenanceIndex();
  speech.turns.forEach((turn, at) => {
    index.add(speech.place(at), saidIn(speech, turn, maxDepth));
  });
  return index;
};

const NONE: readonly Tainted[] = [];
