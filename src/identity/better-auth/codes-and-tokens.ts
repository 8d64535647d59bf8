import { isRecord } from "#core/json/json";
import type { CodesAndTokens, TokenAnswer } from "#identity/port";

/** What is used of the engine. */
type Engine = { handler(request: Request): Promise<Response>; readonly $context: Promise<unknown> };

/** Talks to the engine as a browser and a client would: over its own handler, which is reachable from nowhere else. */
export const codesAndTokens = (engine: Engine, publicUrl: string): CodesAndTokens => {
  const base = `${publicUrl}/api/auth/oauth2`;
  const { origin } = new URL(publicUrl);
  const send = (path: string, init: RequestInit): Promise<Response> => engine.handler(new Request(base + path, init));

  return {
    ready: async () => {
      await engine.$context;
    },

    codeFor: async ({ state, ...asked }, cookie) => {
      const query = new URLSearchParams({
        ...asked,
        ...(state === null ? {} : { state }),
        response_type: "code",
        code_challenge_method: "S256",
        prompt: "consent",
      });
      const headers = { cookie, origin, accept: "application/json", "content-type": "application/json" };
      const consent = await placeOf(await send(`/authorize?${query}`, { headers }));
      if (consent === null) return null;
      // What the engine would have shown to the browser, signed by it: consent was given on a page of ours.
      const body = JSON.stringify({ accept: true, oauth_query: consent.search.slice(1) });
      const end = await placeOf(await send("/consent", { method: "POST", headers, body }));
      return end?.searchParams.get("code") ?? null;
    },

    tokensFor: async (request) => {
      const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
      const body = new URLSearchParams(request).toString();
      return answerOf(await send("/token", { method: "POST", headers, body }));
    },
  };
};

/** Where the engine sends a browser. */
const placeOf = async (answer: Response): Promise<URL | null> => {
  const { body } = await answerOf(answer);
  const { url } = body;
  return typeof url === "string" && URL.canParse(url) ? new URL(url) : null;
};

const answerOf = async (answer: Response): Promise<TokenAnswer> => {
  const body: unknown = answer.headers.get("content-type")?.includes("json") ? await answer.json() : null;
  return { status: answer.status, body: isRecord(body) ? body : {} };
};
