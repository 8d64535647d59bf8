import type { ToolDefinition } from "#model/tools/tool";
import type { Pause } from "#platform/slices";

/** Longest query, in UTF-16 units, and the most of its words that count. */
export const MAX_QUERY = 1_000;
const MAX_QUERY_WORDS = 32;
/** Of one definition: words beyond these are not looked at. */
const MAX_WORDS = 2_000;
const MAX_VOCABULARY = 20_000;

/** How much a word counts by where it stands. A name says what a tool does; a parameter's description rarely does. */
const WEIGHTS = { name: 4, title: 3, description: 1, parameter: 1, detail: 0.4 } as const;
/** What the beginning of a word counts: "create" finds `creating`, "repo" finds `repository`. */
const STEM_WEIGHT = 0.3;
const STEM = 4;

/** BM25 (Robertson & Zaragoza 2009): how soon a word that is repeated stops to count, how much length takes away. */
const K1 = 1.2;
const B = 0.5;

/** The words of one definition: hashes in ascending order, and what each counts. */
type Words = { readonly hashes: Uint32Array; readonly weights: Float32Array; readonly length: number };

/** What is searched, by public name. */
export type Searched = ReadonlyMap<string, { readonly definition: ToolDefinition }>;
export type Found = { readonly name: string; readonly definition: ToolDefinition; readonly score: number };

/** Callers whose tools are kept ready to be searched: those who searched last. */
const MAX_READY = 8;

/** Which tools have a word, by their places, and what it counts in each. */
type Having = { readonly places: Uint32Array; readonly weights: Float32Array };

/** The words of all of a caller's tools. */
type Ready = {
  readonly tools: readonly (readonly [name: string, definition: ToolDefinition])[];
  readonly lengths: Float32Array;
  readonly averageLength: number;
  readonly words: ReadonlyMap<number, Having>;
};

/**
 * Ranks tools by the words of a query, over names, titles, descriptions and parameters. Keeps the words of a definition
 * for as long as the definition itself is kept, and for some callers which of their tools have a word: a query then looks
 * at these alone.
 */
export class ToolSearchIndex {
  private readonly words = new WeakMap<ToolDefinition, Words>();
  private readonly ready = new Map<Searched, Promise<Ready>>();
  private readonly vocabulary = new Vocabulary();

  /** The best first, `limit` at most; none that has no word of the query. Equal ones in order of name. */
  async find(searched: Searched, query: string, limit: number, pause: Pause): Promise<Found[]> {
    const { tools, lengths, averageLength, words } = await this.readyFor(searched, pause);
    const asked = [...weighed(this.vocabulary, [[query.slice(0, MAX_QUERY), 1]])].slice(0, MAX_QUERY_WORDS * 2);
    const scores = new Float32Array(tools.length);
    for (const [hash, importance] of asked) {
      const having = words.get(hash);
      if (!having) continue;
      const { places, weights } = having;
      const rarity = Math.log(1 + (tools.length - places.length + 0.5) / (places.length + 0.5)) * importance;
      for (const [at, place] of places.entries()) {
        const count = weights[at] ?? 0;
        const size = 1 - B + (B * (lengths[place] ?? 0)) / averageLength;
        scores[place] = (scores[place] ?? 0) + (rarity * count * (K1 + 1)) / (count + K1 * size);
      }
      const wait = pause();
      if (wait) await wait;
    }
    return bestOf(scores, limit, (one, other) =>
      (tools[one]?.[0] ?? "") < (tools[other]?.[0] ?? "") ? -1 : 1,
    ).flatMap((place) => {
      const tool = tools[place];
      return tool ? [{ name: tool[0], definition: tool[1], score: scores[place] ?? 0 }] : [];
    });
  }

  private readyFor(searched: Searched, pause: Pause): Promise<Ready> {
    const ready = this.ready.get(searched) ?? this.prepare(searched, pause);
    this.ready.delete(searched);
    for (const oldest of this.ready.keys()) if (this.ready.size >= MAX_READY) this.ready.delete(oldest);
    this.ready.set(searched, ready);
    return ready;
  }

  private async prepare(searched: Searched, pause: Pause): Promise<Ready> {
    const tools = Array.from(searched, ([name, { definition }]) => [name, definition] as const);
    const lengths = new Float32Array(tools.length);
    const having = new Map<number, { places: number[]; weights: number[] }>();
    let length = 0;
    for (const [place, [, definition]] of tools.entries()) {
      const words = this.wordsOf(definition);
      lengths[place] = words.length;
      length += words.length;
      for (const [at, hash] of words.hashes.entries()) {
        const known = having.get(hash) ?? { places: [], weights: [] };
        if (known.places.length === 0) having.set(hash, known);
        known.places.push(place);
        known.weights.push(words.weights[at] ?? 0);
      }
      const wait = pause();
      if (wait) await wait;
    }
    const words = new Map<number, Having>();
    for (const [hash, { places, weights }] of having) {
      words.set(hash, { places: Uint32Array.from(places), weights: Float32Array.from(weights) });
      const wait = pause();
      if (wait) await wait;
    }
    return { tools, lengths, averageLength: length / Math.max(1, tools.length), words };
  }

  private wordsOf(definition: ToolDefinition): Words {
    const known = this.words.get(definition);
    if (known) return known;
    const made = wordsIn(this.vocabulary, definition);
    this.words.set(definition, made);
    return made;
  }
}

const wordsIn = (vocabulary: Vocabulary, { name, title, description, inputSchema }: ToolDefinition): Words => {
  const texts: [text: string, weight: number][] = [[name, WEIGHTS.name]];
  if (typeof title === "string") texts.push([title, WEIGHTS.title]);
  if (typeof description === "string") texts.push([description, WEIGHTS.description]);
  for (const [parameter, detail] of parametersOf(inputSchema)) {
    texts.push([parameter, WEIGHTS.parameter]);
    if (detail !== "") texts.push([detail, WEIGHTS.detail]);
  }
  const weights = weighed(vocabulary, texts);
  const hashes = Uint32Array.from(weights.keys()).sort();
  let length = 0;
  const ordered = Float32Array.from(hashes, (hash) => {
    const weight = weights.get(hash) ?? 0;
    length += weight;
    return weight;
  });
  return { hashes, weights: ordered, length };
};

/** Parameters at the top of a schema, with what is said of each. */
const parametersOf = (schema: unknown): [string, string][] => {
  if (!isObject(schema) || !isObject(schema["properties"])) return [];
  return Object.entries(schema["properties"]).map(([parameter, property]) => {
    const detail = isObject(property) ? property["description"] : "";
    return [parameter, typeof detail === "string" ? detail : ""];
  });
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** A word; a capital within a name begins a word. */
const ASCII_WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+/g;
/** The same in any script; one character where words have no blanks between them. */
const WORD =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+|\p{L}/gu;
const IS_ASCII = /^[\u0000-\u007f]*$/;
/** Words that every description has. */
const COMMON = new Set("a an and are as at be by for from in is it of on or that the this to with".split(" "));

/** A word as it is looked up. */
type Word = { readonly hash: number; readonly stem: number | null };

/** Words seen so far: descriptions use the same ones again and again. Emptied when it is full. */
class Vocabulary {
  private readonly known = new Map<string, Word | null>();

  /** Null for one that every description has. */
  of(found: string): Word | null {
    const known = this.known.get(found);
    if (known !== undefined) return known;
    if (this.known.size >= MAX_VOCABULARY) this.known.clear();
    const word = singular(found.toLowerCase());
    const stem = word.length >= STEM ? hashOf(`${word.slice(0, STEM)}*`) : null;
    const made = COMMON.has(word) ? null : { hash: hashOf(word), stem };
    this.known.set(found, made);
    return made;
  }
}

/** Hashes of the words in the texts, and what each counts in all. */
const weighed = (
  vocabulary: Vocabulary,
  texts: readonly (readonly [text: string, weight: number])[],
): Map<number, number> => {
  const weights = new Map<number, number>();
  let words = 0;
  for (const [text, weight] of texts) {
    for (const found of text.match(IS_ASCII.test(text) ? ASCII_WORD : WORD) ?? []) {
      const word = vocabulary.of(found);
      if (word === null) continue;
      words += 1;
      if (words > MAX_WORDS) return weights;
      add(weights, word.hash, weight);
      if (word.stem !== null) add(weights, word.stem, weight * STEM_WEIGHT);
    }
  }
  return weights;
};

const add = (weights: Map<number, number>, hash: number, weight: number): void => {
  weights.set(hash, (weights.get(hash) ?? 0) + weight);
};

/** "issues" finds `issue`, "queries" `query`. */
const singular = (word: string): string => {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
};

/** FNV-1a, 32 bits. Two words with one hash make a tool rank a little higher or lower, nothing else. */
const hashOf = (word: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};

/** Places of the highest scores above 0, the highest first; `compared` decides between equal ones. */
const bestOf = (
  scores: Float32Array,
  limit: number,
  compared: (one: number, other: number) => number,
): readonly number[] => {
  const isBefore = (one: number, other: number): boolean => {
    const difference = (scores[one] ?? 0) - (scores[other] ?? 0);
    return difference === 0 ? compared(one, other) < 0 : difference > 0;
  };
  const best: number[] = [];
  for (const [place, score] of scores.entries()) {
    const last = best[limit - 1];
    if (score <= 0 || (last !== undefined && !isBefore(place, last))) continue;
    let at = Math.min(best.length, limit - 1);
    for (let before = best[at - 1]; before !== undefined && isBefore(place, before); before = best[at - 1]) {
      best[at] = before;
      at -= 1;
    }
    best[at] = place;
  }
  return best;
};
