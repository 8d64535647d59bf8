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
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import { sealedIds } from "#platform/sealed-id";
import type { ProcessRelay } from "#upstream/tool-port";
import { ClientSessions } from "./dialect/client-sessions";
import { InFlight } from "./dialect/in-flight";
import { Subscriptions } from "./dialect/subscriptions";
import { OfferService } from "./offers";
import { HeldLegs } from "./questions/held-legs";
import { OpenQuestions } from "./questions/open-questions";
import { answerRequest, type ToolRouteNeeds, toolRoutes } from "./routes";
import { SEARCH_TOOL_DEFINITIONS } from "./search";
import { type ToolLimits, ToolService } from "./service";
import { WHOAMI_TOOL } from "./whoami";

/** How long `requestState` is good where users are asked nothing: servers may ask clients for other things. Milliseconds. */
const STATE_MS = 300_000;

export type ToolGatewayOptions = {
  readonly limits: Omit<ToolLimits, "jsonDepth">;
  /** How tool servers ask users; null for not at all. */
  readonly elicitation: { readonly waitMs: number; readonly hosts: readonly string[] } | null;
  /** Names this process among those that a caller's requests may reach. */
  readonly process: string;
  /** With the other processes of this hub on this host; null for one that serves alone. */
  readonly relay: ProcessRelay | null;
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
  Omit<NeedsOf<typeof ToolService>, "views" | "limits" | "calls" | "hasWhoami" | "hasSearch" | "questions"> & {
    readonly toolViews: ToolViews;
    readonly limits: { readonly jsonDepth: number };
    readonly toolApprovals: ToolApprovalGate;
    readonly heldLegs: HeldLegs;
    readonly now: Clock;
    readonly labelSecret: Uint8Array;
  };
type OriginParts = Optional & { readonly publicUrl: () => string };
type Subscribing = {
  readonly subscriptions: Subscriptions;
  readonly clientSessions: ClientSessions;
  readonly heldLegs: HeldLegs;
};
type Routing = { readonly toolRouteNeeds: ToolRouteNeeds };
type RouteParts = Optional &
  Subscribing & {
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
  recentValues: c.recentValues,
  hasWhoami: c.toolOptions.hasWhoami,
  hasSearch: c.toolOptions.searchAbove !== null,
  limits: { ...c.toolOptions.limits, jsonDepth: c.limits.jsonDepth },
});

const questionNeeds = (c: ServiceParts) => ({
  held: c.heldLegs,
  process: c.toolOptions.process,
  states: sealedIds(c.labelSecret, "tool question"),
  now: c.now,
  waitMs: c.toolOptions.elicitation?.waitMs ?? STATE_MS,
  hosts: c.toolOptions.elicitation?.hosts ?? [],
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
    toolService: (c: ServiceParts) => new ToolService({ ...serviceNeeds(c), questions: questionNeeds(c) }),
    offerService: (c: ServiceParts) => new OfferService({ ...serviceNeeds(c), questions: questionNeeds(c) }),
    origins: ({ publicUrl, toolOptions }: OriginParts) => new OriginCheck(publicUrl, toolOptions.allowedOrigins),
    subscriptions: () => new Subscriptions(),
    clientSessions: ({ toolOptions }: Optional) => new ClientSessions(toolOptions.process),
    heldLegs: () => new HeldLegs(),
    toolRouteNeeds: (c: RouteParts): ToolRouteNeeds => ({
      service: c.toolService,
      offers: c.offerService,
      subscriptions: c.subscriptions,
      sessions: c.clientSessions,
      inFlight: new InFlight(),
      questions: new OpenQuestions(c.toolOptions.process),
      isAskable: c.toolOptions.elicitation !== null,
      relay: c.toolOptions.relay,
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
  },
  callRoutes: (c: Routing) => [toolRoutes(c.toolRouteNeeds)],
  prepare: (c: Routing) => () =>
    c.toolRouteNeeds.relay?.serve((request) =>
      answerRequest({ ...c.toolRouteNeeds, relay: null, disableIdleTimeout: () => {} }, request),
    ),
  // Who listens for changes, or waits for a person, would wait for ever.
  quiesce: (c: Subscribing) => () => {
    c.subscriptions.close();
    c.clientSessions.close();
    c.heldLegs.close();
  },
  stop: (c: Routing) => () => c.toolRouteNeeds.relay?.stop(),
});
