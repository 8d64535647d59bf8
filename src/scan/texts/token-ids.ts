import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { isNumber, numberOf } from "#core/json/json-number";
import type { WalkRules } from "#scan/texts/walk-rules";

/*
 * Texts that a request gives as token ids: a list of them, or a list of such lists. They are scanned as the text that the
 * model reads. Where something is redacted, strings take the place of all ids of the field, since no API takes both in
 * one list; the provider makes tokens of them again.
 */

/** The bytes of each token: those of token `id` end at `ends[id]` and begin where those before it end. No bytes: no token. */
export type TokenTable = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
};

/** Ids read in one step: a fraction of a millisecond. */
const STEP = 4_096;
/** What a step costs a walk that is done in slices, in values. */
const STEP_COST = 512;

/** Whether a value is a list with token ids in it, however deep in further lists. */
export const hasTokenIds = (value: unknown): boolean => {
  const lists: unknown[] = [value];
  for (let list = lists.pop(); list !== undefined; list = lists.pop()) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      if (isNumber(item)) return true;
      if (Array.isArray(item)) lists.push(item);
    }
  }
  return false;
};

/** Lists in lists: a list of inputs, each a list of ids. */
const MAX_NESTED = 1;

/** Reads token ids below a field of a body. Throws `invalid_value` for what is no token, and for ids beside other things. */
export const tokenIdsIn = (body: JsonRecord, field: string, table: TokenTable): NonNullable<WalkRules["looks"]> => {
  const texts = new Map<object, Map<string | number, string>>();
  /** Lists below the field, with how deep they are in others. */
  const lists = new Map<object, number>();
  return (walk, holder, key, param) => {
    const value: unknown = Array.isArray(holder) ? holder[Number(key)] : holder[key];
    const above = holder === body && key === field ? -1 : lists.get(holder);
    if (above === undefined || !Array.isArray(value)) return false;
    const nested = above + 1;
    lists.set(value, nested);
    if (!value.some(isNumber)) return false;
    if (nested > MAX_NESTED) throw noToken(param);
    const ids: readonly unknown[] = value;
    const reader = new TokenReader(table, param);
    walk.each(
      Math.ceil(ids.length / STEP) + 1,
      (at) => {
        if (at * STEP < ids.length) {
          reader.read(ids.slice(at * STEP, (at + 1) * STEP));
          return;
        }
        const text = reader.end();
        const all = texts.get(holder) ?? new Map<string | number, string>();
        texts.set(holder, all.set(key, text));
        walk.joined(param, "user", text, (next) => {
          for (const [name, own] of all) put(holder, name, own);
          all.clear();
          put(holder, key, next);
        });
      },
      STEP_COST,
    );
    return true;
  };
};

const put = (holder: JsonRecord | unknown[], key: string | number, text: string): void => {
  if (Array.isArray(holder)) holder[Number(key)] = text;
  else holder[key] = text;
};

/** The text of token ids, step by step: a character may begin in one step and end in the next. */
class TokenReader {
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  private readonly texts: string[] = [];

  constructor(
    private readonly table: TokenTable,
    private readonly param: string,
  ) {}

  read(ids: readonly unknown[]): void {
    const { bytes, ends } = this.table;
    const spans = ids.map((id) => this.spanOf(id, ends));
    const out = new Uint8Array(spans.reduce((sum, [from, to]) => sum + to - from, 0));
    let at = 0;
    for (const [from, to] of spans) {
      out.set(bytes.subarray(from, to), at);
      at += to - from;
    }
    this.texts.push(this.decoder.decode(out, { stream: true }));
  }

  end(): string {
    return this.texts.join("") + this.decoder.decode();
  }

  private spanOf(value: unknown, ends: Uint32Array): readonly [from: number, to: number] {
    const id = numberOf(value);
    const to = id === undefined ? undefined : ends[id];
    const from = id === undefined || id === 0 ? 0 : ends[id - 1];
    if (from === undefined || to === undefined || to === from) throw noToken(this.param);
    return [from, to];
  }
}

const noToken = (param: string): GuardError =>
  new GuardError("invalid_value", "Not a token id of the model's encoding.", { param });
