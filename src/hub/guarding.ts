import type { Auditor } from "#audit/auditor";
import type { Tracing } from "#guard/call-trace";
import { Containment } from "#guard/containment";
import { ContentRetention, type RetentionOptions } from "#guard/content-retention";
import { type ConversationMemory, Conversations } from "#guard/conversations";
import { Dispatcher, type DispatchOptions } from "#guard/dispatcher";
import { EarlierDecisions } from "#guard/earlier-decisions";
import { Holds } from "#guard/enforcement/holds";
import { PolicyResolver } from "#guard/enforcement/policy-resolver";
import { TuningRuleCache } from "#guard/enforcement/tuning-rule-cache";
import type { GuardNeeds } from "#guard/guard-needs";
import { type CallLimiter, Limiter } from "#guard/limits/limiter";
import { SharedLimiter } from "#guard/limits/shared-limiter";
import type { UsageRecorder } from "#guard/limits/usage";
import { OpenCalls } from "#guard/open-calls";
import { RecentValues } from "#guard/recent-values";
import { type LabelsOf, redactionLabels } from "#guard/redaction-labels";
import type { Scanner } from "#guard/scanner";
import { SharedConversations } from "#guard/shared-conversations";
import { ToolApprovalGate } from "#guard/tool-approval-gate";
import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { PrincipalCache } from "#identity/principal-cache";
import type { AuditRecord } from "#model/audit";
import type { PriceOf } from "#model/price";
import type { Principal } from "#model/principal";
import type { Clock } from "#platform/clock";
import { keyedHash } from "#platform/hash";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import { RepeatedFault } from "#platform/repeated-fault";
import type { Sealing } from "#platform/sealing";
import { Total } from "#platform/total";
import type { Effective } from "#policy/profile/effective";
import { fitsPattern } from "#scan/custom";
import type { CompiledPolicy, PolicyRule } from "#scan/policy";
import type { ConversationStore } from "#store/conversation-port";
import type { LimitStore } from "#store/limit-port";
import type { NodeStore } from "#store/node-port";
import { feature } from "./feature";
import { type NeedsOf, single } from "./graph";
import type { Listeners } from "./lifecycle";

/** How often open calls are looked at: time limits are kept to this exactness. Milliseconds. */
const BEAT_MS = 100;
/** How often those are written down that take longer than most. Milliseconds. */
const NOTE_MS = 40;
/** How often what calls have used is written that could not be when they ended. Milliseconds. */
const LIMITS_MS = 1_000;
/** How often others are told what was said in conversations, where that could not be done at once. Milliseconds. */
const UNTOLD_MS = 1_000;
/** How often it is logged how many times it could not. Milliseconds. */
const FAULTS_MS = 10_000;
/** How often conversations that were silent for long are forgotten. Milliseconds. */
const SILENT_MS = 60_000;

export type GovernanceOptions = {
  /** What no profile can go below. */
  readonly floor: readonly PolicyRule[];
  /** What happens to an agent without a profile. */
  readonly ungoverned: "baseline" | "monitor" | "deny";
  /** Maximum age of the policies read from the store that calls may be served by. Milliseconds. */
  readonly staleMs: number;
};

type Governing = { readonly policyResolver: PolicyResolver };
type GovernorParts = {
  readonly governance: GovernanceOptions;
  readonly tuningRules: TuningRuleCache;
  readonly now: Clock;
  readonly policyInForce: () => CompiledPolicy;
};
type Timing = { readonly now: Clock };
type Limiting = { readonly sharedLimiter: SharedLimiter | null };
type LimitParts = Limiting & { readonly recorder: UsageRecorder };
type SharedLimitParts = Timing & {
  readonly nodes: Pick<NodeStore, "self">;
  readonly limitUse: LimitStore;
  readonly log: Log;
};

/** The hub's own policy. */
export const policy = feature({
  provides: { policyInForce: (c: { readonly scanner: Scanner }) => () => c.scanner.snapshot() },
  onChange: (c: { readonly scanner: Scanner }) => ({ apply: ({ policy }) => c.scanner.apply(policy) }),
});

/** What holds agents to their profiles: who is stopped, what is allowed, how much is left. */
export const enforcement = feature({
  provides: {
    tuningRules: (
      c: Timing & { readonly retentionOptions: { readonly hash: { readonly of: (text: string) => string } } },
    ) => new TuningRuleCache({ now: c.now, hashOf: c.retentionOptions.hash.of, fits: fitsPattern }),
    policyResolver: ({ governance, tuningRules, now, policyInForce }: GovernorParts) =>
      new PolicyResolver({ ...governance, tuningRules, now, baseline: policyInForce }),
    /** Null in a process that serves alone. */
    sharedLimiter: ({ nodes, limitUse: limits, now, log }: SharedLimitParts) => {
      const onFault = (error: unknown) => log.error("limits.not_written", causeOf(error));
      return nodes.self?.isAlone === false ? new SharedLimiter({ now, limits, onFault }) : null;
    },
    limiter: (c: Timing & LimitParts): CallLimiter =>
      c.sharedLimiter ?? new Limiter({ now: c.now, spentEarlier: (agentId) => c.recorder.spentEarlier(agentId) }),
    restrictionsOf: (c: Governing) => (agentId: string) => c.policyResolver.restrictionsOf(agentId),
    profileInForce: (c: Governing) => (agentId: string) => c.policyResolver.profileOf(agentId),
    /** Of the profile in force; null without one. */
    tierOf: (c: Governing) => (agentId: string) => c.policyResolver.profileOf(agentId)?.body.risk_tier ?? null,
    /** What an agent is held to now; null for one that is served nothing without a profile. */
    effectiveOf:
      (c: Governing & { readonly governance: GovernanceOptions }) =>
      (agentId: string): Effective | null => {
        const isServed = c.governance.ungoverned !== "deny" || c.policyResolver.profileOf(agentId) !== null;
        return isServed ? c.policyResolver.rulesOfAgent(agentId).effective : null;
      },
  },
  onChange: (c: Governing) => c.policyResolver,
  jobs: ({ sharedLimiter }: Limiting) =>
    sharedLimiter ? [{ name: "limits", everyMs: LIMITS_MS, run: () => sharedLimiter.write() }] : [],
  stop:
    ({ sharedLimiter }: Limiting) =>
    () =>
      sharedLimiter?.write(),
});

type Open = { readonly openCalls: OpenCalls };
type Containing = { readonly containment: Containment };

type ContainmentParts = Omit<NeedsOf<typeof Containment>, "openCalls" | "nodes"> &
  Open & { readonly nodes: Pick<NodeStore, "self" | "contains"> };

/** Ends calls that are under way when they are no longer allowed. */
export const containing = feature({
  provides: {
    openCalls: () => new OpenCalls(),
    containment: ({ openCalls, restrictions, killSwitches, nodes, now, ids, log }: ContainmentParts) =>
      new Containment({ openCalls: () => openCalls.calls(), restrictions, killSwitches, nodes, now, ids, log }),
    contained: (c: Containing) => (id: string) => c.containment.contained(id),
  },
  onChange: (c: Containing) => c.containment,
  jobs: (c: Open & Containing) => [
    { name: "open calls", everyMs: BEAT_MS, run: () => c.openCalls.tick(performance.now()) },
    { name: "records of open calls", everyMs: NOTE_MS, run: () => c.openCalls.noteOpen(performance.now()) },
    { name: "containment", everyMs: BEAT_MS, run: () => c.containment.confirmDue() },
  ],
});

type AuthorizationParts = {
  readonly principals: PrincipalCache;
  /** Whether the grant that a token of the authorization server is of was there at that moment, and is. */
  readonly isGranted: (tokenHash: string, since: number) => boolean;
};

type GuardParts = Governing & {
  readonly toolRegistry: Pick<ToolRegistryCache, "nameOf">;
  readonly scanner: Scanner;
  readonly auditor: Auditor;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly contentKeeper: ContentRetention;
  readonly callEnded: Listeners<AuditRecord>;
  readonly labelsOf: LabelsOf;
  readonly earlierDecisions: EarlierDecisions;
  readonly priceOf: PriceOf;
  readonly tracing: Tracing | null;
  readonly reportsLeft: (userId: string) => { readonly remaining: number } | null;
  readonly isStillAuthorized: (principal: Principal, since: number) => boolean;
};

type ConversationParts = Timing &
  Sealing & {
    readonly limits: { readonly jsonDepth: number };
    readonly nodes: Pick<NodeStore, "self">;
    readonly said: ConversationStore;
    readonly ids: Ids;
    readonly log: Log;
  };
type Untraced = { readonly untracedTexts: Total };
type Remembering = { readonly sharedConversations: SharedConversations | null; readonly said: ConversationStore };

/** What is said in conversations, by whom. */
export const conversing = feature({
  provides: {
    /** Texts whose values are not traced, because their conversations have too many. */
    untracedTexts: () => new Total(),
    ownConversations: (c: Timing & Pick<ConversationParts, "limits"> & Untraced) =>
      new Conversations({ now: c.now, maxDepth: c.limits.jsonDepth, onLeftOut: c.untracedTexts.add }),
    /** Null in a process that serves alone. */
    sharedConversations: (c: ConversationParts & Untraced & { readonly ownConversations: Conversations }) => {
      const { now, said, seal, unseal, ids, log, limits, ownConversations: own } = c;
      const onLeftOut = c.untracedTexts.add;
      const faults = new RepeatedFault<ReturnType<typeof causeOf>>(
        (fields) => log.error("conversation.not_shared", fields),
        FAULTS_MS,
      );
      const onFault = (error: unknown) => faults.happened(causeOf(error));
      return c.nodes.self?.isAlone === false
        ? new SharedConversations({ now, maxDepth: limits.jsonDepth, said, seal, unseal, ids, own, onFault, onLeftOut })
        : null;
    },
    conversations: (
      c: Pick<Remembering, "sharedConversations"> & { readonly ownConversations: Conversations },
    ): ConversationMemory => c.sharedConversations ?? c.ownConversations,
    recentValues: (c: Timing & Pick<ConversationParts, "limits"> & Remembering & Untraced) => {
      const { now, limits, sharedConversations, untracedTexts } = c;
      const [maxDepth, onLeftOut] = [limits.jsonDepth, untracedTexts.add];
      // In a process that serves alone apart, so that many agents do not push named conversations out.
      const conversations = sharedConversations ?? new Conversations({ now, maxDepth, onLeftOut });
      return new RecentValues({ conversations, now, maxDepth, onLeftOut });
    },
  },
  jobs: ({ sharedConversations: shared, said }: Remembering) => [
    // Also by a process that serves alone: what several left goes in its time.
    { name: "silent conversations", everyMs: SILENT_MS, singleton: true, run: () => said.dropSilent() },
    ...(shared ? [{ name: "conversations", everyMs: UNTOLD_MS, run: () => shared.write() }] : []),
  ],
  stop: (c: Remembering) => () => c.sharedConversations?.write(),
});

type KeeperParts = Omit<NeedsOf<typeof ContentRetention>, "clock" | keyof RetentionOptions> &
  Timing & { readonly retentionOptions: RetentionOptions };

/** What guarded calls work with. */
export const guarding = feature({
  provides: {
    dispatcher: (c: { readonly dispatch: DispatchOptions }) => new Dispatcher(c.dispatch),
    toolHolds: single(Holds),
    toolApprovals: (c: {
      readonly toolHolds: Holds;
      readonly toolRegistry: Pick<ToolRegistryCache, "effectHintsOf" | "declaredTool">;
      readonly recentValues: RecentValues;
    }) => new ToolApprovalGate(c.toolHolds, c.toolRegistry, c.recentValues),
    contentKeeper: ({ retentionOptions, content, seal, now: clock, ids, log }: KeeperParts) =>
      new ContentRetention({ ...retentionOptions, content, seal, clock, ids, log }),
    isStillAuthorized:
      ({ principals, isGranted }: AuthorizationParts) =>
      ({ token, client, source }: Principal, since: number): boolean => {
        // A source was let in with this very frame, and waits for nothing else.
        if (token === null || source) return true;
        return client ? isGranted(token.hash, since) : principals.isStillAuthorized(token, since);
      },
    labelsOf: (c: { readonly labelSecret: Uint8Array }) => redactionLabels(c.labelSecret),
    earlierDecisions: (c: Timing & { readonly labelSecret: Uint8Array }) =>
      new EarlierDecisions({ now: c.now, hashOf: keyedHash(c.labelSecret, "earlier_decisions").of }),
    guard: (c: GuardParts): GuardNeeds => ({
      scanner: c.scanner,
      auditor: c.auditor,
      clock: c.now,
      ids: c.ids,
      log: c.log,
      policyResolver: c.policyResolver,
      content: c.contentKeeper,
      labelsOf: c.labelsOf,
      earlierDecisions: c.earlierDecisions,
      priceOf: c.priceOf,
      tracing: c.tracing,
      gatewayToolOf: (userId, asked) => c.toolRegistry.nameOf(userId, asked),
      reportsLeft: (userId) => c.reportsLeft(userId)?.remaining ?? null,
      isStillAuthorized: c.isStillAuthorized,
      onEnded: (record) => c.callEnded.tell(record),
    }),
  },
  stop: (c: { readonly contentKeeper: ContentRetention }) => () => c.contentKeeper.settled(),
});
