import { isRecord, type JsonRecord } from "#core/json/json";
import type { Origin } from "#scan/detector";
import { Walk } from "#scan/texts/text-walk";
import type { WalkRules } from "#scan/texts/walk-rules";

/*
 * Whose words stand where in the requests of an API, as data. Open at every level: what no table names is read all the
 * same, as the words of the author of what contains it.
 */

/** Items of a list, each of which somebody else may have said. */
export type ItemTable = {
  /** Whose an item is, by its `type`, else by its `role`, else whose the list is. Maps: a caller chooses the key. */
  readonly byType?: ReadonlyMap<unknown, Origin>;
  readonly byRole?: ReadonlyMap<unknown, Origin>;
  /** Keys of an item that are another's words than the rest of it. */
  readonly keys?: ReadonlyMap<string, Origin>;
  /** The same, of items of one type. */
  readonly keysOfType?: ReadonlyMap<unknown, ReadonlyMap<string, Origin>>;
  /** Keys of an item under which lists of items stand again. */
  readonly items?: ReadonlyMap<string, ItemTable>;
};

export type RequestTable = {
  /** Keys of the body that are looked at elsewhere: the model, which is judged before everything else. */
  readonly skips: ReadonlySet<string>;
  /** Whose words stand below a key of the body; the user's where it is not named. */
  readonly keys: ReadonlyMap<string, Origin>;
  /** Keys of the body under which lists of items stand. */
  readonly items: ReadonlyMap<string, ItemTable>;
  readonly rules: WalkRules;
};

const compileAll = (items: ReadonlyMap<string, ItemTable>): ReadonlyMap<string, Compiled> =>
  new Map([...items].map(([key, table]) => [key, compile(table)]));

/** Makes the walk over all texts of a request: to be run in one piece, or with `walkSliced`. */
export const requestWalk =
  ({ skips, keys, items, rules }: RequestTable, compiled = compileAll(items)) =>
  (body: JsonRecord, maxDepth: number): Walk => {
    const walk = new Walk(maxDepth, false, rules);
    const names = Object.keys(body);
    walk.begin(names.length, (at) => {
      const key = names[at] ?? "";
      const table = compiled.get(key);
      const value = body[key];
      if (table && Array.isArray(value)) itemsOf({ walk, compiled: table }, value, key, keys.get(key) ?? "user", 2);
      else if (!skips.has(key)) walk.field(body, key, keys.get(key) ?? "user");
    });
    return walk;
  };

/**
 * Makes the walk over all texts of an answer. Times and counts of the envelope are as long as telephone numbers, and none.
 * `repeated`: keys under which an answer repeats its request, with whose words they are.
 */
export const answerWalk =
  (rules: WalkRules, repeated?: ReadonlyMap<string, Origin>) =>
  (body: JsonRecord, maxDepth: number): Walk => {
    const walk = new Walk(maxDepth, false, rules);
    const names = Object.keys(body);
    walk.begin(names.length, (at) => {
      const key = names[at] ?? "";
      answerField(walk, body, key, repeated?.get(key));
    });
    return walk;
  };

/** A field of an answer, or of an event of one. */
export const answerField = (walk: Walk, body: JsonRecord, key: string, origin: Origin = "output"): void => {
  const value = body[key];
  if (typeof value === "number" && walk.envelope.test(key) && isCount(value)) return;
  walk.field(body, key, origin);
};

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < MAX_COUNT;

/** Seconds of a date to come, tokens of any call; shorter than the number of any card. */
const MAX_COUNT = 100_000_000_000;

/** A key of an item that is not simply the item's: another's words, or a list of items again. */
type Part = { readonly key: string; readonly origin: Origin | null; readonly inner: Compiled | null };

/** The parts of items, and their keys. */
type Parts = { readonly list: readonly Part[]; readonly keys: ReadonlySet<string> };

/** A table as it is asked, item by item. */
type Compiled = {
  readonly table: ItemTable;
  readonly parts: Parts;
  readonly partsOfType: ReadonlyMap<unknown, Parts>;
};

const compile = (table: ItemTable): Compiled => {
  const inner = new Map([...(table.items ?? [])].map(([key, items]) => [key, compile(items)]));
  const partsOf = (origins: ReadonlyMap<string, Origin>): Parts => {
    const keys = new Set([...inner.keys(), ...origins.keys()]);
    const list = [...keys].map((key) => ({ key, origin: origins.get(key) ?? null, inner: inner.get(key) ?? null }));
    return { list, keys };
  };
  const common = [...(table.keys ?? [])];
  const ofTypes = [...(table.keysOfType ?? [])].map(([type, keys]): [unknown, Parts] => [
    type,
    partsOf(new Map([...common, ...keys])),
  ]);
  return { table, parts: partsOf(new Map(common)), partsOfType: new Map(ofTypes) };
};

type Listed = { readonly walk: Walk; readonly compiled: Compiled };

const itemsOf = ({ walk, compiled }: Listed, list: unknown[], path: string, inherited: Origin, depth: number): void =>
  walk.each(list.length, (index) => {
    const item = list[index];
    const param = `${path}[${index}]`;
    if (!isRecord(item)) {
      walk.value(list, index, param, inherited, depth);
      return;
    }
    const { table, parts, partsOfType } = compiled;
    const { type, role } = item;
    const origin = table.byType?.get(type) ?? table.byRole?.get(role) ?? inherited;
    const { list: known, keys } = partsOfType.get(type) ?? parts;
    const own = known.filter(({ key }) => key in item);
    if (own.length === 0) walk.fields(item, param, origin, depth);
    else {
      walk.each(own.length + 1, (at) => {
        const part = own[at - 1];
        if (part === undefined) walk.fields(item, param, origin, depth, keys);
        else partOf(walk, item, part, `${param}.${part.key}`, origin, depth);
      });
    }
  });

const partOf = (walk: Walk, item: JsonRecord, part: Part, param: string, of: Origin, depth: number): void => {
  const list = item[part.key];
  const origin = part.origin ?? of;
  if (part.inner && Array.isArray(list)) itemsOf({ walk, compiled: part.inner }, list, param, origin, depth + 2);
  else walk.value(item, part.key, param, origin, depth);
};
