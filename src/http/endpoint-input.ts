import { GuardError } from "#core/errors";
import type { Static, TSchema } from "#core/schema";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "./body";
import { isOn } from "./openapi/query-check";

/* What an endpoint is given: path parameters, query and body, with the types its schemas say. */

/** The names behind colons in a path, with a text each. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : object;

export type QuerySchemas = Readonly<Record<string, TSchema>>;

/** Decoded: a boolean is a boolean, an integer a number. */
export type QueryValues<Q extends QuerySchemas> = { readonly [K in keyof Q]?: Static<Q[K]> };

type BodySpec<B extends TSchema> = {
  readonly schema: B;
  readonly example?: unknown;
  /** It may be left out, and is checked as `{}` then. */
  readonly isOptional?: true;
  /** Throws for a body that gets another error than the schema's. Called before the schema is checked. */
  readonly refuse?: (body: unknown) => void;
};
export type Body<B extends TSchema> = B | BodySpec<B>;

/** Reads a request's body; what comes back parses and checks it, or throws. */
export const bodyReader = <B extends TSchema>(
  body: Body<B> | undefined,
): ((request: Request, maxBytes: number) => Promise<() => Static<B>>) => {
  const { schema, isOptional, refuse } = bodyParts(body);
  // Compiled when the first body comes: a start waits for none.
  let check: ShapeCheck<B> | undefined;
  return async (request, maxBytes) => {
    if (!schema) return nothing;
    const read = isOptional && request.body === null ? () => ({}) : await bodyOf(request, maxBytes);
    return () => {
      check ??= new ShapeCheck(schema);
      const value = read();
      refuse?.(value);
      return check.check(value);
    };
  };
};

function nothing(): never;
/** Of an endpoint without a body: its handler has no type for one. */
function nothing(): undefined {
  return undefined;
}

const bodyParts = <B extends TSchema>(body: Body<B> | undefined): Partial<BodySpec<B>> => {
  if (body === undefined) return {};
  return isSchema(body) ? { schema: body } : body;
};

const isSchema = <B extends TSchema>(body: Body<B>): body is B => !("schema" in body);

export function paramsOf<At extends string>(at: At, params: Readonly<Record<string, string>>): PathParams<At>;
/** The router has taken them from the same path. */
export function paramsOf(_at: string, params: Readonly<Record<string, string>>): object {
  return params;
}

export function queryOf<Q extends QuerySchemas>(
  schemas: Q | undefined,
  given: Readonly<Record<string, string | undefined>>,
): QueryValues<Q>;
/** The texts are checked already (`QueryChecks`). */
export function queryOf(schemas: QuerySchemas = {}, given: Readonly<Record<string, string | undefined>>): object {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]) => {
      const text = given[name];
      return text === undefined ? [] : [[name, decoded(schema, text)]];
    }),
  );
}

/** Refuses names that are no parameters. Throws `invalid_value`. */
export const checkNames = (schemas: QuerySchemas = {}, given: object): void => {
  const known = Object.keys(schemas);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const message = `${unknown} is no parameter here. There are ${known.join(", ")}.`;
  throw new GuardError("invalid_value", message, { param: unknown });
};

const decoded = (schema: TSchema, text: string): unknown => {
  if (schema["type"] === "boolean") return isOn(text);
  return schema["type"] === "integer" ? Number(text) : text;
};
