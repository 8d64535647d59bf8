import { GuardError } from "#core/errors";
import type { QueryRules } from "#guard/apis/responses-kept";
import type { Slot } from "#scan/texts/text-walk";

/** A name and a value, as they go to the provider. */
export type KeptParam = { readonly name: string; value: string };

const MOST = 50;

/** Reads the query of a call; what the API does not have is refused. Throws `invalid_value`, `parameter_not_allowed`. */
export const keptQuery = (search: URLSearchParams, rules: QueryRules): KeptParam[] => {
  const given = [...search];
  if (given.length > MOST) throw new GuardError("invalid_value", `The query has more than ${MOST} parameters.`);
  return given.map(([written, value]) => {
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
    return { name: brackets === "" ? name : `${name}[]`, value };
  });
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
