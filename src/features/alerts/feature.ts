import type { ToolCatalogue } from "#guard/tools/catalogue";
import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { type NeedsOf, single } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import type { HubEvent } from "#model/event";
import type { Clock } from "#platform/clock";
import type { Sealing } from "#platform/sealing";
import type { BackupDirectory } from "#store/backup-port";
import type { NodeStore } from "#store/node-port";
import type { AgentStore, AuditLog } from "#store/port";
import type { MailSender, Post, WebhookSender } from "#upstream/outbound-port";
import { AlertService } from "./alert-service";
import { AuditAlarm } from "./audit-alarm";
import { AlertDestinationService } from "./destination-service";
import { alertRoutes } from "./endpoints";
import { AlertEvaluator } from "./evaluator";
import { FigureReporter } from "./figures";
import { AlertNotifier } from "./notifier";
import { AlertRuleService } from "./rule-service";

export type AlertOptions = {
  readonly post: Post;
  readonly mail: MailSender;
  readonly sendWebhook: WebhookSender;
  /** Networks in CIDR notation that destinations may be in although they are not public. */
  readonly allowPrivate: readonly string[];
  /** How often rules are measured, milliseconds. */
  readonly everyMs: number;
  /** How often the audit log is checked; 0 for never. */
  readonly verifyMs: number;
};

/** How often it is looked whether a check of the audit log is due. Milliseconds. */
const CHECK_MS = 600_000;

type Optional = { readonly alertOptions: AlertOptions };
type EvaluatorParts = Omit<NeedsOf<typeof AlertEvaluator>, "agent" | "userName"> & {
  readonly principals: PrincipalCache;
};
type NotifierParts = Omit<NeedsOf<typeof AlertNotifier>, "post" | "mail" | "sendWebhook"> & Optional;
type DestinationParts = Sealing &
  Optional &
  Pick<NeedsOf<typeof AlertDestinationService>, "alerts" | "now" | "ids"> & { readonly alertNotifier: AlertNotifier };
type RuleParts = Omit<NeedsOf<typeof AlertRuleService>, "isAgent"> & { readonly agents: Pick<AgentStore, "byId"> };
type Checking = {
  readonly auditService: {
    readonly lastCheck: { readonly at: number; readonly faults: number } | null;
    checkIfDue(everyMs: number): Promise<void>;
  };
};
type FiguresParts = Optional &
  Checking &
  Pick<NeedsOf<typeof FigureReporter>, "alerts" | "loopDelay" | "now"> & {
    readonly backupOptions: { readonly backupDirectory: Pick<BackupDirectory, "list"> };
    readonly toolRegistry: ToolRegistryCache;
    readonly catalogue: ToolCatalogue;
    readonly nodes: Pick<NodeStore, "holdsHere" | "self" | "here">;
  };
type AlarmParts = Omit<NeedsOf<typeof AuditAlarm>, "isHealthy" | "node"> & {
  readonly audit: Pick<AuditLog, "healthy">;
  readonly nodes: Pick<NodeStore, "self">;
};
type Alerting = {
  readonly alertEvaluator: AlertEvaluator;
  readonly figureReporter: FigureReporter;
  readonly auditAlarm: AuditAlarm;
};
type RouteParts = PersonRouteParts & {
  readonly alertService: AlertService;
  readonly alertRuleService: AlertRuleService;
  readonly alertDestinationService: AlertDestinationService;
};

/** People are told when something is wrong with the hub, and when it is over. */
export const alerts = feature({
  provides: {
    alertEvaluator: (c: EvaluatorParts) =>
      new AlertEvaluator({
        alerts: c.alerts,
        calls: c.calls,
        budgets: c.budgets,
        watch: c.watch,
        providers: c.providers,
        agent: (id) => c.principals.agent(id),
        userName: (id) => c.principals.user(id)?.email ?? null,
        now: c.now,
        ids: c.ids,
        log: c.log,
      }),
    alertNotifier: ({ alertOptions, alerts, seal, unseal, publicUrl, now, ids, random, log }: NotifierParts) => {
      const { post, mail, sendWebhook } = alertOptions;
      return new AlertNotifier({ post, mail, sendWebhook, alerts, seal, unseal, publicUrl, now, ids, random, log });
    },
    auditAlarm: ({ alerts, alertNotifier, audit, nodes, now, ids, log }: AlarmParts) =>
      new AuditAlarm({
        alerts,
        alertNotifier,
        now,
        ids,
        log,
        isHealthy: () => audit.healthy,
        node: nodes.self?.id ?? "0",
      }),
    alertRuleService: ({ alerts, agents, now, ids }: RuleParts) =>
      new AlertRuleService({ alerts, isAgent: async (id) => (await agents.byId(id)) !== null, now, ids }),
    alertDestinationService: (c: DestinationParts) =>
      new AlertDestinationService({
        alerts: c.alerts,
        notifier: c.alertNotifier,
        sealing: { seal: c.seal, unseal: c.unseal },
        allowPrivate: c.alertOptions.allowPrivate,
        now: c.now,
        ids: c.ids,
      }),
    alertService: single(AlertService),
    figureReporter: (c: FiguresParts) =>
      new FigureReporter({
        alerts: c.alerts,
        loopDelay: c.loopDelay,
        lastCheck: () => c.auditService.lastCheck,
        newestBackup: () => newestOf(c.backupOptions.backupDirectory, c.now),
        failingTools: () => failingTools(c),
        nodes: c.nodes,
        now: c.now,
        everyMs: c.alertOptions.everyMs,
      }),
  },
  routes: (c: RouteParts) => [
    alertRoutes({
      ...personRoutes(c),
      alerts: c.alertService,
      rules: c.alertRuleService,
      destinations: c.alertDestinationService,
    }),
  ],
  onEvent: (c: { readonly alertNotifier: AlertNotifier }) => (event: HubEvent) => c.alertNotifier.enqueue(event),
  jobs: (c: Optional & Checking & Alerting) => [
    { name: "figures for alerts", everyMs: c.alertOptions.everyMs, run: () => c.figureReporter.report() },
    { name: "alarm of the audit log", everyMs: c.alertOptions.everyMs, run: () => c.auditAlarm.runOnce() },
    { name: "alerts", everyMs: c.alertOptions.everyMs, singleton: true, run: () => c.alertEvaluator.runOnce() },
    {
      name: "audit check",
      everyMs: CHECK_MS,
      singleton: "directory",
      run: () => c.auditService.checkIfDue(c.alertOptions.verifyMs),
    },
  ],
});

/** One of a time to come was made while the clock was wrong. */
const newestOf = async (directory: Pick<BackupDirectory, "list">, now: Clock): Promise<number | null> => {
  const made = (await directory.list()).map(({ manifest }) => Date.parse(manifest.created_at));
  return made.filter((at) => at <= now()).reduce<number | null>((last, at) => Math.max(last ?? at, at), null);
};

/** Of the servers in use. Nobody else may look at one that has failed, so that it is looked at again here. */
const failingTools = ({ toolRegistry, catalogue }: Pick<FiguresParts, "toolRegistry" | "catalogue">) => {
  const failing = [...toolRegistry.all()].filter((server) => server.active && catalogue.failureOf(server) !== null);
  void catalogue.ready(failing);
  return failing.map(({ id, slug }) => ({ id, slug }));
};
