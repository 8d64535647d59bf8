import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import type { OpenCalls } from "#guard/open-calls";
import type { ToolApprovalGate } from "#guard/tool-approval-gate";
import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import { narrowedBy, ToolViews } from "#guard/tools/view";
import type { FinalResponses } from "#http/entry";
import { OriginCheck } from "#http/origins";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import type { TokenPrincipal } from "#model/principal";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import { InFlight } from "./dialect/in-flight";
import { Subscriptions } from "./dialect/subscriptions";
import { OfferService } from "./offers";
import { toolRoutes } from "./routes";
import { SEARCH_TOOL_DEFINITIONS } from "./search";
import { type ToolLimits, ToolService } from "./service";
import { WHOAMI_TOOL } from "./whoami";

export type ToolGatewayOptions = {
  readonly limits: Omit<ToolLimits, "jsonDepth">;
  readonly hasWhoami: boolean;
  /** Whether published tool servers are listed for IDEs. */
  readonly hasRegistry: boolean;
  /** The most tools that are listed to a caller; those who have more search them. Null for any number. */
  readonly searchAbove: number | null;
  /** Web pages that may call it, beside the hub's own. */
  readonly allowedOrigins: readonly string[];
};

type Optional = { readonly toolOptions: ToolGatewayOptions };
type ViewParts = Optional & { readonly toolRegistry: ToolRegistryCache; readonly policyResolver: PolicyResolver };
type ServiceParts = Optional &
  Omit<NeedsOf<typeof ToolService>, "views" | "limits" | "calls" | "hasWhoami" | "hasSearch"> & {
    readonly toolViews: ToolViews;
    readonly limits: { readonly jsonDepth: number };
    readonly toolApprovals: ToolApprovalGate;
  };
type OriginParts = Optional & { readonly publicUrl: () => string };
type Subscribing = { readonly subscriptions: Subscriptions };
type RouteParts = Subscribing & {
  readonly toolService: ToolService;
  readonly offerService: OfferService;
  readonly origins: OriginCheck;
  readonly principals: PrincipalCache;
  /** Whose token of the authorization server it is; null for none that opens the gateway. */
  readonly oauthCaller: (token: string) => TokenPrincipal | null | Promise<TokenPrincipal | null>;
  readonly onRefused: () => void;
  readonly openCalls: OpenCalls;
  readonly finalResponses: FinalResponses;
  readonly version: string;
  readonly publicUrl: () => string;
  readonly bodyBytes: number;
  readonly disableIdleTimeout: (request: Request) => void;
  readonly ids: Ids;
  readonly log: Log;
};

/** What both services share. */
const serviceNeeds = (c: ServiceParts) => ({
  guard: c.guard,
  openCalls: c.openCalls,
  limiter: c.limiter,
  toolApprovals: c.toolApprovals,
  toolRegistry: c.toolRegistry,
  views: c.toolViews,
  catalogue: c.catalogue,
  resourceLists: c.resourceLists,
  resourceWatches: c.resourceWatches,
  connections: c.connections,
  conversations: c.conversations,
  hasWhoami: c.toolOptions.hasWhoami,
  hasSearch: c.toolOptions.searchAbove !== null,
  limits: { ...c.toolOptions.limits, jsonDepth: c.limits.jsonDepth },
});

/** Calls to tools. */
export const tools = feature({
  provides: {
    toolViews: ({ toolRegistry, policyResolver, toolOptions }: ViewParts) =>
      new ToolViews(toolRegistry, narrowedBy(policyResolver), {
        listed: toolOptions.hasWhoami ? [WHOAMI_TOOL] : [],
        searching: SEARCH_TOOL_DEFINITIONS,
        searchAbove: toolOptions.searchAbove,
      }),
    toolService: (c: ServiceParts) => new ToolService(serviceNeeds(c)),
    offerService: (c: ServiceParts) => new OfferService(serviceNeeds(c)),
    origins: ({ publicUrl, toolOptions }: OriginParts) => new OriginCheck(publicUrl, toolOptions.allowedOrigins),
    subscriptions: () => new Subscriptions(),
  },
  callRoutes: (c: RouteParts) => [
    toolRoutes({
      service: c.toolService,
      offers: c.offerService,
      subscriptions: c.subscriptions,
      inFlight: new InFlight(),
      origins: c.origins,
      ids: c.ids,
      log: c.log,
      openCalls: c.openCalls,
      onRefused: c.onRefused,
      bodyBytes: c.bodyBytes,
      publicUrl: c.publicUrl,
      finalResponses: c.finalResponses,
      disableIdleTimeout: c.disableIdleTimeout,
      serverInfo: { name: "guardhouse", version: c.version },
      authenticate: (token) => c.principals.authenticate(token) ?? c.oauthCaller(token),
    }),
  ],
  // Who listens for changes would wait for ever.
  quiesce: (c: Subscribing) => () => c.subscriptions.close(),
});
