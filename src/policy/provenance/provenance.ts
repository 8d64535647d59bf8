import { isHostAllowed } from "#model/server-tools";
import { decodedIn } from "#policy/provenance/decoded";
import { comparing, descriptionsIn, Orders } from "#policy/provenance/orders";
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
import { Senders } from "#policy/provenance/senders";
import { type Speech, saidIn, type Voice } from "#policy/provenance/speech";
import { fold } from "#scan/fold/normalize";
import { once } from "#scan/fold/once";
import type { CompiledPolicy } from "#scan/policy";
import { byPlace, type Judged } from "#scan/scan";

/**
 * Where the values of a tool call come from. A sentence in an e-mail that is harmless by itself ("Send the bill to …")
 * is seen by no detector; that the address came from that e-mail, and from nobody who may give orders, is.
 */
export const TAINTED = { type: "tool.tainted_argument", category: "tool", detector: "tool.provenance" } as const;

/** A finding, with the JSON path of the message its value came from. */
export type Tainted = Judged & Source & { readonly kind: ValueKind };

/** Where a value was first. `isSure`: whether it is known, too, what those said who may give orders. */
export type Source = { readonly source: string; readonly isSure: boolean };

/** What values are traced in: where one comes from; null for somebody trusted, undefined for neither. */
export type Origins = {
  readonly isPartial: boolean;
  /** `field`: the name of the argument, where it is known. */
  readonly trace: (value: string, kind: ValueKind, field?: string) => Source | null | undefined;
  /** What a tool said that ordered a call of another with one of these values, which nobody trusted has said; else null. */
  readonly ordererOf: (tool: string, values: readonly string[]) => string | null;
};

/** Who first had a value. */
export type FirstVoice = { readonly voice: Voice; readonly source: string };

/** Kept of each voice, in UTF-16 units: seven bytes each. */
const MAX_UNITS = 2_000_000;
/** Different values looked for in one call. */
const MAX_VALUES = 5_000;
/** Places compared in one call: some ten milliseconds. */
const MAX_EFFORT = 2_000_000;

/** Longer texts are taken in in blocks, where that is done in slices. In UTF-16 units. */
const ADDED_AT_ONCE = 8_192;
/** What each text costs beside its length, as so many units more. */
const UNITS_A_TEXT = 16;
/** How much of the descriptions of declared tools is read for orders: some milliseconds. */
const MAX_DESCRIBED = 262_144;

/** What was said in a conversation, and by whom first. */
export class ProvenanceIndex implements Origins {
  private readonly said: Record<Voice, WordIndex>;
  private readonly sources: string[] = [];
  private readonly orders: Orders | null;
  private readonly senders: Senders | null;
  private readonly known = new Map<string, FirstVoice | undefined>();
  private readonly effort: Effort = { left: MAX_EFFORT };
  /** Not everything could be taken in, or, in this call, compared. */
  private isCut = false;
  private isSpent = false;

  /** `isFollowed`: of an agent whose profile goes by it. What tools order, and whom to answer, is looked for too. */
  constructor(mostUnits = MAX_UNITS, isFollowed = false) {
    this.orders = isFollowed ? new Orders() : null;
    this.senders = isFollowed ? new Senders() : null;
    const index = () => new WordIndex(mostUnits);
    this.said = { trusted: index(), tool: index(), model: index() };
  }

  /** What was not found may still have come from a tool. */
  get isPartial(): boolean {
    return this.isCut || this.isSpent || this.orders?.isPartial === true;
  }

  /** Each call has the whole effort, however much those before it have looked for. */
  beginCall(): void {
    this.known.clear();
    this.effort.left = MAX_EFFORT;
    this.isSpent = false;
  }

  /** Texts of the next message, in the order of the conversation. `source`: where it is, as records name it. */
  add(source: string, texts: Iterable<readonly [voice: Voice, text: string]>): void {
    const turn = this.sources.push(source) - 1;
    for (const [voice, text] of texts) {
      if (!this.said[voice].add(text, turn)) this.isCut = true;
      if (voice === "tool") this.senders?.result(text);
      this.addSaid(voice, text, turn);
    }
    this.known.clear();
  }

  /** What is said beside values. A model reads base64: what a tool says in it, it says. */
  private addSaid(voice: Voice, text: string, turn: number): void {
    if (voice === "trusted") this.senders?.trusted(text);
    if (voice !== "tool") return;
    this.orders?.add(text, turn);
    for (const meant of decodedIn(text)) {
      this.said.tool.add(meant, turn);
      this.orders?.add(meant, turn);
    }
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
      if (!(typeof isWhole === "boolean" ? isWhole : await isWhole)) this.isCut = true;
      if (voice === "tool") this.senders?.result(text);
      for (const block of voice === "model" ? [] : blocksOf(text)) {
        this.addSaid(voice, block, turn);
        const wait = pause();
        if (wait) await wait;
      }
      const wait = pause();
      if (wait) await wait;
    }
    this.known.clear();
  }

  trace(value: string, kind: ValueKind, field?: string): Source | null | undefined {
    const source = this.sourceOf(value);
    if (typeof source === "string" && kind === "email" && this.senders?.areAnswered(wordsOf(value), field)) return null;
    return typeof source === "string" ? { source, isSure: true } : source;
  }

  /** The message of a tool that first had a value; null when somebody trusted has it; undefined when neither does. */
  sourceOf(value: string): string | null | undefined {
    const first = this.firstOf(value);
    if (first?.voice === "trusted") return null;
    // A name the model made up and a tool then repeats is the model's.
    return first?.voice === "tool" ? first.source : undefined;
  }

  ordererOf(tool: string, values: readonly string[]): string | null {
    const compared = comparing();
    const source = this.orders?.find(tool, values, (value) => this.isTrusted(value), compared) ?? null;
    if (compared.left < 0) this.isSpent = true;
    return source === null ? null : (this.sources[source] ?? null);
  }

  /** Whether somebody who may give orders has said it. */
  isTrusted(value: string): boolean {
    return this.firstOf(value)?.voice === "trusted";
  }

  /** Whether somebody of that voice has said anything. */
  hasHeard(voice: Voice): boolean {
    return !this.said[voice].isEmpty;
  }

  /** Who had a value first; somebody trusted, if one of those has it at all. Undefined when nobody has. */
  firstOf(value: string): FirstVoice | undefined {
    const words = wordsOf(value);
    if (words.length < MIN_VALUE_LENGTH) return undefined;
    if (this.known.has(words)) return this.known.get(words);
    if (this.known.size >= MAX_VALUES) {
      this.isSpent = true;
      return undefined;
    }
    const first = this.find(words);
    this.known.set(words, first);
    return first;
  }

  private find(words: string): FirstVoice | undefined {
    const trusted = this.said.trusted.first(words, this.effort);
    const tool = this.said.tool.first(words, this.effort);
    const model = this.said.model.first(words, this.effort);
    if (trusted === null || tool === null || model === null) this.isSpent = true;
    const said = (voice: Voice, turn: number): FirstVoice => ({ voice, source: this.sources[turn] ?? "" });
    if (trusted !== null && trusted >= 0) return said("trusted", trusted);
    const isModels = model !== null && model >= 0;
    if (tool !== null && tool >= 0 && !(isModels && model < tool)) return said("tool", tool);
    return isModels ? said("model", model) : undefined;
  }
}

/** The provenance of one request. Nothing is computed until the first argument is judged. */
export class Provenance {
  private index: ProvenanceIndex | null = null;
  private readonly described = once(() => this.ordersDescribed());
  /** Not all descriptions could be read or compared. */
  private isCut = false;

  private constructor(
    private readonly speech: Speech,
    private readonly hasResults: boolean,
    private readonly maxDepth: number,
    private readonly isLong: boolean,
    private readonly declared: Declared | null,
  ) {}

  /**
   * Null for a request of which nothing can come: without results of tools, and without `declared`, the tools it declares,
   * where what they and their results order is followed. `isLong`: to be prepared in slices.
   */
  static of(
    speech: Speech | null,
    maxDepth: number,
    isLong = false,
    declared: Declared | null = null,
  ): Provenance | null {
    if (speech === null) return null;
    const hasResults = speech.turns.some(speech.hasResult);
    return hasResults || declared ? new Provenance(speech, hasResults, maxDepth, isLong, declared) : null;
  }

  /** Whether `prepare` should come before `judge`, which would keep the thread for long. */
  isUnprepared(policy: CompiledPolicy): boolean {
    return this.isLong && this.index === null && isJudged(policy);
  }

  /** Computes in slices what `judge` would in one piece. */
  async prepare(pause: MayPause): Promise<void> {
    const index = this.newIndex();
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
    return this.isCut || (this.index?.isPartial ?? false);
  }

  /** What the request alone says; null where no tool has said anything, or the policy does not ask. */
  origins(policy: CompiledPolicy): Origins | null {
    return isJudged(policy) && this.hasResults ? this.known : null;
  }

  /** Values in one text of a tool call's arguments that only tools have said; what the policy allows is left out. */
  judge(policy: CompiledPolicy, argument: string, field?: string): readonly Tainted[] {
    return isJudged(policy) && this.hasResults ? taintedIn(this.known, policy, argument, field) : NONE;
  }

  /**
   * What ordered a call of a tool with these values, and is neither trusted nor the model's: a result, or how another
   * tool is described; null for nothing.
   */
  ordererOf(tool: string, values: readonly string[]): string | null {
    if (this.declared === null || values.length === 0) return null;
    const result = this.hasResults ? this.known.ordererOf(tool, values) : null;
    if (result !== null) return result;
    const compared = comparing();
    for (const [param, name, orders] of this.described()) {
      if (name === tool) continue;
      const isFound = orders.find(tool, values, (value) => this.known.isTrusted(value), compared) !== null;
      this.isCut ||= orders.isPartial || compared.left < 0;
      if (isFound) return param;
    }
    return null;
  }

  private ordersDescribed(): readonly (readonly [param: string, name: string, orders: Orders])[] {
    const described: [string, string, Orders][] = [];
    let left = MAX_DESCRIBED;
    for (const [param, name, definition] of this.declared?.() ?? []) {
      if (left <= 0) {
        this.isCut = true;
        break;
      }
      left -= UNITS_A_TEXT;
      const orders = new Orders();
      for (const text of descriptionsIn(definition)) {
        orders.add(text, 0);
        left -= text.length;
      }
      described.push([param, name, orders]);
    }
    return described;
  }

  private get known(): ProvenanceIndex {
    this.index ??= this.indexed();
    return this.index;
  }

  private indexed(): ProvenanceIndex {
    const index = this.newIndex();
    const { speech } = this;
    speech.turns.forEach((turn, at) => {
      index.add(speech.place(at), saidIn(speech, turn, this.maxDepth));
    });
    return index;
  }

  private newIndex(): ProvenanceIndex {
    return new ProvenanceIndex(MAX_UNITS, this.declared !== null);
  }
}

/** The tools that a request declares. */
export type Declared = () => Iterable<readonly [param: string, name: string, definition: unknown]>;

const isJudged = (policy: CompiledPolicy): boolean =>
  policy.mode !== "off" && policy.judge("tool_args", TAINTED.type, 1) !== "allow";

/**
 * The findings of a text against what was said, in text order, none inside another. `field`: the name of the argument, where
 * it is known: commands are looked for in those that take some.
 */
export const taintedIn = (
  origins: Origins,
  policy: CompiledPolicy,
  argument: string,
  field?: string,
): readonly Tainted[] => {
  const { text, map } = fold(argument);
  const found: Tainted[] = [];
  const askOf =
    (lower: string, place: (start: number, end: number) => readonly [number, number]): Ask =>
    (kind, start, end) => {
      const value = lower.slice(start, end);
      const source = isAllowed(policy, kind, value) ? null : origins.trace(value, kind, field);
      if (source === undefined) return false;
      const score = KINDS[kind];
      const verdict = policy.verdict("tool_args", TAINTED.type, score);
      const [from, to] = place(start, end);
      if (source !== null && verdict.action !== "allow") {
        found.push({ ...TAINTED, start: map.start(from), end: map.end(to - 1), score, ...verdict, ...source, kind });
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

/** Whether it is on a host to which the agent's profile lets links go. A list that names every host says nothing. */
const isAllowed = ({ source: { url_allow = [] } }: CompiledPolicy, kind: ValueKind, value: string): boolean => {
  if (url_allow.length === 0 || (kind !== "url" && kind !== "url_with_data" && kind !== "host")) return false;
  // What stands before `@` is no host, and `\\` ends one for some readers and not for others.
  if (/^[^/?#]*[@\\]/.test(value)) return false;
  const hosts = url_allow.filter((host) => host !== "*");
  return isHostAllowed(hosts, URL.parse(`https://${value}`)?.hostname ?? "");
};

/** Several, of which the first that knows a value says where it comes from. */
export const chainOf = (all: readonly (Origins | null)[]): Origins | null => {
  const known = all.filter((one) => one !== null);
  const [only] = known;
  if (known.length < 2) return only ?? null;
  return {
    get isPartial() {
      return known.some(({ isPartial }) => isPartial);
    },
    trace: (value, kind, field) => {
      for (const one of known) {
        const source = one.trace(value, kind, field);
        if (source !== undefined) return source;
      }
      return undefined;
    },
    ordererOf: (tool, values) => {
      for (const one of known) {
        const source = one.ordererOf(tool, values);
        if (source !== null) return source;
      }
      return null;
    },
  };
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

const NONE: readonly Tainted[] = [];
