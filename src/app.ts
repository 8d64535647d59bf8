import { access } from "#features/access/feature";
import { agents } from "#features/agents/feature";
import { type AlertOptions, alerts } from "#features/alerts/feature";
import { audit } from "#features/audit/feature";
import { type BackupOptions, backups } from "#features/backups/feature";
import { calls } from "#features/calls/feature";
import { configuration } from "#features/configuration/feature";
import { content } from "#features/content/feature";
import { events } from "#features/events/feature";
import { evidence } from "#features/evidence/feature";
import { health } from "#features/health/feature";
import { holds } from "#features/holds/feature";
import { inbox } from "#features/inbox/feature";
import { jobs } from "#features/jobs/feature";
import { map } from "#features/map/feature";
import { metrics } from "#features/metrics/feature";
import type { MetricsOptions } from "#features/metrics/figures";
import { modelCalls } from "#features/model-calls/feature";
import type { ModelCallLimits } from "#features/model-calls/service";
import { models } from "#features/models/feature";
import { moneySettings } from "#features/money/feature";
import { notices } from "#features/notices/feature";
import { type ClientDocumentOptions, oauth } from "#features/oauth/feature";
import { operating } from "#features/operating/feature";
import type { Operating } from "#features/operating/port";
import { otel, type TelemetryOptions } from "#features/otel/feature";
import { overview } from "#features/overview/feature";
import { policyChanges } from "#features/policy/feature";
import { profile } from "#features/profile/feature";
import { type ProofOptions, proofs } from "#features/proofs/feature";
import { providers } from "#features/providers/feature";
import { registry } from "#features/registry/feature";
import { type ModelReviewer, reportReview } from "#features/report-review/feature";
import { reports } from "#features/reports/feature";
import { restrictions } from "#features/restrictions/feature";
import type { TriggersOptions } from "#features/restrictions/triggers";
import { retention } from "#features/retention/feature";
import { reviews } from "#features/reviews/feature";
import { scan } from "#features/scan/feature";
import { oidcSignIn, type PeopleOptions, signIn } from "#features/sign-in/feature";
import { toolServers } from "#features/tool-servers/feature";
import type { SignIn } from "#features/tool-servers/port";
import { type ToolGatewayOptions, tools } from "#features/tools/feature";
import { tuning } from "#features/tuning/feature";
import { users } from "#features/users/feature";
import { type HookOptions, verdicts } from "#features/verdicts/feature";
import { views } from "#features/views/feature";
import { type WebhookOptions, webhooks } from "#features/webhooks/feature";
import type { RetentionOptions } from "#guard/content-retention";
import type { DispatchOptions } from "#guard/dispatcher";
import type { Scanner } from "#guard/scanner";
import { authentication } from "#http/authentication";
import type { DashboardFiles } from "#http/dashboard";
import type { DocumentationFiles } from "#http/documentation-routes";
import { readiness } from "#http/health";
import { webOf } from "#http/web";
import { partsOf } from "#hub/feature";
import { containing, conversing, enforcement, type GovernanceOptions, guarding, policy } from "#hub/guarding";
import { HubLifecycle } from "#hub/lifecycle";
import { membership } from "#hub/membership";
import { money } from "#hub/money";
import { auditing, changeFeed, principalCaching, scheduling, usageCounting } from "#hub/running";
import { shipping } from "#hub/shipping";
import { stores } from "#hub/stores";
import { type ToolRegistryOptions, toolRegistry } from "#hub/tool-registry";
import type { PriceRow } from "#model/price";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { Baseline } from "#policy/baseline/baseline";
import type { ProviderRow, Store } from "#store/port";
import type { DocumentFetch } from "#upstream/outbound-port";
import type { Provider, ProviderCheck } from "#upstream/port";

/** Everything that touches the world, and what is configured. */
export type HubInputs = Sealing & {
  readonly store: Store;
  readonly scanner: Scanner;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
  /** 128 random bits, in hexadecimal. */
  readonly nonce: () => string;
  /** The hub's own. */
  readonly version: string;
  /** Names this process among those that share the store. */
  readonly processId: string;
  /** Ends what a node that is dead has left running on this host. */
  readonly sweepNode: (id: string) => void;
  readonly limits: ModelCallLimits & { readonly bodyBytes: number };
  /** The URL callers use; its port may be known only once the hub listens. */
  readonly publicUrl: () => string;
  readonly allowedHosts: readonly string[];
  /** Lifts the server's idle limit from one request. */
  readonly disableIdleTimeout: (request: Request) => void;
  readonly dashboard: DashboardFiles;
  readonly documentation: DocumentationFiles;
  readonly people: PeopleOptions;
  readonly clientDocuments: ClientDocumentOptions;
  /** Makes a stored provider callable. */
  readonly connect: (row: ProviderRow) => Provider;
  readonly builtIn: readonly Provider[];
  readonly dispatch: DispatchOptions;
  readonly governance: GovernanceOptions;
  readonly baseline: Baseline;
  readonly hookOptions: HookOptions;
  /** `[[prices]]`. */
  readonly configuredPrices: readonly PriceRow[];
  readonly retentionOptions: RetentionOptions;
  /** What redaction labels are made under. */
  readonly labelSecret: Uint8Array;
  /** Null where only people restrict. */
  readonly automatic: TriggersOptions | null;
  readonly reviewer: ModelReviewer;
  readonly toolOptions: ToolRegistryOptions &
    ToolGatewayOptions & { readonly signIn: SignIn; readonly fetchRegistry: DocumentFetch };
  readonly webhookOptions: WebhookOptions;
  readonly proofOptions: ProofOptions;
  readonly alertOptions: AlertOptions;
  readonly backupOptions: BackupOptions;
  /** Null where nobody reads them. */
  readonly metricsOptions: MetricsOptions | null;
  /** Null where nothing is exported. */
  readonly telemetryOptions: TelemetryOptions | null;
  readonly management: {
    /** Asks a provider for its models, with its key. */
    readonly checkProvider: (row: ProviderRow) => Promise<ProviderCheck>;
    /** Networks in CIDR notation that providers may be in although they are not public. */
    readonly allowPrivate: readonly string[];
    readonly operating: Operating;
  };
};

/**
 * What the hub consists of. The order matters for two things: changes of the store are taken in from the first to the
 * last, so that what restricts holds before what may fail; and features stop from the last to the first.
 */
const FEATURES = [
  ...[
    stores,
    scheduling,
    membership,
    shipping,
    changeFeed,
    auditing,
    principalCaching,
    policy,
    enforcement,
    money,
    containing,
    conversing,
    guarding,
    usageCounting,
    otel,
  ],
  ...[authentication, readiness, signIn, oidcSignIn, users, oauth],
  ...[
    modelCalls,
    verdicts,
    models,
    scan,
    toolRegistry,
    tools,
    toolServers,
    registry,
    proofs,
    evidence,
    agents,
    reviews,
  ],
  ...[reports, reportReview, tuning, health, profile, restrictions, holds, content],
  ...[calls, overview, inbox, map, audit, events, views],
  ...[access, providers, moneySettings, operating, policyChanges, backups, webhooks, alerts, notices, jobs],
  ...[retention, metrics, configuration],
] as const;

/** The parts of a hub, each built when it is asked for. `overrides` take the place of parts: in tests and commands. */
export const hubParts = (inputs: HubInputs, overrides: Partial<HubParts> = {}) => partsOf(inputs, FEATURES, overrides);

export type HubParts = ReturnType<typeof partsOf<HubInputs, typeof FEATURES>>;

/** The same for a command, which brings only what its part needs: whatever else is asked for is an error that names it. */
export const commandParts = (inputs: Partial<HubInputs>, overrides: Partial<HubParts> = {}): HubParts =>
  hubParts(inputs as HubInputs, overrides);

/** A hub that serves nothing and does nothing by itself before it is told to. */
export const createApp = (inputs: HubInputs, overrides: Partial<HubParts> = {}) => {
  const parts = hubParts(inputs, overrides);
  const lifecycle = new HubLifecycle(parts, FEATURES);
  const web = webOf(parts, {
    earlyRoutes: () => lifecycle.earlyRoutes(),
    routes: () => lifecycle.routes(),
    setupRoutes: () => lifecycle.setupRoutes(),
    outerRoutes: () => lifecycle.outerRoutes(),
  });
  return { parts, lifecycle, ...web };
};

export type App = ReturnType<typeof createApp>;
