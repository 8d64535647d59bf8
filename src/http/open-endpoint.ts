import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import type { TSchema } from "#core/schema";
import type { CookieSessionAuth } from "./auth/cookie";
import {
  type AnswerSchemas,
  type CommonSpec,
  type Declared,
  declare,
  type EndpointAddress,
  type EndpointCall,
  type HandlerResult,
  NOT_ACCEPTING,
  type Routed,
  type RouterNeeds,
  responseOf,
} from "./endpoint";
import type { QuerySchemas } from "./endpoint-input";
import { describe } from "./openapi/route-doc";

/* What nobody has to be signed in for: the way in, and the way back from elsewhere. */

type OpenSpec<At extends string, Q extends QuerySchemas, B extends TSchema, A extends AnswerSchemas> = CommonSpec<
  Q,
  B,
  A
> & {
  /** Why it is open to everybody. */
  readonly open: string;
  /** Of a GET that leaves an audit record: refused while nothing can be recorded, as changes are. */
  readonly isRecorded?: true;
  readonly handler: (call: Omit<EndpointCall<At, Q, B>, "person">) => Promise<HandlerResult<A>> | HandlerResult<A>;
  /** Where people read the answer themselves: how a refusal is shown. In the errors' JSON form if not said. */
  readonly refused?: (error: GuardError) => Response;
};

export type OpenEndpoint<
  At extends string = string,
  Q extends QuerySchemas = QuerySchemas,
  B extends TSchema = TSchema,
  A extends AnswerSchemas = AnswerSchemas,
> = Declared<At, Q, B, A> & {
  readonly open: string;
  readonly changes: boolean;
  readonly isRecorded: boolean;
  /** Admits nothing by itself; throws what reading and checking the body throws, and the handler. */
  readonly respond: (routed: Routed) => Promise<Response>;
  readonly refused: ((error: GuardError) => Response) | null;
};

export const openEndpoint = <
  const At extends EndpointAddress,
  const A extends AnswerSchemas,
  Q extends QuerySchemas = Record<never, never>,
  B extends TSchema = never,
>(
  at: At,
  { open, handler, refused, ...rest }: OpenSpec<At, Q, B, A>,
): OpenEndpoint<At, Q, B, A> => {
  const changes = !at.startsWith("GET ");
  const { isRecorded = changes, errors = [], ...spec } = rest;
  const { declared, inputOf, status } = declare(at, {
    ...spec,
    errors: [
      ...errors,
      ...(changes ? (["origin_not_allowed"] as const) : []),
      ...(isRecorded && !refused ? NOT_ACCEPTING : []),
    ],
  });
  return {
    ...declared,
    open,
    changes,
    isRecorded,
    refused: refused ?? null,
    respond: async (routed) => {
      const { read, ...input } = await inputOf(routed);
      return responseOf(await handler({ ...input, body: read(), request: routed.request }), status);
    },
  };
};

export type OpenRouterNeeds = Pick<RouterNeeds, "tag" | "auth" | "assertAcceptingWork"> & {
  readonly cookieAuth: Pick<CookieSessionAuth, "checkOrigin">;
};

/**
 * Order: origin, admission, body, handler. Of changes the origin is asked for with no cookie too: nobody shall be signed
 * in by another's page as somebody else.
 */
export const openRouter = (
  { tag, auth, assertAcceptingWork, cookieAuth }: OpenRouterNeeds,
  endpoints: readonly OpenEndpoint[],
) => {
  const app = new Elysia({ name: endpoints.map(({ at }) => at).join(", ") }).use(auth);
  for (const { at, open, summary, about, changes, isRecorded, respond, refused } of endpoints) {
    const [method = "", path = ""] = at.split(" ");
    const answer = async (call: Routed): Promise<Response> => {
      try {
        if (changes) cookieAuth.checkOrigin(call.request);
        if (isRecorded) assertAcceptingWork();
        return await respond(call);
      } catch (error) {
        if (refused && error instanceof GuardError) return refused(error);
        throw error;
      }
    };
    app.route(method, path, (call) => answer(call), { open, parse: "none", detail: describe(tag, summary, about) });
  }
  return app;
};
