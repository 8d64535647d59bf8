import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { stringifySliced } from "#core/json/json-writer";
import type { tokenAuth } from "#http/auth/token";
import { longBodyOf } from "#http/body";
import type { FinalResponses } from "#http/entry";
import { errorResponse } from "#http/errors";
import type { Detail } from "#http/openapi/route-doc";
import { RequestCheck } from "#http/request-check";
import type { TokenPrincipal } from "#model/principal";
import type { Ids } from "#platform/ids";
import { slices } from "#platform/slices";
import type { TokenAdapter } from "./frame";
import { HOOK_RULES_HEADER, type HookRules } from "./hook-rules";
import type { VerdictJudge } from "./judge";

/** Where a system asks with a gateway token. */
export type VerdictEndpoint = {
  readonly path: string;
  readonly adapter: TokenAdapter;
  readonly detail: Detail;
  /** Whether the system keeps rules for the time without the hub, and is told which are in force. */
  readonly keepsRules?: true;
};

type VerdictRoutesNeeds = {
  readonly endpoints: readonly VerdictEndpoint[];
  readonly judge: VerdictJudge;
  readonly auth: ReturnType<typeof tokenAuth>;
  readonly finalResponses: FinalResponses;
  readonly ids: Ids;
  readonly bodyBytes: number;
  /** The rules a caller's hook may keep; null for none. */
  readonly rulesOf: (caller: TokenPrincipal) => HookRules | null;
};

export const verdictRoutes = ({
  endpoints,
  judge,
  auth,
  finalResponses,
  ids,
  bodyBytes,
  rulesOf,
}: VerdictRoutesNeeds) => {
  const app = new Elysia({ name: "verdicts" }).use(auth);
  for (const { path, adapter, detail, keepsRules } of endpoints) {
    const check = new RequestCheck(adapter);
    app.post(
      path,
      async ({ request, headers, caller }) => {
        const id = ids();
        const read = await longBodyOf(request, bodyBytes);
        try {
          const answer = await judge.judge(caller, adapter, {
            id,
            body: () => checked(check, read()),
            header: (name) => headers[name] ?? null,
            signal: request.signal,
          });
          const text = await stringifySliced(answer, () => slices.turn());
          const rules = keepsRules ? rulesOf(caller) : null;
          const kept = rules && { [HOOK_RULES_HEADER]: rules.hash };
          return finalResponses.add(new Response(text, { headers: { ...HEADERS, "x-request-id": id, ...kept } }));
        } catch (error) {
          if (!(error instanceof GuardError)) throw error;
          return errorResponse(error, id);
        }
      },
      { role: "caller", parse: "none", detail: { ...detail } },
    );
  }
  return app;
};

const HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** Throws what is wrong with a body. A long one is checked in slices. */
const checked = (check: RequestCheck, body: unknown): JsonRecord | Promise<JsonRecord> =>
  body instanceof Promise ? body.then((parsed) => check.checkInSlices(parsed, slices.begin())) : check.check(body);
