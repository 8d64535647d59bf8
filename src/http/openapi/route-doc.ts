import type { ErrorCode } from "#core/errors";
import type { TSchema } from "#core/schema";

/** One way a route answers. Without a schema it says which media type it is, or it has no body at all. */
export type Answer = {
  readonly description?: string;
  readonly schema?: TSchema;
  /** `application/json` if not said. */
  readonly media?: string;
  /** Made from the schema if not said. */
  readonly example?: unknown;
  /** What else comes back under the same status, e.g. a stream beside JSON. */
  readonly or?: Answer;
  readonly headers?: Readonly<Record<string, string>>;
};

export type DocumentedBody = {
  readonly schema: TSchema;
  readonly media?: string;
  readonly example?: unknown;
  /** The route works without one, too. */
  readonly isOptional?: boolean;
};

/** A shape of errors that an API has for itself. */
export type ErrorForm = {
  /** Tells its shared answers from those of other forms. */
  readonly name: string;
  readonly schema: TSchema;
  readonly exampleOf: (code: ErrorCode) => object;
};

/** What is written down about a route beside what it does: the same schemas that check. */
export type RouteDoc = {
  readonly description?: string;
  readonly body?: TSchema | DocumentedBody;
  /** By name. All are optional unless `required` names them. */
  readonly query?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** Path parameters that are not what their name says; `*` under the name it gets. */
  readonly params?: Readonly<Record<string, TSchema>>;
  /** By status: a schema, or all about it. */
  readonly answers: Readonly<Record<number, TSchema | Answer>>;
  /** Beside those that follow from who may call and what is sent. */
  readonly errors?: readonly ErrorCode[];
  /** How its errors look, where they do not look like all others. */
  readonly errorForm?: ErrorForm;
  /** For a route of all methods: the ones worth telling of. */
  readonly methods?: readonly string[];
  /** For a route of all methods: details of those that do something else, by method in small letters. */
  readonly byMethod?: Readonly<Record<string, object>>;
  readonly deprecated?: boolean;
  /** On a public address this is served before there is an administrator, too. */
  readonly isEarly?: true;
};

/** Not data: merging of routes' details goes around it, so that a start costs no copy of every schema. */
export type DocOf = () => RouteDoc;

export type Detail = { readonly summary: string; readonly tags: string[]; readonly about: DocOf };

/** As the router keeps a route. */
export type RegisteredRoute = {
  readonly method: string;
  readonly path: string;
  readonly hooks?: { readonly detail?: object };
};

const EMPTY_DOC: RouteDoc = { answers: {} };

/** What a route says of itself. */
export const routeDocOf = ({ hooks }: RegisteredRoute): RouteDoc => {
  const detail = hooks?.detail;
  const about: unknown = detail && "about" in detail ? detail.about : undefined;
  return isDocFunction(about) ? about() : EMPTY_DOC;
};

/** Only `detailOf` makes such a function. */
const isDocFunction = (about: unknown): about is DocOf => typeof about === "function";

/** A route's `detail`: what it is, under which heading, and all that its document says. */
export const describe = (tag: string, summary: string, about: RouteDoc): Detail => ({
  summary,
  tags: [tag],
  about: () => about,
});
