import type { Caller } from "#core/caller";
import { holdingOf, toolDenials } from "#core/profile/permits";
import { pinState } from "#core/tool";
import type { Auditor } from "#engine/auditor";
import type { Conversations } from "#engine/conversations";
import type { Directory } from "#engine/directory";
import type { CallJudge } from "#engine/governance/call-judge";
import type { Governor } from "#engine/governance/governor";
import type { Limiter } from "#engine/governance/limiter";
import type { GuardDeps } from "#engine/guarded-call";
import type { Heartbeat } from "#engine/heartbeat";
import type { Scanner } from "#engine/scanner";
import { ToolCatalogue } from "#engine/tools/catalogue";
import { ToolConnections } from "#engine/tools/connections";
import { ToolIntake } from "#engine/tools/intake";
import { lookAt } from "#engine/tools/look";
import { ToolRoster } from "#engine/tools/roster";
import { type Narrowing, ToolViews } from "#engine/tools/view";
import type { BrowserDoor } from "#http/browser";
import type { Finished } from "#http/door";
import { OriginCheck } from "#http/origins";
import type { signedInPerson } from "#http/person";
import { agentToolRoutes } from "#modules/tool-servers/agent-routes";
import type { SignIn } from "#modules/tool-servers/port";
import { toolServerRoutes } from "#modules/tool-servers/routes";
import { ToolServerService } from "#modules/tool-servers/service";
import { SignInService } from "#modules/tool-servers/sign-in";
import { InFlight } from "#modules/tools/dialect/in-flight";
import { Subscriptions } from "#modules/tools/dialect/subscriptions";
import { toolRoutes } from "#modules/tools/routes";
import { type ToolLimits, ToolService } from "#modules/tools/service";
import { WHOAMI_TOOL } from "#modules/tools/whoami";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { Store, ToolRegistry } from "#store/port";
import type { ToolConnector } from "#upstream/tool-port";

export type ToolGatewayOptions = Sealing & {
  readonly connect: ToolConnector;
  readonly signIn: SignIn;
  /** The hub's own. */
  readonly version: string;
  readonly limits: Omit<ToolLimits, "jsonDepth">;
  readonly listMs: number;
  readonly lookMs: number;
  readonly listFreshMs: number;
  readonly idleMs: number;
  readonly maxConcurrent: number;
  readonly newTools: "pin" | "approve";
  readonly hasWhoami: boolean;
  /** Web pages that may call it, beside the hub's own. */
  readonly allowedOrigins: readonly string[];
};

export type ToolGatewayDeps = {
  readonly tools: ToolGatewayOptions;
  readonly store: Pick<Store, "tools" | "users" | "agents">;
  readonly scanner: Scanner;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: { readonly jsonDepth: number; readonly bodyBytes: number };
  /** The URL callers use; its port may be known only once the hub listens. */
  readonly publicUrl: () => string;
  /** Lifts the server's idle limit from one request. */
  readonly keepOpen: (request: Request) => void;
};

type Around = {
  readonly guard: GuardDeps;
  readonly limiter: Limiter;
  readonly calls: CallJudge;
  readonly conversations: Conversations;
  readonly heartbeat: Heartbeat;
  readonly auditor: Auditor;
  readonly directory: Directory;
  /** Whose token of the authorization server it is; null for none that opens the gateway. */
  readonly oauthCaller: (token: string) => Caller | null;
  readonly finished: Finished;
  readonly onRefused: () => void;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly browsers: Pick<BrowserDoor, "person">;
  /** Takes in what was just changed. */
  readonly onChanged: () => Promise<void>;
};

/** What serves tools: the registry, the connections, the lists, and the addresses over them. */
export const assembleTools = (deps: ToolGatewayDeps, around: Around) => {
  const { tools: options, store, clock, log } = deps;
  const { connect, idleMs, maxConcurrent, listMs, lookMs, listFreshMs, hasWhoami } = options;
  const roster = new ToolRoster();
  const connections = new ToolConnections({
    connect,
    now: clock,
    idleMs,
    maxConcurrent,
    onListChanged: (serverId) => catalogue.changed(serverId),
  });
  const intake = intakeOf(deps);
  const catalogue = new ToolCatalogue({
    roster,
    connections,
    intake,
    now: clock,
    log,
    freshMs: listFreshMs,
    listMs,
    lookMs,
  });
  const service = new ToolService({
    guard: around.guard,
    heartbeat: around.heartbeat,
    roster,
    views: new ToolViews(roster, narrowedBy(around.guard.governor), hasWhoami ? [WHOAMI_TOOL] : []),
    catalogue,
    connections,
    limits: { ...options.limits, jsonDepth: deps.limits.jsonDepth },
    limiter: around.limiter,
    calls: around.calls,
    conversations: around.conversations,
    hasWhoami,
  });
  const subscriptions = new Subscriptions();
  return {
    roster,
    gatewayRoutes: gatewayRoutes(deps, around, { service, subscriptions }),
    management: managementRoutes(deps, around, lookAt({ connect, intake, tools: store.tools, log, lookMs })),
    /** Public names of the tools that are approved for the user. */
    namesOf: (userId: string): string[] =>
      roster
        .serversOf(userId)
        .flatMap(({ id }) => roster.pinsOf(id))
        .filter((pin) => pin.present && pinState(pin) === "approved")
        .map(({ name }) => name)
        .sort(),
    take: (registry: ToolRegistry, revision: number) => {
      roster.take(registry, revision);
      catalogue.retain();
      void connections.retain(registry.servers);
    },
    /** To be called from time to time. */
    tend: async () => {
      catalogue.checkHealth();
      await connections.closeIdle();
    },
    /** The hub is stopping: who listens for changes would wait for ever. */
    stopListening: () => subscriptions.close(),
    close: () => connections.closeAll(),
  };
};

const intakeOf = ({ store, scanner, clock, ids, tools }: ToolGatewayDeps): ToolIntake =>
  new ToolIntake({
    tools: store.tools,
    policy: () => scanner.snapshot(),
    newTools: tools.newTools,
    now: clock,
    ids,
    pool: scanner.pool,
  });

type Served = { readonly service: ToolService; readonly subscriptions: Subscriptions };

const gatewayRoutes = (deps: ToolGatewayDeps, around: Around, { service, subscriptions }: Served) => {
  const { directory, oauthCaller, finished, heartbeat, onRefused } = around;
  const { ids, log, tools, publicUrl, limits, keepOpen } = deps;
  return toolRoutes({
    service,
    ids,
    log,
    heartbeat,
    inFlight: new InFlight(),
    subscriptions,
    serverInfo: { name: "guardhouse", version: tools.version },
    authenticate: (token) => directory.authenticate(token) ?? oauthCaller(token),
    onRefused,
    origins: new OriginCheck(publicUrl, tools.allowedOrigins),
    publicUrl,
    finished,
    bodyBytes: limits.bodyBytes,
    keepOpen,
  });
};

const managementRoutes = (deps: ToolGatewayDeps, around: Around, look: ReturnType<typeof lookAt>) => {
  const { store, clock, ids, tools, limits } = deps;
  const { auditor, onChanged } = around;
  const basics = { tools: store.tools, look, now: clock, ids };
  const service = new ToolServerService({
    ...basics,
    users: store.users,
    agents: store.agents,
    seal: tools.seal,
    unseal: tools.unseal,
  });
  const servers = toolServerRoutes({
    service,
    signIns: new SignInService({
      ...basics,
      signIn: tools.signIn,
      writeRecord: (line) => auditor.writeLine(line),
    }),
    people: store.users,
    door: around.door,
    browsers: around.browsers,
    bodyBytes: limits.bodyBytes,
    admit: () => auditor.admit(),
    onChanged,
  });
  return { servers, ofAgents: agentToolRoutes({ service, agents: store.agents, door: around.door }) };
};

/** What profiles and restrictions leave of a caller's tools. A profile that only watches hides nothing. */
const narrowedBy =
  (governor: Governor): Narrowing =>
  ({ agent, client }) => {
    if (!agent) return client ? { governed: null, client: client.tools, by: null } : NOT_NARROWED;
    const { effective } = governor.rulesOfAgent(agent.id);
    if (effective.tools.length === 0) return NOT_NARROWED;
    const own = `profile v${effective.profile_version}`;
    const governed = (name: string) => {
      const denial = holdingOf(effective, toolDenials(effective, name));
      if (!denial) return null;
      return denial.layer === own ? "profile" : "restriction";
    };
    return { governed, client: null, by: effective };
  };

const NOT_NARROWED = { governed: null, client: null, by: null };
