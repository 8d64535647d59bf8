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

export type Body = {
  readonly schema: TSchema;
  readonly media?: string;
  readonly example?: unknown;
  /** The route works without one, too. */
  readonly isOptional?: boolean;
};

/** What is written down about a route beside what it does: the same schemas that check. */
export type About = {
  readonly description?: string;
  readonly body?: TSchema | Body;
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
  /** For a route of all methods: the ones worth telling of. */
  readonly methods?: readonly string[];
  readonly deprecated?: boolean;
  /** On a public address this is served before there is an administrator, too. */
  readonly isEarly?: true;
};

/** Not data: merging of routes' details goes around it, so that a start costs no copy of every schema. */
export type Told = () => About;

export type Detail = { readonly summary: string; readonly tags: string[]; readonly about: Told };

/** As the router keeps a route. */
export type KeptRoute = {
  readonly method: string;
  readonly path: string;
  readonly hooks?: { readonly detail?: object };
};

const NOTHING_TOLD: About = { answers: {} };

/** What a route says of itself. */
export const aboutOf = ({ hooks }: KeptRoute): About => {
  const detail = hooks?.detail;
  const about: unknown = detail && "about" in detail ? detail.about : undefined;
  return isTold(about) ? about() : NOTHING_TOLD;
};

/** Only `detailOf` makes such a function. */
const isTold = (about: unknown): about is Told => typeof about === "function";

/** A route's `detail`: what it is, under which heading, and all that its document says. */
export const detailOf = (tag: string, summary: string, about: About): Detail => ({
  summary,
  tags: [tag],
  about: () => about,
});
