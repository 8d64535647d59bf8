import { KeptItems } from "#guard/kept-items";
import { ResponseIds } from "#guard/response-ids";
import { TokenTables } from "#guard/token-tables/tables";
import { type CallerRouteParts, callerRoutes } from "#http/authentication";
import type { FinalResponses } from "#http/entry";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { Ids } from "#platform/ids";
import { KEPT_ENDPOINTS, MODEL_ENDPOINTS } from "./endpoints";
import { ProviderState } from "./provider-state";
import { modelCallRoutes } from "./routes";
import { ModelCallService } from "./service";

type RouteParts = CallerRouteParts & {
  readonly modelCallService: ModelCallService;
  readonly finalResponses: FinalResponses;
  readonly ids: Ids;
  /** Lifts the server's idle limit from one request. */
  readonly disableIdleTimeout: (request: Request) => void;
};

/** Calls to models. */
export const modelCalls = feature({
  provides: {
    tokenTables: () => new TokenTables(),
    responseIds: (c: { readonly labelSecret: Uint8Array }) => new ResponseIds(c.labelSecret),
    keptItems: () => new KeptItems(),
    providerState: ({ responseIds, keptItems, dispatcher }: NeedsOf<typeof ProviderState>) =>
      new ProviderState({ responseIds, keptItems, dispatcher }),
    modelCallService: (needs: NeedsOf<typeof ModelCallService>) => {
      const { guard, dispatcher, openCalls, limiter, toolApprovals, tokenTables, limits } = needs;
      const { conversations, recentValues, budgetLimiter, providerState } = needs;
      const watching = { openCalls, limiter, budgetLimiter, toolApprovals, conversations, recentValues };
      return new ModelCallService({ guard, dispatcher, ...watching, tokenTables, providerState, limits });
    },
  },
  callRoutes: (c: RouteParts) => [
    modelCallRoutes({
      endpoints: MODEL_ENDPOINTS,
      kept: KEPT_ENDPOINTS,
      ...callerRoutes(c),
      service: c.modelCallService,
      finalResponses: c.finalResponses,
      ids: c.ids,
      disableIdleTimeout: c.disableIdleTimeout,
    }),
  ],
});
