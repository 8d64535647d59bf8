import { type PolicyResolver, subjectOf } from "#guard/enforcement/policy-resolver";
import { type CallerRouteParts, callerRoutes } from "#http/authentication";
import type { FinalResponses } from "#http/entry";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import type { Ids } from "#platform/ids";
import { ASK_AS_LITELLM, askAsHarness } from "./docs";
import { offlineRoutes } from "./endpoints";
import { adapterOf } from "./harnesses/harness";
import { HARNESSES } from "./harnesses/harnesses";
import { HookRulesOf } from "./hook-rules";
import { VerdictJudge } from "./judge";
import { LITELLM } from "./litellm";
import { OfflineHooks } from "./offline";
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
    keepsRules: true as const,
    detail: askAsHarness(harness.system),
  })),
];

type RouteParts = CallerRouteParts & {
  readonly verdictJudge: VerdictJudge;
  readonly finalResponses: FinalResponses;
  readonly ids: Ids;
  readonly hookRules: HookRulesOf;
  readonly policyResolver: PolicyResolver;
};
type OfflineRouteParts = CallerRouteParts & { readonly offlineHooks: OfflineHooks };

/** Verdicts for systems whose traffic does not pass through the hub. */
export const verdicts = feature({
  provides: {
    verdictJudge: single(VerdictJudge),
    hookRules: single(HookRulesOf),
    offlineHooks: single(OfflineHooks),
  },
  callRoutes: (c: RouteParts) => [
    verdictRoutes({
      endpoints: ENDPOINTS,
      ...callerRoutes(c),
      judge: c.verdictJudge,
      finalResponses: c.finalResponses,
      ids: c.ids,
      rulesOf: (caller) =>
        c.policyResolver.isCurrent && c.policyResolver.stopOf(subjectOf(caller)) === null
          ? c.hookRules.of(c.policyResolver.rulesOf(caller))
          : null,
    }),
  ],
  routes: (c: OfflineRouteParts) => [offlineRoutes({ ...callerRoutes(c), service: c.offlineHooks })],
});
