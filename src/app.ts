import { Elysia } from "elysia";
import { Auditor } from "#engine/auditor";
import { Directory } from "#engine/directory";
import { Dispatcher, type DispatchOptions } from "#engine/dispatcher";
import { Heartbeat } from "#engine/heartbeat";
import { RefusalLog } from "#engine/refusal-log";
import type { Scanner } from "#engine/scanner";
import { Sync } from "#engine/sync";
import { ToolCatalogue } from "#engine/tools/catalogue";
import { ToolConnections } from "#engine/tools/connections";
import { ToolIntake } from "#engine/tools/intake";
import { ToolRoster } from "#engine/tools/roster";
import { type Narrowing, ToolViews } from "#engine/tools/view";
import { signedIn } from "#http/auth";
import { Door, Finished } from "#http/door";
import { errors } from "#http/errors";
import { healthRoutes } from "#http/health";
import { HostCheck } from "#http/hosts";
import { methodsAt } from "#http/methods";
import { removedRoutes } from "#http/removed";
import { chatRoutes } from "#modules/chat/routes";
import { ChatRequestCheck } from "#modules/chat/schema";
import { type ChatLimits, ChatService } from "#modules/chat/service";
import { modelRoutes } from "#modules/models/routes";
import { ModelService } from "#modules/models/service";
import { scanRoutes } from "#modules/scan/routes";
import { ScanRequestCheck } from "#modules/scan/schema";
import { ScanService } from "#modules/scan/service";
import { type ToolLimits, ToolService } from "#modules/tools/service";
import { WHOAMI_TOOL } from "#modules/tools/whoami";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { ProviderRow, Store, ToolRegistry } from "#store/port";
import type { Provider } from "#upstream/port";
import type { ToolConnector } from "#upstream/tool-port";

export type AppDeps = {
  readonly store: Store;
  readonly scanner: Scanner;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly processId: string;
  /** Makes a stored provider callable. */
  readonly connect: (row: ProviderRow) => Provider;
  readonly builtIn: readonly Provider[];
  readonly dispatch: DispatchOptions;
  readonly limits: ChatLimits & { readonly bodyBytes: number };
  readonly tools: ToolGatewayOptions;
  /** The URL callers use; its port may be known only once the hub listens. */
  readonly publicUrl: () => string;
  readonly allowedHosts: readonly string[];
  /** Lifts the server's idle limit from one request. */
  readonly keepOpen: (request: Request) => void;
};

export type ToolGatewayOptions = {
  readonly connect: ToolConnector;
  readonly limits: Omit<ToolLimits, "jsonDepth">;
  readonly listMs: number;
  readonly listFreshMs: number;
  readonly idleMs: number;
  readonly maxConcurrent: number;
  readonly newTools: "pin" | "approve";
  readonly hasWhoami: boolean;
  /** Web pages that may call it, beside the hub's own. */
  readonly allowedOrigins: readonly string[];
};

/** The one place where things meet. Everything that touches the world comes in through `deps`; nothing runs by itself. */
export const createApp = (deps: AppDeps) => {
  const { store, scanner, clock, ids, log, limits } = deps;
  const directory = new Directory(clock);
  const dispatcher = new Dispatcher(deps.dispatch);
  const heartbeat = new Heartbeat();
  const auditor = new Auditor(store.audit, log);
  const refusals = new RefusalLog(auditor, clock, ids);
  const { changes } = store;
  const tools = toolGateway(deps, { heartbeat, auditor });
  const sync = new Sync({
    now: clock,
    changes,
    directory,
    dispatcher,
    connect: deps.connect,
    builtIn: deps.builtIn,
    processId: deps.processId,
    takeTools: tools.take,
  });
  const guard = { scanner, auditor, clock, ids, log };

  const chatCheck = new ChatRequestCheck();
  const scanCheck = new ScanRequestCheck();
  const chat = new ChatService({ guard, dispatcher, heartbeat, limits, check: (body) => chatCheck.check(body) });
  const scan = new ScanService({ guard, directory, check: (body) => scanCheck.check(body) });
  const models = new ModelService({ dispatcher, clock, log });

  const callers = signedIn(
    (token) => directory.authenticate(token),
    () => refusals.note(),
  );
  const readiness = () => {
    const checks = { audit: auditor.healthy, directory: directory.revision > 0, accepting: auditor.isAdmitting };
    return { ready: Object.values(checks).every(Boolean), checks };
  };
  const finished = new Finished();
  const { bodyBytes } = limits;
  const methods = methodsAt(() => web.routes);
  const web = new Elysia({ prefix: basePathOf(deps.publicUrl()) })
    .use(errors(log, methods)) // first: it covers only what comes after
    .use(healthRoutes(callers, readiness))
    .use(chatRoutes({ service: chat, door: callers, finished, ids, bodyBytes, keepOpen: deps.keepOpen }))
    .use(modelRoutes(models, callers))
    .use(scanRoutes({ service: scan, door: callers, ids, bodyBytes }))
    .use(removedRoutes(callers));

  const door = new Door({
    finished,
    hosts: new HostCheck(deps.publicUrl(), deps.allowedHosts),
    handle: (request) => web.fetch(request),
    ids,
    log,
  });
  return { door, web, sync, heartbeat, refusals, auditor, tools };
};

/** What serves tools: the registry, the connections, the lists, and the service over them. */
const toolGateway = (deps: AppDeps, { heartbeat, auditor }: { heartbeat: Heartbeat; auditor: Auditor }) => {
  const { store, scanner, clock, ids, log } = deps;
  const { connect, idleMs, maxConcurrent, newTools, limits, hasWhoami, listMs, listFreshMs } = deps.tools;
  const roster = new ToolRoster();
  const connections = new ToolConnections({
    connect,
    now: clock,
    idleMs,
    maxConcurrent,
    onListChanged: (serverId) => catalogue.changed(serverId),
  });
  const intake = new ToolIntake({ tools: store.tools, policy: () => scanner.snapshot(), newTools, now: clock, ids });
  const catalogue = new ToolCatalogue({
    roster,
    connections,
    intake,
    now: clock,
    log,
    freshMs: listFreshMs,
    listMs,
  });
  const views = new ToolViews(roster, NOT_NARROWED, hasWhoami ? [WHOAMI_TOOL] : []);
  const service = new ToolService({
    guard: { scanner, auditor, clock, ids, log },
    heartbeat,
    roster,
    views,
    catalogue,
    connections,
    limits: { ...limits, jsonDepth: deps.limits.jsonDepth },
    hasWhoami,
  });
  const take = (registry: ToolRegistry, revision: number) => {
    roster.take(registry, revision);
    catalogue.retain();
    void connections.retain(registry.servers);
  };
  const tend = async () => {
    catalogue.checkHealth();
    await connections.closeIdle();
  };
  return { service, take, tend, close: () => connections.closeAll() };
};

/** Profiles and OAuth clients narrow callers where there are any. */
const NOT_NARROWED: Narrowing = () => ({ profile: null, client: null });

export type App = ReturnType<typeof createApp>;

/** `/hub` of `https://example.org/hub/`: before every address. Empty for none. */
const basePathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, "");
