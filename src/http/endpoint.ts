import { Elysia } from "elysia";
import type { ErrorCode } from "#core/errors";
import { jsonText } from "#core/json/json-writer";
import type { Static, TSchema } from "#core/schema";
import { Reply } from "#guard/endpoints/idempotency";
import type { Role } from "#model/person";
import type { Principal, TokenPrincipal } from "#model/principal";
import type { Person } from "#model/session";
import { slices } from "#platform/slices";
import type { sessionAuth } from "./auth/session";
import type { tokenAuth } from "./auth/token";
import {
  type Body,
  bodyReader,
  checkNames,
  type PathParams,
  paramsOf,
  type QuerySchemas,
  type QueryValues,
  queryOf,
} from "./endpoint-input";
import type { GuardAnswers } from "./guard-answers";
import { CALL_ERRORS, IDEMPOTENCY_ERRORS } from "./openapi/errors";
import { type Answer, describe, type RouteDoc } from "./openapi/route-doc";
import { IDEMPOTENCY } from "./openapi/schemas";

export type AnswerSchemas = Readonly<Record<number, TSchema | Answer>>;

type ReadOnly<T> = T extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadOnly<T[K]> }
    : T;

/** What an answer's schema describes; nothing where there is no JSON. */
type JsonOf<A> = A extends TSchema
  ? Static<A>
  : A extends { readonly schema: infer S extends TSchema }
    ? Static<S>
    : void;
export type AnswerOf<A extends AnswerSchemas> = JsonOf<A[keyof A]>;

/** An answer with headers of its own, or another status than the usual one. */
export class Answered<T> {
  constructor(
    readonly value: T,
    readonly init: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> },
  ) {}
}

export type HandlerResult<A extends AnswerSchemas> = ReadOnly<AnswerOf<A>> | Answered<ReadOnly<AnswerOf<A>>> | Response;

/** What is said about an endpoint beside what it takes and gives. */
type Documentation = Omit<RouteDoc, "body" | "query" | "answers">;

/** Anybody who is signed in, or people of these roles only; `fresh`: with a session confirmed a short while ago. */
export type Audience = "person" | { readonly roles?: readonly Role[]; readonly fresh?: true };

const USUAL_BODY_BYTES = 16_384;
export const NOT_ACCEPTING: readonly ErrorCode[] = ["audit_unavailable", "shutting_down"];

export type CommonSpec<Q extends QuerySchemas, B extends TSchema, A extends AnswerSchemas> = Documentation & {
  readonly summary: string;
  readonly query?: Q;
  readonly body?: Body<B>;
  /** Longest body, in bytes; the router's if not said. */
  readonly bodyBytes?: number;
  /** By status. The lowest is answered with unless the handler says another. */
  readonly answers: A;
  /** A name in the query that is none of its parameters is refused: a misspelt filter would show everything instead. */
  readonly isQueryClosed?: true;
};

/** What an endpoint has read of a request; `read` parses and checks the body, or throws what is wrong with it. */
type Input<At extends string, Q extends QuerySchemas, B extends TSchema> = {
  readonly params: PathParams<At>;
  /** Checked and decoded. */
  readonly query: QueryValues<Q>;
  readonly read: () => Static<B>;
};

export type EndpointCall<At extends string, Q extends QuerySchemas, B extends TSchema> = Omit<
  Input<At, Q, B>,
  "read"
> & {
  readonly person: Person;
  /** Checked. */
  readonly body: Static<B>;
  readonly request: Request;
};

type EndpointSpec<At extends string, Q extends QuerySchemas, B extends TSchema, A extends AnswerSchemas> = CommonSpec<
  Q,
  B,
  A
> & {
  /** Who may call. Checked first; `person` if not said. */
  readonly auth?: Audience;
  /** `false` for what is no GET and changes nothing. */
  readonly changes?: false;
  /** Of a GET that leaves an audit record: refused while nothing can be recorded, as changes are. */
  readonly isRecorded?: true;
  readonly handler: (call: EndpointCall<At, Q, B>) => Promise<HandlerResult<A>> | HandlerResult<A>;
};

export type EndpointAddress = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

/** Of a request that was let in, as the router gives it. */
export type Routed = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly request: Request;
};

/** What it takes and gives, for `ClientTypes`. Never there at run time. */
type Types<Q extends QuerySchemas, B extends TSchema, A extends AnswerSchemas> = {
  readonly query: QueryValues<Q>;
  readonly body: Static<B>;
  readonly answer: AnswerOf<A>;
};

/** What every endpoint declares, of any kind. */
export type Declared<At extends string, Q extends QuerySchemas, B extends TSchema, A extends AnswerSchemas> = {
  readonly at: At;
  readonly summary: string;
  readonly about: RouteDoc;
  readonly types?: Types<Q, B, A>;
};

/** What all kinds of endpoints are made of: the schemas that check are the schemas that document. */
export const declare = <At extends string, Q extends QuerySchemas, B extends TSchema, A extends AnswerSchemas>(
  at: At,
  { summary, query, body, bodyBytes, answers, isQueryClosed, ...documentation }: CommonSpec<Q, B, A>,
) => {
  const reader = bodyReader(body);
  const declared: Declared<At, Q, B, A> = {
    at,
    summary,
    about: { ...documentation, answers, ...(query && { query }), ...(body && { body }) },
  };
  const inputOf = async (
    { params, query: given, request }: Routed,
    usualBytes = USUAL_BODY_BYTES,
  ): Promise<Input<At, Q, B>> => {
    const read = await reader(request, bodyBytes ?? usualBytes);
    if (isQueryClosed) checkNames(query, given);
    return { params: paramsOf(at, params), query: queryOf(query, given), read };
  };
  return { declared, inputOf, status: statusOf(answers) };
};

/** One route of `/api`: the schema that checks is the schema that documents, and the type the handler is given. */
export type Endpoint<
  At extends string = string,
  Q extends QuerySchemas = QuerySchemas,
  B extends TSchema = TSchema,
  A extends AnswerSchemas = AnswerSchemas,
> = Declared<At, Q, B, A> & {
  readonly auth: Audience;
  readonly changes: boolean;
  readonly isRecorded: boolean;
  /** Throws what reading and checking the body throws, and the handler. */
  readonly respond: (routed: Routed & { readonly person: Person }, usualBytes?: number) => Promise<Response>;
};

/** `at` is method and path: `POST /api/agents/:id/restrictions`. */
export const endpoint = <
  const At extends EndpointAddress,
  const A extends AnswerSchemas,
  Q extends QuerySchemas = Record<never, never>,
  B extends TSchema = never,
>(
  at: At,
  { auth = "person", handler, ...rest }: EndpointSpec<At, Q, B, A>,
): Endpoint<At, Q, B, A> => {
  const { changes = !at.startsWith("GET "), isRecorded = changes, errors = [], ...spec } = rest;
  const { declared, inputOf, status } = declare(at, {
    ...spec,
    errors: isRecorded ? [...errors, ...NOT_ACCEPTING] : errors,
  });
  return {
    ...declared,
    auth,
    changes,
    isRecorded,
    respond: async ({ person, ...routed }, usualBytes) => {
      const { read, ...input } = await inputOf(routed, usualBytes);
      return responseOf(await handler({ ...input, person, body: read(), request: routed.request }), status);
    },
  };
};

type AuditedCall<At extends string, Q extends QuerySchemas, B extends TSchema> = Input<At, Q, B> & {
  /** The call's, in its answer as `x-request-id`. `read` is called after the call is begun, so that it is recorded. */
  readonly id: string;
  /** The `Idempotency-Key` header; null for a request that is not to be repeated. */
  readonly key: string | null;
};

/** Of what is audited as a call, by the service that is asked. */
type AuditedSpec<
  Who,
  At extends string,
  Q extends QuerySchemas,
  B extends TSchema,
  A extends AnswerSchemas,
> = CommonSpec<Q, B, A> & {
  /** May be sent again with the same `Idempotency-Key`. */
  readonly isIdempotent?: boolean;
  readonly handler: (call: AuditedCall<At, Q, B> & { readonly caller: Who }) => Promise<Reply | ReadOnly<AnswerOf<A>>>;
};

const declareAudited = <
  Who extends Pick<Principal, "user">,
  At extends string,
  Q extends QuerySchemas,
  B extends TSchema,
  A extends AnswerSchemas,
>(
  at: At,
  { isIdempotent = false, handler, errors = [], headers, ...spec }: AuditedSpec<Who, At, Q, B, A>,
) => {
  const { declared, inputOf, status } = declare<At, Q, B, A>(at, {
    ...spec,
    ...(isIdempotent ? { headers: { ...IDEMPOTENCY, ...headers } } : headers && { headers }),
    errors: [...CALL_ERRORS, ...errors, ...(isIdempotent ? IDEMPOTENCY_ERRORS : [])],
  });
  const respondTo = async (caller: Who, routed: Routed, answers: GuardAnswers, usualBytes?: number) => {
    const input = await inputOf(routed, usualBytes);
    const key = routed.request.headers.get("idempotency-key");
    return answers.reply(caller, async (id) => {
      const answer = await handler({ ...input, caller, id, key });
      return answer instanceof Reply ? answer : new Reply(status, await jsonText(answer, () => slices.turn()));
    });
  };
  return { declared, respondTo };
};

/** One route of `/v1/guard`, for gateway tokens. Its calls are audited by the service it asks. */
export type TokenEndpoint<
  At extends string = string,
  Q extends QuerySchemas = QuerySchemas,
  B extends TSchema = TSchema,
  A extends AnswerSchemas = AnswerSchemas,
> = Declared<At, Q, B, A> & {
  readonly respond: (
    routed: Routed & { readonly caller: TokenPrincipal },
    needs: TokenRouterNeeds,
  ) => Promise<Response>;
};

export const tokenEndpoint = <
  const At extends EndpointAddress,
  const A extends AnswerSchemas,
  Q extends QuerySchemas = Record<never, never>,
  B extends TSchema = never,
>(
  at: At,
  spec: AuditedSpec<TokenPrincipal, At, Q, B, A>,
): TokenEndpoint<At, Q, B, A> => {
  const { declared, respondTo } = declareAudited(at, spec);
  return {
    ...declared,
    respond: ({ caller, ...routed }, { answers, bodyBytes }) => respondTo(caller, routed, answers, bodyBytes),
  };
};

/** A route of `/api` that is audited as a call, as those of `/v1/guard` are: the service it asks begins the call. */
export const personCallEndpoint = <
  const At extends EndpointAddress,
  const A extends AnswerSchemas,
  Q extends QuerySchemas = Record<never, never>,
  B extends TSchema = never,
>(
  at: At,
  {
    auth = "person",
    replies,
    ...spec
  }: AuditedSpec<Principal, At, Q, B, A> & {
    /** Who may call; `person` if not said. */
    readonly auth?: Audience;
    readonly replies: GuardAnswers;
  },
): Endpoint<At, Q, B, A> => {
  const { declared, respondTo } = declareAudited(at, spec);
  return {
    ...declared,
    auth,
    changes: false,
    isRecorded: false,
    respond: ({ person: { user, session }, ...routed }, usualBytes) =>
      respondTo({ user, agent: null, token: null, session_id: session.id }, routed, replies, usualBytes),
  };
};

const statusOf = (answers: AnswerSchemas): number => Number(Object.keys(answers)[0]);

export const responseOf = (result: unknown, status: number): Response => {
  if (result instanceof Response) return result;
  if (result instanceof Answered) return json(result.value, { status, ...result.init });
  return json(result, { status });
};

const json = (value: unknown, init: ResponseInit): Response =>
  value === undefined ? new Response(null, init) : Response.json(value, init);

export type RouterNeeds = {
  /** Heading of the endpoints in the documents. */
  readonly tag: string;
  readonly auth: ReturnType<typeof sessionAuth>;
  /** Longest body, in bytes; 16,384 if not said. */
  readonly bodyBytes?: number;
  /** Throws while nothing can be recorded, or the hub is stopping: called before every change. */
  readonly assertAcceptingWork: () => void;
  /** Called after every change, so that it holds from the next request on. */
  readonly onChanged?: () => Promise<void>;
};

/** The routes of `/api`, for signed-in people. Order: session, role, query, admission, body, handler. */
export const personRouter = (
  { tag, auth, bodyBytes, assertAcceptingWork, onChanged }: RouterNeeds,
  endpoints: readonly Endpoint[],
) => {
  // The router takes apps of one name for one.
  const app = new Elysia({ name: endpoints.map(({ at }) => at).join(", ") }).use(auth);
  for (const { at, auth: role, summary, about, changes, isRecorded, respond } of endpoints) {
    const [method = "", path = ""] = at.split(" ");
    const answer = async (call: Routed & { readonly person: Person }) => {
      if (isRecorded) assertAcceptingWork();
      const response = await respond(call, bodyBytes);
      if (changes) await onChanged?.();
      return response;
    };
    app.route(method, path, (call) => answer(call), { role, parse: "none", detail: describe(tag, summary, about) });
  }
  return app;
};

export type TokenRouterNeeds = {
  readonly auth: ReturnType<typeof tokenAuth>;
  readonly answers: GuardAnswers;
  /** Longest body, in bytes; 16,384 if not said. */
  readonly bodyBytes?: number;
};

/** The routes of `/v1/guard`, for gateway tokens. */
export const tokenRouter = (needs: TokenRouterNeeds, endpoints: readonly TokenEndpoint[]) => {
  const app = new Elysia({ name: endpoints.map(({ at }) => at).join(", ") }).use(needs.auth);
  for (const { at, summary, about, respond } of endpoints) {
    const [method = "", path = ""] = at.split(" ");
    const detail = describe("Guard", summary, about);
    app.route(method, path, (call) => respond(call, needs), { role: "caller", parse: "none", detail });
  }
  return app;
};

/** Texts pass too, as addresses of pages have them: the server checks them. */
type QueryInput<Q> = {
  readonly [K in keyof Q]?: (Q[K] extends boolean | undefined ? Q[K] : Q[K] | string) | undefined;
};

/** What a client sends and gets, by method and path, of a union of endpoints. The dashboard's client has its types from here. */
export type ClientTypes<E extends Pick<Endpoint, "at" | "types">> = {
  readonly [One in E as One["at"]]: NonNullable<One["types"]> extends {
    readonly query: infer Q;
    readonly body: infer B;
    readonly answer: infer A;
  }
    ? { readonly query: QueryInput<Q>; readonly body: B; readonly answer: A extends void ? null : A }
    : never;
};
