import type { RefusalLog } from "#audit/refusal-log";
import { type PolicyResolver, subjectOf } from "#guard/enforcement/policy-resolver";
import { type CallerRouteParts, callerRoutes, type PersonRouteParts, personRoutes } from "#http/authentication";
import type { FinalResponses } from "#http/entry";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import type { ConfiguredSource } from "#model/hook-source";
import type { ActorContext } from "#model/suspension";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { HookSourceStore } from "#store/hook-source-port";
import type { AskHub } from "#upstream/outbound-port";
import { ASK_AS_LITELLM, askAsHarness } from "./docs";
import { offlineRoutes } from "./endpoints";
import { adapterOf } from "./harnesses/harness";
import { HARNESSES } from "./harnesses/harnesses";
import { HookRulesOf } from "./hook-rules";
import { VerdictJudge } from "./judge";
import { LITELLM } from "./litellm";
import { OfflineHooks } from "./offline";
import { type VerdictEndpoint, verdictRoutes } from "./routes";
import { SourceBook } from "./sources/book";
import { SourceCallers } from "./sources/callers";
import { sourceEndpointRoutes } from "./sources/endpoints";
import { sourceEndpointsOf } from "./sources/list";
import { FrameRefusals } from "./sources/refusals";
import { Repeats } from "./sources/repeats";
import { sourceRoutes } from "./sources/routes";
import { SourceService, type SourceServiceNeeds } from "./sources/service";

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

export type HookOptions = {
  /** `[[hooks.source]]`. */
  readonly configured: readonly ConfiguredSource[];
  readonly ask: AskHub;
};

type Booking = { readonly sourceBook: SourceBook };
type Repeating = { readonly frameRepeats: Repeats };
type BookParts = Pick<Sealing, "unseal"> & {
  readonly hookOptions: HookOptions;
  readonly now: Clock;
  readonly log: Log;
};
type ServiceParts = Booking &
  Sealing &
  Omit<SourceServiceNeeds, "store" | "book" | "issueToken" | "revokeToken" | "ask" | "sealing"> & {
    readonly hookSources: HookSourceStore;
    readonly hookOptions: HookOptions;
    readonly accessService: {
      readonly issueToken: SourceServiceNeeds["issueToken"];
      moveToken(actor: ActorContext, id: string, move: "revoke"): Promise<unknown>;
    };
  };
type RouteParts = CallerRouteParts &
  Booking &
  Repeating & {
    readonly verdictJudge: VerdictJudge;
    readonly finalResponses: FinalResponses;
    readonly principals: PrincipalCache;
    readonly hookRefusals: RefusalLog;
    readonly addressOf: (request: Request) => string | null;
    readonly now: Clock;
    readonly ids: Ids;
    readonly hookRules: HookRulesOf;
    readonly policyResolver: PolicyResolver;
  };

type SettingsParts = CallerRouteParts &
  PersonRouteParts & { readonly offlineHooks: OfflineHooks; readonly sourceService: SourceService };

/** Verdicts for systems whose traffic does not pass through the hub. */
export const verdicts = feature({
  provides: {
    verdictJudge: single(VerdictJudge),
    hookRules: single(HookRulesOf),
    offlineHooks: single(OfflineHooks),
    frameRepeats: (c: { readonly now: Clock }) => new Repeats(c.now),
    sourceBook: ({ hookOptions, unseal, now, log }: BookParts) =>
      new SourceBook({ configured: hookOptions.configured, unseal, now, log }),
    sourceService: (c: ServiceParts) =>
      new SourceService({
        store: c.hookSources,
        book: c.sourceBook,
        users: c.users,
        agents: c.agents,
        principals: c.principals,
        calls: c.calls,
        issueToken: (by, wanted) => c.accessService.issueToken(by, wanted),
        revokeToken: (by, id) => c.accessService.moveToken({ by, right: "administrator", isAdmin: true }, id, "revoke"),
        ask: (url, request) => c.hookOptions.ask(url, request),
        publicUrl: c.publicUrl,
        sealing: { seal: c.seal, unseal: c.unseal },
        now: c.now,
        ids: c.ids,
      }),
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
    sourceRoutes({
      endpoints: sourceEndpointsOf({ book: c.sourceBook, now: c.now }),
      judge: c.verdictJudge,
      callers: new SourceCallers(c.principals),
      repeats: c.frameRepeats,
      refusals: new FrameRefusals({ log: c.hookRefusals, addressOf: c.addressOf, now: c.now }),
      auth: c.callerAuth,
      finalResponses: c.finalResponses,
      ids: c.ids,
    }),
  ],
  routes: (c: SettingsParts) => [
    offlineRoutes({ ...callerRoutes(c), service: c.offlineHooks }),
    sourceEndpointRoutes({ ...personRoutes(c), service: c.sourceService }),
  ],
  onChange: ({ sourceBook, frameRepeats }: Booking & Repeating) => ({
    apply(changes) {
      sourceBook.apply(changes);
      frameRepeats.apply(changes);
    },
  }),
});
