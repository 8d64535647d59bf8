import { type CallerRouteParts, callerRoutes } from "#http/authentication";
import type { FinalResponses } from "#http/entry";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import type { Ids } from "#platform/ids";
import { ASK_AS_LITELLM, askAsHarness } from "./docs";
import { adapterOf } from "./harnesses/harness";
import { HARNESSES } from "./harnesses/harnesses";
import { VerdictJudge } from "./judge";
import { LITELLM } from "./litellm";
import { type VerdictEndpoint, verdictRoutes } from "./routes";

const ENDPOINTS: readonly VerdictEndpoint[] = [
  {
    path: "/v1/guard/hooks/litellm/beta/litellm_basic_guardrail_api",
    adapter: LITELLM,
    detail: ASK_AS_LITELLM,
  },
  ...HARNESSES.map((harness) => ({
    path: `/v1/guard/hooks/harness/${harness.system}`,
    adapter: adapterOf(harness),
    detail: askAsHarness(harness.system),
  })),
];

type RouteParts = CallerRouteParts & {
  readonly verdictJudge: VerdictJudge;
  readonly finalResponses: FinalResponses;
  readonly ids: Ids;
};

/** Verdicts for systems whose traffic does not pass through the hub. */
export const verdicts = feature({
  provides: {
    verdictJudge: single(VerdictJudge),
  },
  callRoutes: (c: RouteParts) => [
    verdictRoutes({
      endpoints: ENDPOINTS,
      ...callerRoutes(c),
      judge: c.verdictJudge,
      finalResponses: c.finalResponses,
      ids: c.ids,
    }),
  ],
});
