import { GuardError } from "#core/errors";
import type { QueryRules } from "#guard/apis/responses-kept";
import type { Slot } from "#scan/texts/text-walk";

/** A name and a value, as they go to the provider. */
export type KeptParam = { readonly name: string; value: string };

const MOST = 50;
/** The one that may be given several times. */
const LIST = "include";

/** Reads the query of a call; what the API does not have is refused. Throws `invalid_value`, `parameter_not_allowed`. */
export const keptQuery = (search: URLSearchParams, rules: QueryRules): KeptParam[] => {
  const given = [...search];
  if (given.length > MOST) throw new GuardError("invalid_value", `The query has more than ${MOST} parameters.`);
  const seen = new Set<string>();
  return given.map(([written, value]) => paramOf(written, value, rules, seen));
};

const paramOf = (written: string, value: string, rules: QueryRules, seen: Set<string>): KeptParam => {
  // Lists are written `include[]=`, `include[0]=`, or without brackets.
  const [, name = "", brackets = ""] = /^([a-z_]{1,32})(\[\d{0,2}\])?$/.exec(written) ?? [];
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined) {
    throw new GuardError("parameter_not_allowed", "This query parameter is not served here.", {
      param: name || undefined,
    });
  }
  if (!rule.test(value)) {
    throw new GuardError("invalid_value", "Not a value that this query parameter has here.", { param: name });
  }
  if (name === LIST) return { name: brackets === "" ? name : `${name}[]`, value };
  // Of two values this hub might read one, and the provider the other.
  if (brackets !== "" || seen.has(name)) {
    throw new GuardError("invalid_value", "This query parameter has one value.", { param: name });
  }
  seen.add(name);
  return { name, value };
};

/** How a kept response is asked for: as a stream or whole, and what of the query goes to its provider. */
export type Retrieval = {
  readonly isStream: boolean;
  /** The number of the last event that the caller has; null for none. */
  readonly after: number | null;
  readonly query: readonly KeptParam[];
};

/**
 * A stream is asked for from its beginning, wherever the caller goes on: a text that is looked at from its middle may hide
 * what began before.
 */
export const retrievalOf = (given: readonly KeptParam[]): Retrieval => {
  const isStream = given.some(({ name, value }) => name === "stream" && value === "true");
  const after = given.find(({ name }) => name === "starting_after");
  const query = given.filter(({ name }) => name !== "stream" && name !== "starting_after");
  if (!isStream) return { isStream, after: null, query };
  return { isStream, after: after ? Number(after.value) : null, query: [...query, { name: "stream", value: "true" }] };
};

/** Its texts, to be scanned like any other of a request. */
export const slotsOf = (query: readonly KeptParam[]): Slot[] =>
  query.map((param) => ({
    param: param.name,
    origin: "user",
    text: param.value,
    replace: (text) => {
      param.value = text;
    },
  }));

/** With its question mark; empty for none. */
export const writtenQuery = (query: readonly KeptParam[]): string => {
  const search = new URLSearchParams(query.map(({ name, value }): [string, string] => [name, value]));
  return query.length === 0 ? "" : `?${search}`;
};
