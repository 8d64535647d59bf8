import type { JsonRecord } from "#core/json/json";
import type { Shape } from "./shapes";

/** Where in its API a text stands: in which object, and below which of its fields. */
export type Position = {
  /** The nearest object around it that says what it is: `messages[user].content[text]`. Empty for the body itself. */
  readonly object: string;
  /** The path below that: `json_schema.description`. */
  readonly field: string;
};

/** One text in a body. */
export type Place = Position & {
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** Whether the text is the name of a field. */
  readonly isName: boolean;
  /** Whether it is one of the words an API has for this place: a type, a role, a status. */
  readonly isWord: boolean;
  /** The string with another text in it. */
  readonly holding: (text: string) => string;
};

/** A body, and every text in it that a caller or a provider may choose. */
export type Body = { readonly value: JsonRecord; readonly places: readonly Place[] };

export type CorpusRules = {
  /** Values that an API's rules decide, by `object.field` of the position. */
  readonly fixed: ReadonlyMap<string, unknown>;
  /** Fields that are not sent, and objects: `input[item_reference]`. */
  readonly absent: ReadonlySet<string>;
};

const NO_RULES: CorpusRules = { fixed: new Map(), absent: new Set() };

/** Fields whose texts are not treated as all others are, and why. */
export type Exception = {
  /** As it ends a position: a field, or what an object says it is and its field: `[thinking].signature`. */
  readonly field: string;
  readonly why: string;
};

export const isAmong = (exceptions: readonly Exception[], position: Position): boolean =>
  exceptions.some(({ field }) => `.${nameOf(position)}`.endsWith(field.startsWith("[") ? field : `.${field}`));

type Known = Omit<Place, "path" | "text">;

/** What is written at a position: the object, the path below it, and the objects around, which do not stand in themselves. */
type At = Position & { readonly within: ReadonlySet<Shape> };

const START: At = { object: "", field: "", within: new Set() };

/**
 * Bodies that have every field of a type, and every member of each union in it at least once; words come in turn. A list holds all members
 * of its union; other unions take a body each. An object that holds itself is left out the second time.
 */
export class Corpus {
  private count = 0;
  private readonly known = new Map<string, Known>();
  private readonly turns = new Map<Shape, number>();

  private rules = NO_RULES;

  /** `encoded`: fields whose texts are no words. */
  constructor(private readonly encoded: readonly Exception[]) {}

  bodiesOf(shape: Shape, rules: CorpusRules = NO_RULES): readonly Body[] {
    this.rules = rules;
    return this.all(shape, START).map((value) => this.body(value));
  }

  /** A value that was made here, with its texts found again. */
  body(value: unknown): Body {
    if (!isObject(value)) throw new Error("a body is an object");
    const places: Place[] = [];
    this.find(value, [], places);
    return { value, places };
  }

  private find(value: unknown, path: readonly (string | number)[], places: Place[]): void {
    if (typeof value === "string") places.push(this.placeOf(value, path));
    else if (Array.isArray(value)) for (const [at, item] of value.entries()) this.find(item, [...path, at], places);
    else if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        const known = this.known.get(name);
        if (known?.isName) places.push({ ...known, path: [...path, name], text: name });
        this.find(item, [...path, name], places);
      }
    }
  }

  private placeOf(text: string, path: Place["path"]): Place {
    const known = this.known.get(text);
    const word = { object: "", field: path.join("."), isName: false, isWord: true, holding: same };
    return { ...(known ?? word), path, text };
  }

  /** Every variant of a value. The first has all fields; the others have what differs and what is required. */
  private all(shape: Shape, at: At): readonly unknown[] {
    const fixed = this.fixedAt(at);
    if (fixed !== undefined) return [fixed];
    switch (shape.kind) {
      case "either":
        return inOrder(shape.of).flatMap((member) => this.all(member, this.inside(member, at)));
      case "list":
        return [this.all(shape.of, this.inside(shape.of, at))];
      case "map":
        return [this.mapOf(this.all(shape.of, { ...at, field: below(at.field, "*") }), at)];
      case "object":
        return this.objects(shape, at);
      default:
        return [this.one(shape, at)];
    }
  }

  private objects(shape: Shape & { readonly kind: "object" }, outer: At): readonly unknown[] {
    if (outer.within.has(shape) || this.rules.absent.has(outer.object)) return [];
    const at = { ...outer, within: new Set([...outer.within, shape]) };
    const fields = [...shape.fields].filter(
      ([name]) => !this.rules.absent.has(nameOf({ ...at, field: below(at.field, name) })),
    );
    const variants = new Map(
      fields.map(([name, { shape: value }]) => [name, this.all(value, fieldAt(value, name, at))] as const),
    );
    const most = Math.max(1, ...[...variants.values()].map(({ length }) => length));
    return Array.from({ length: most }, (_, which) => {
      const made: JsonRecord = {};
      for (const [name, { shape: value, isOptional }] of fields) {
        const all = variants.get(name) ?? [];
        if (which < all.length) made[name] = all[which];
        else if ((!isOptional || this.isFixed(name, at)) && all.length > 0)
          made[name] = this.least(value, fieldAt(value, name, at));
      }
      return made;
    });
  }

  /** The smallest value there is; undefined where an object would stand in itself. */
  private least(shape: Shape, at: At): unknown {
    const fixed = this.fixedAt(at);
    if (fixed !== undefined) return fixed;
    switch (shape.kind) {
      case "either": {
        const [first] = inOrder(shape.of);
        return first && this.least(first, this.inside(first, at));
      }
      case "list": {
        const item = this.least(shape.of, this.inside(shape.of, at));
        return item === undefined ? [] : [item];
      }
      case "map":
        return {};
      case "object":
        return this.leastObject(shape, at);
      default:
        return this.one(shape, at);
    }
  }

  private leastObject(shape: Shape & { readonly kind: "object" }, outer: At): JsonRecord | undefined {
    if (outer.within.has(shape)) return undefined;
    const at = { ...outer, within: new Set([...outer.within, shape]) };
    const made: JsonRecord = {};
    for (const [name, { shape: value, isOptional }] of shape.fields) {
      const least = isOptional ? undefined : this.least(value, fieldAt(value, name, at));
      if (least !== undefined) made[name] = least;
    }
    return made;
  }

  private one(shape: Shape, at: At): unknown {
    switch (shape.kind) {
      case "text":
        return this.text(at);
      case "words":
        return this.wordOf(shape);
      case "number":
        this.count += 1;
        return this.count;
      case "boolean":
        return true;
      case "unknown":
        return this.mapOf([this.text({ ...at, field: below(at.field, "*") })], at);
      default:
        return null;
    }
  }

  /** Each of them in turn. */
  private wordOf(shape: Shape & { readonly kind: "words" }): unknown {
    const turn = this.turns.get(shape) ?? 0;
    this.turns.set(shape, turn + 1);
    return shape.values[turn % shape.values.length];
  }

  private mapOf(values: readonly unknown[], at: At): JsonRecord {
    return Object.fromEntries(
      values.map((value) => [this.newText({ ...at, isName: true, isWord: false, holding: same }), value]),
    );
  }

  private text({ object, field }: Position): string {
    const holding = isAmong(this.encoded, { object, field }) ? encoded : formOf(field);
    return this.newText({ object, field, isName: false, isWord: false, holding });
  }

  /** No two texts of a corpus are equal: what is lost or put elsewhere shows. */
  private newText({ object, field, isName, isWord, holding }: Known): string {
    this.count += 1;
    const text = holding(phrase(this.count));
    this.known.set(text, { object, field, isName, isWord, holding });
    return text;
  }

  private isFixed(name: string, at: Position): boolean {
    return this.fixedAt({ ...at, field: below(at.field, name) }) !== undefined;
  }

  private fixedAt(at: Position): unknown {
    return this.rules.fixed.get(nameOf(at));
  }

  /** A member of a union or an item of a list: where it says what it is, positions below begin there. */
  private inside(shape: Shape, at: At): At {
    const says = markOf(shape);
    if (says === null) return at;
    return { ...at, object: `${below(at.object, at.field)}[${says}]`, field: "" };
  }
}

/** A position in one piece: `messages[user].content[text].text`. */
export const nameOf = ({ object, field }: Position): string => (object === "" ? field : `${object}.${field}`);

const fieldAt = (shape: Shape, name: string, at: At): At => {
  const inner = { ...at, field: below(at.field, name) };
  const says = markOf(shape);
  return says === null ? inner : { ...inner, object: `${below(at.object, inner.field)}[${says}]`, field: "" };
};

const below = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** What an object says it is by a constant: its type or its role. */
const markOf = (shape: Shape): string | null => {
  if (shape.kind !== "object") return null;
  for (const name of ["type", "role"]) {
    const mark = constantOf(shape.fields.get(name)?.shape);
    if (mark !== null) return mark;
  }
  return null;
};

const constantOf = (shape: Shape | undefined): string | null => {
  if (shape?.kind === "words" && shape.values.length === 1) return String(shape.values[0]);
  if (shape?.kind !== "either") return null;
  const others = shape.of.filter(({ kind }) => kind !== "null");
  return others.length === 1 ? constantOf(others[0]) : null;
};

const same = (text: string): string => text;
const encoded = (text: string): string => text.replaceAll(" ", "");

/** Texts that are written in a form of their own: addresses, and JSON in a string. */
const formOf = (field: string): ((text: string) => string) => {
  const name = field.slice(field.lastIndexOf(".") + 1);
  if (name === "arguments" || name === "partial_json") return (text) => JSON.stringify({ said: text });
  if (name === "url" || name.endsWith("_url")) return (text) => `https://example.com/${text.replaceAll(" ", "/")}`;
  return same;
};

/** What holds most first, so that the first body of a corpus is the largest. */
const ORDER: readonly Shape["kind"][] = [
  "list",
  "map",
  "object",
  "either",
  "unknown",
  "text",
  "number",
  "boolean",
  "words",
  "null",
];

const inOrder = (members: readonly Shape[]): readonly Shape[] =>
  members.toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));

const CONSONANTS = "bdfgklmnprstvz";
const VOWELS = "aeiou";
const SYLLABLES = CONSONANTS.length * VOWELS.length;
const WORDS = SYLLABLES ** 4;

/** Two words that no other number has: long enough to be scanned, and nothing any detector knows. */
const phrase = (count: number): string => `${word(count * 104_729)} ${word(count * 1_299_709)}`;

const word = (count: number): string => {
  let rest = count % WORDS;
  let made = "";
  while (made.length < 8) {
    made += `${CONSONANTS[rest % CONSONANTS.length]}${VOWELS[Math.floor(rest / CONSONANTS.length) % VOWELS.length]}`;
    rest = Math.floor(rest / SYLLABLES);
  }
  return made;
};

/** The body with other texts at some of its places. `isTrimmed`: without items of lists in which no such place is. */
export const withTexts = ({ value }: Body, texts: ReadonlyMap<Place, string>, isTrimmed = false): JsonRecord => {
  const made = structuredClone(value);
  const holders = new Set([...texts.keys()].flatMap(({ path }) => holdersOf(made, path)));
  const byDepth = [...texts].toSorted(([one], [other]) => other.path.length - one.path.length);
  // Values first, and names from the inside out: the paths of what comes later stay what they were.
  for (const [place, text] of byDepth) if (!place.isName) put(made, place, text);
  for (const [place, text] of byDepth) if (place.isName) rename(made, place, text);
  if (isTrimmed) trim(made, holders);
  return made;
};

/** Of the items of each list those that are among the holders, or the first. */
const trim = (value: unknown, holders: ReadonlySet<object>): void => {
  if (!isHolder(value)) return;
  if (Array.isArray(value)) {
    const kept = value.filter((item) => !isHolder(item) || holders.has(item));
    value.splice(0, value.length, ...(kept.length > 0 ? kept : value.slice(0, 1)));
  }
  for (const inner of Object.values(value)) trim(inner, holders);
};

const put = (made: JsonRecord, { path }: Place, text: string): void => {
  const holder = holderIn(made, path);
  const key = path.at(-1);
  if (key === undefined || !Reflect.set(holder, key, text)) throw new Error("no text stands there");
};

/** In the order the fields have. */
const rename = (made: JsonRecord, { path }: Place, text: string): void => {
  const holder = holderIn(made, path);
  for (const [name, value] of Object.entries(holder)) {
    delete holder[name];
    holder[name === path.at(-1) ? text : name] = value;
  }
};

const holderIn = (made: JsonRecord, path: Place["path"]): JsonRecord => {
  const holder = holdersOf(made, path).at(-1);
  if (!holder) throw new Error(`there is nothing at ${path.join(".")}`);
  return holder;
};

/** Everything around a place, from the outside in. */
const holdersOf = (made: JsonRecord, path: Place["path"]): JsonRecord[] => {
  const holders = [made];
  for (const key of path.slice(0, -1)) {
    const inner = holders.at(-1)?.[key];
    if (!isHolder(inner)) throw new Error(`there is nothing at ${path.join(".")}`);
    holders.push(inner);
  }
  return holders;
};

/** An object or a list. */
const isHolder = (value: unknown): value is JsonRecord => typeof value === "object" && value !== null;

const isObject = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
