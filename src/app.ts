import type { AnyElysia } from "elysia";
import { assembleReview } from "#assembly/agent-review";
import { assembleWatch } from "#assembly/agent-watch";
import { assembleBackups, type BackupDeps } from "#assembly/backups";
import { assembleDashboard, type DashboardDeps } from "#assembly/dashboard";
import { assembleGovernance, type GovernanceDeps } from "#assembly/governance";
import { assembleContent, type KeptContentDeps } from "#assembly/kept-content";
import { assembleLoop, assembleMemory, type LoopDeps } from "#assembly/loop";
import { assembleManagement, type ManagementDeps } from "#assembly/management";
import { type MetricsDeps, metricsReader } from "#assembly/metrics";
import { assembleOAuth, type OAuthDeps, oauthCallers, oauthGrants } from "#assembly/oauth";
import { assemblePolicy, type PolicyDeps } from "#assembly/policy";
import { assembleReportDesk, type ReportDeskDeps } from "#assembly/report-desk";
import { assembleRestrictions, type RestrictionDeps } from "#assembly/restrictions";
import { assembleRoad, type RoadDeps } from "#assembly/road";
import { assembleBrowsers, assembleSignIn, type SignInDeps } from "#assembly/sign-in";
import { assembleTools, type ToolGatewayDeps } from "#assembly/tool-gateway";
import { assembleTuning, suggestionMaking } from "#assembly/tuning";

import { assembleWebhooks, type WebhookDeps } from "#assembly/webhooks";
import type { AuditRecord } from "#core/audit";
import type { Asker } from "#core/caller";
import { Auditor } from "#engine/auditor";
import { CallMetrics } from "#engine/call-metrics";
import { Conversations } from "#engine/conversations";
import { Directory } from "#engine/directory";
import { Dispatcher, type DispatchOptions } from "#engine/dispatcher";
import { CallJudge } from "#engine/governance/call-judge";
import { Heartbeat } from "#engine/heartbeat";
import { JobRunner } from "#engine/job-runner";
import { LiveEvents } from "#engine/live-events";
import { LoopDelay } from "#engine/loop-delay";
import { RefusalLog } from "#engine/refusal-log";
import { Sync } from "#engine/sync";
import { TokenUses } from "#engine/token-uses";
import { TuningHits } from "#engine/tuning/hits";
import { UsageRecorder } from "#engine/usage";
import { bearerToken, signedIn } from "#http/auth";
import { Finished } from "#http/door";
import { healthRoutes } from "#http/health";
import type { KeptRoute } from "#http/openapi/about";
import { signedInPerson } from "#http/person";
import { QueryChecks } from "#http/query-check";
import { type WebDeps, webOf } from "#http/web";
import { jobRoutes } from "#modules/jobs/routes";
import type { ProviderRow, Store } from "#store/port";
import type { Provider } from "#upstream/port";

export type AppDeps = ToolGatewayDeps &
  GovernanceDeps &
  DashboardDeps &
  RestrictionDeps &
  KeptContentDeps &
  LoopDeps &
  ReportDeskDeps &
  RoadDeps &
  WebhookDeps &
  ManagementDeps &
  PolicyDeps &
  BackupDeps &
  MetricsDeps &
  SignInDeps &
  WebDeps & {
    readonly store: Store;
    readonly processId: string;
    /** Makes a stored provider callable. */
    readonly connect: (row: ProviderRow) => Provider;
    readonly builtIn: readonly Provider[];
    readonly dispatch: DispatchOptions;
    readonly clientDocuments: OAuthDeps["clientDocuments"];
  };

/** The one place where things meet. Everything that touches the world comes in through `deps`; nothing runs by itself. */
export const createApp = (deps: AppDeps) => {
  const { store, scanner, clock, ids, log, limits } = deps;
  const uses = new TokenUses(store.tokens);
  const directory = new Directory(clock, uses);
  const dispatcher = new Dispatcher(deps.dispatch);
  const heartbeat = new Heartbeat();
  const loopDelay = new LoopDelay();
  const auditor = new Auditor(store.audit, log);
  const refusals = new RefusalLog(auditor, clock, ids);
  const { changes } = store;
  const finished = new Finished();
  const recorder = new UsageRecorder({ usage: store.usage, now: clock });
  const governance = assembleGovernance(deps, (agentId) => recorder.spentEarlier(agentId));
  const { governor, limiter } = governance;
  const browsers = assembleBrowsers(deps, directory);
  const queries = new QueryChecks((): readonly KeptRoute[] => web.routes);
  const people = {
    door: signedInPerson({
      authenticate: (key) => directory.authenticatePerson(key),
      browser: browsers,
      isToken: (key) => directory.authenticate(key) !== null,
      onRefused: () => refusals.note(),
      now: clock,
      queries,
    }),
    writeRecord: (line: string) => auditor.writeLine(line),
    admit: () => auditor.admit(),
  };
  const content = assembleContent(deps, people);
  const restrictions = assembleRestrictions(deps, {
    ...people,
    governor,
    heartbeat,
    onChanged: () => sync.refresh(),
  });
  const live = new LiveEvents({
    ownerOf: (agentId) => directory.agent(agentId)?.owner_id ?? null,
    ownerOfServer: (serverId) => tools.roster.server(serverId)?.owner_id ?? null,
    now: clock,
  });
  const webhooks = assembleWebhooks(deps, { ...people, onRecord: (record) => live.changed(record) });
  webhooks.events.subscribe(async (event) => live.happened(event));
  const memory = assembleMemory(deps);
  const hits = new TuningHits({ tuning: store.tuning, now: clock, log });
  const counted = deps.metrics === null ? null : new CallMetrics();
  const onEnded = (record: AuditRecord) => {
    counted?.note(record);
    recorder.note(record);
    hits.note(record);
    memory.pastEvents.note(record);
    webhooks.blocked.note(record);
    live.note(record);
    restrictions.triggers?.note(record);
  };
  const reportsLeft = (userId: string) => memory.quota.leftOf(userId)?.remaining ?? null;
  const isGranted = oauthGrants(deps, directory);
  const isWelcome = ({ token, client }: Asker, since: number): boolean => {
    if (token === null) return true;
    return client ? isGranted(token.hash, since) : directory.isWelcome(token, since);
  };
  const guard = {
    ...{ scanner, auditor, clock, ids, log, governor, content: content.keeper },
    ...{ reportsLeft, isWelcome, onEnded },
  };
  const calls = new CallJudge(restrictions.holds);
  const conversations = new Conversations({ now: clock, maxDepth: limits.jsonDepth });
  const tools = assembleTools(deps, {
    guard,
    limiter,
    calls,
    conversations,
    heartbeat,
    auditor,
    directory,
    oauthCaller: oauthCallers(deps, directory),
    finished,
    door: people.door,
    browsers,
    onRefused: () => refusals.note(),
    onChanged: () => sync.refresh(),
  });
  const review = assembleReview(deps, {
    auditor,
    door: people.door,
    onChanged: () => sync.refresh(),
    effectiveOf: governance.effectiveOf,
    restrictionsOf: (agentId) => governor.restrictionsOf(agentId),
    glance: (agentId) => watch.glance(agentId),
    tierOf: (agentId) => governor.profileOf(agentId)?.body.risk_tier ?? null,
    lastUsed: (tokenId) => uses.last(tokenId),
  });
  const sync = new Sync({
    now: clock,
    changes,
    directory,
    dispatcher,
    connect: deps.connect,
    builtIn: deps.builtIn,
    processId: deps.processId,
    takeTools: tools.take,
    takers: [{ take: ({ policy }) => scanner.take(policy) }, governor, restrictions.containment, memory.quota],
    onHeard: () => governor.confirm(),
  });

  const callers = signedIn(
    (token) => directory.authenticate(token),
    () => refusals.note(),
    queries,
  );
  const loop = assembleLoop(deps, { ...memory, guard, directory, callers });
  const { answers } = loop;
  const road = assembleRoad(deps, {
    ...{ guard, directory, dispatcher, heartbeat, limiter, calls, conversations, callers, answers, finished },
  });
  const making = suggestionMaking({ ...deps, unseal: deps.tools.unseal, pool: deps.scanner.pool }, governor);
  const reportDesk = assembleReportDesk(deps, {
    ...{ ...people, governor, dispatcher, heartbeat, auditor },
    suggestions: making.maker,
    emit: (event) => webhooks.events.emit(event),
  });
  const jobs = new JobRunner({
    ...{ jobs: store.jobs, handlers: [webhooks.handler, reportDesk.handler], worker: deps.processId, log },
    now: clock,
  });
  const tuning = assembleTuning(deps, {
    ...{ ...people, ...making, governor, guard, directory, answers, callers },
    idempotency: loop.idempotency,
    sync: () => sync.refresh(),
  });
  const watch = assembleWatch(deps, {
    answers,
    recorder,
    guard,
    directory,
    callers,
    profileOf: (agentId) => governor.profileOf(agentId),
    restrictionsOf: (agentId) => governor.restrictionsOf(agentId),
    emit: (event) => webhooks.events.emit(event),
    door: people.door,
  });
  const dashboard = assembleDashboard(deps, {
    ...{ ...people, directory, governor, live, loop, roster: tools.roster, rulingOnSuggestion: tuning.ruling },
    personOf: async (request) => {
      const key = request.headers.get("authorization");
      return key === null ? browsers.person(request) : directory.authenticatePerson(bearerToken(key));
    },
  });
  const health = healthRoutes(callers, readinessOf(auditor, directory, scanner));
  const signIn = assembleSignIn(deps, { ...people, directory, browsers, onChanged: () => sync.refresh() });
  const oauth = assembleOAuth(deps, {
    ...{ ...people, callers, browsers, addressOf: signIn.addressOf },
    toolsOf: (userId) => tools.namesOf(userId),
  });
  const management = assembleManagement(deps, { ...people, uses, guard, directory, onChanged: () => sync.refresh() });
  const backups = assembleBackups(deps, people);
  const routes: readonly AnyElysia[] = [
    health,
    signIn.routes,
    signIn.setupRoutes,
    signIn.oidcRoutes,
    signIn.userRoutes,
    signIn.ownRoutes,
    oauth.routes,
    oauth.clientRoutes,
    oauth.metadataRoutes,
    road.chatRoutes,
    road.modelRoutes,
    road.scanRoutes,
    tools.gatewayRoutes,
    tools.management.servers,
    tools.management.ofAgents,
    review.agentRoutes,
    review.reviewRoutes,
    loop.reportRoutes,
    reportDesk.routes,
    tuning.callerRoutes,
    tuning.personRoutes,
    watch.callerRoutes,
    watch.profileRoutes,
    watch.personRoutes,
    restrictions.restrictionRoutes,
    restrictions.holdRoutes,
    content.routes,
    ...dashboard.routes,
    ...management.routes,
    assemblePolicy(deps, { ...people, sync: () => sync.refresh() }),
    backups.routes,
    webhooks.routes,
    jobRoutes({ jobs: store.jobs, door: people.door, now: clock }),
  ];
  const { web, door } = webOf(deps, {
    ...{ callers, finished, routes },
    setupRoutes: [health, signIn.setupRoutes],
    isOpen: () => signIn.isOpen(),
    insertedRoutes: (basePath) => oauth.insertedMetadataRoutes(basePath),
  });
  return {
    door,
    web,
    sync,
    heartbeat,
    loopDelay,
    scanPool: scanner.pool,
    live,
    refusals,
    auditor,
    tools,
    governance,
    review,
    restrictions,
    recorder,
    uses,
    hits,
    watch,
    keptContent: content.keeper,
    backups,
    storage: management.storage,
    /** Null where nobody reads them. */
    readMetrics:
      counted && metricsReader(deps, { calls: counted, auditor, directory, governor, heartbeat, live, loopDelay }),
    loop,
    tuning,
    webhooks,
    jobs,
    signIn,
    oauth,
  };
};

export type App = ReturnType<typeof createApp>;

const readinessOf = (auditor: Auditor, directory: Directory, scanner: AppDeps["scanner"]) => () => {
  const checks = {
    audit: auditor.healthy,
    directory: directory.revision > 0,
    accepting: auditor.isAdmitting,
    scanner: scanner.isWarm,
  };
  return { ready: Object.values(checks).every(Boolean), checks };
};
