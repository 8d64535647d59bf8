/** How one model API asks and answers: the same texts in each, as its provider writes them. */
export type Wire = {
  readonly path: string;
  body(model: string, isStream: boolean, prompt: string): string;
  whole(marker: string, text: string): string;
  /** The events of a stream, each with its blank line; the tokens' own are between `begin` and `end`. */
  begin(marker: string): string[];
  token(marker: string, token: string, at: number): string;
  end(marker: string, text: string): string[];
  /** Whether text has come in. */
  readonly hasText: RegExp;
  /** How a stream ends, without its last blank line. */
  readonly ending: string;
  /** The text of one event's data; empty for events of other things. */
  tokenOf(data: unknown): string;
};

/** An event with a name of its own. */
export const named = (name: string, fields: string): string => `event: ${name}\ndata: {"type":"${name}",${fields}}\n\n`;

/** What stands at these keys, if a text does. */
export function textAt(data: unknown, ...keys: readonly (string | number)[]): string {
  let value = data;
  for (const key of keys) value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return typeof value === "string" ? value : "";
}
