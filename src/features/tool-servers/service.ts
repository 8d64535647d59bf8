import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { parseExact } from "#core/json/json-reader";
import type { PageWindow } from "#core/page";
import { emailsFor, type Names } from "#identity/names";
import type { Agent } from "#model/agent";
import { type Actor, changeRecord } from "#model/change";
import type { User } from "#model/person";
import { MODERN_VERSIONS } from "#model/tools/mcp";
import type { Proposal } from "#model/tools/proposal";
import {
  type CredentialKind,
  credentialsPurpose,
  type ToolAssignment,
  type ToolCredentials,
  type ToolPin,
  type ToolServer,
} from "#model/tools/tool";
import type { Clock } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import { type Sealing, UnsealFailed } from "#platform/sealing";
import type { AgentStore, ToolServerPatch, ToolServerStore, UserStore } from "#store/port";
import {
  goodCommand,
  goodCredentials,
  goodDescription,
  goodHosts,
  goodSlug,
  goodUrl,
  goodWait,
  invalid,
  withoutQuery,
} from "./checks";
import type { DiscoverTools, DiscoveryResult } from "./port";
import {
  type AgentTools,
  type AssignedToolServer,
  foundStatus,
  type ServerStatus,
  storedStatus,
  type ToolResponse,
  type ToolServerReport,
  type ToolServerResponse,
  toolServerResponse,
} from "./schema";
import { stale, toApprove, toAssign, type WantedAssignment, type WantedTools } from "./tool-choice";

/** Why a tool that runs as a task alone is not offered. */
const NO_TASKS = "runs as a task, which its server does not offer";

/** More than anybody connects by hand; each costs a connection at every list. */
const MAX_PER_OWNER = 100;

export type NewToolServer = {
  readonly slug: string;
  readonly place:
    | { readonly transport: "streamable-http" | "sse"; readonly url: string }
    | { readonly transport: "stdio"; readonly command: readonly string[] };
  readonly credentials: ToolCredentials | null;
  readonly call_ms: number | null;
  readonly list_ms: number | null;
  /** Null for whichever version both sides know. */
  readonly protocol?: ToolServer["protocol"] | undefined;
  readonly elicitation_hosts?: readonly string[] | undefined;
  /** Of an operator: whose address it is, where it is a user's. */
  readonly given_by?: ToolServer["given_by"] | undefined;
  /** False for one that nobody uses before it is enabled. */
  readonly active?: boolean;
  /** What it is made of, if another registry lists it. */
  readonly proposal?: Pick<Proposal, "id" | "name" | "version">;
};

export type ToolServerUpdate = {
  readonly active?: boolean | undefined;
  readonly call_ms?: number | null | undefined;
  readonly list_ms?: number | null | undefined;
  readonly protocol?: ToolServer["protocol"] | undefined;
  readonly elicitation_hosts?: readonly string[] | undefined;
  /** Null for none. */
  readonly credentials?: ToolCredentials | null | undefined;
};

export type ApprovedTool = {
  readonly name: string;
  readonly tool: string;
  /** As it was approved before; null for never. */
  readonly before: JsonRecord | null;
  readonly after: JsonRecord | null;
};

type ToolServerServiceNeeds = Sealing & {
  readonly tools: ToolServerStore;
  readonly users: Pick<UserStore, "byIds">;
  readonly agents: Pick<AgentStore, "byId" | "byIds">;
  readonly discover: DiscoverTools;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Tool servers, what of them is approved, and which agents use them. Every change writes its audit record. */
export class ToolServerService {
  /** Looks under way, by server and version of its credentials: who asks meanwhile gets the same answer. */
  private readonly discoveries = new Map<string, Promise<DiscoveryResult>>();

  constructor(private readonly deps: ToolServerServiceNeeds) {}

  /**
   * Stores the server, then looks at it once: one that does not answer is kept all the same, and the report says so.
   * Throws `invalid_value`, `already_exists`; `parameter_not_allowed` for a program that is not an operator's;
   * `state_conflict` when its proposal was decided meanwhile.
   */
  async add(by: Actor, owner: User, wanted: NewToolServer): Promise<ToolServerReport> {
    const server = this.serverOf(by, owner, wanted);
    const { proposal } = wanted;
    const { slug, transport, url, command, given_by } = server;
    const detail = {
      slug,
      owner_id: owner.id,
      transport,
      url: withoutQuery(url),
      // Without its arguments: they may hold keys.
      program: command?.[0] ?? null,
      given_by,
      ...(!server.active && { active: false }),
      ...credentialFacts(wanted.credentials),
      ...(proposal && { proposal_id: proposal.id, registry_name: proposal.name, registry_version: proposal.version }),
    };
    const record = this.record(by, "add", server.id, detail);
    const of = proposal && { id: proposal.id, decided_by: by.user_id, decided_at: server.created_at };
    const outcome = await this.deps.tools.add(server, record, MAX_PER_OWNER, of);
    if (outcome === "decided") {
      throw new GuardError("state_conflict", "The proposal does not wait any more: it was decided or replaced.");
    }
    if (outcome === "full") {
      throw new GuardError(
        "invalid_value",
        `The limit of ${MAX_PER_OWNER} tool servers per user is reached. Remove one first.`,
      );
    }
    if (outcome === "taken") {
      throw new GuardError("already_exists", `${owner.email} already has a tool server ${slug}. Choose another name.`, {
        param: "slug",
      });
    }
    return this.test(server);
  }

  /** All of them, or one owner's; newest first. */
  async page(ownerId: string | null, window: PageWindow, words?: string): Promise<ToolServerResponse[]> {
    return this.stored(await this.deps.tools.page(ownerId, window, words));
  }

  async shown(server: ToolServer): Promise<AssignedToolServer> {
    const [shown] = await this.stored([server]);
    if (!shown) throw gone();
    const assigned = await this.deps.tools.assignments({ server_id: server.id });
    const agents = await this.deps.agents.byIds(assigned.map(({ agent_id }) => agent_id));
    const names = new Map(agents.map(({ id, name }) => [id, name]));
    const assignments = assigned.map(({ agent_id, tools, resources, prompts }) => ({
      agent_id,
      agent: names.get(agent_id) ?? agent_id,
      tools: tools && [...tools],
      resources: [...resources],
      prompts: [...prompts],
    }));
    return { ...shown, assignments };
  }

  /** What of whose servers an agent is assigned. */
  async ofAgent(agentId: string): Promise<AgentTools[]> {
    const assigned = await this.deps.tools.assignments({ agent_id: agentId });
    const chosen = new Map(assigned.map(({ server_id, tools }) => [server_id, tools]));
    const servers = await this.deps.tools.byIds(chosen.keys());
    const shown = await this.stored(servers.toSorted((a, b) => (a.id < b.id ? 1 : -1)));
    return shown.map(({ id, slug, owner, active, status, tools }) => {
      const names = chosen.get(id) ?? null;
      const isAssigned = ({ tool }: ToolResponse): boolean => names === null || names.includes(tool);
      return { id, slug, owner, active, status, all: names === null, tools: tools.filter(isAssigned) };
    });
  }

  /** Each tool's present and approved definition, for the user who decides. */
  async definitions(server: ToolServer): Promise<(ApprovedTool & { readonly hash: string })[]> {
    const pins = await this.deps.tools.pins(server.id);
    return pins.map(({ name, tool, pinned, seen, seen_hash }) => ({
      name,
      tool,
      hash: seen_hash,
      before: definitionOf(pinned),
      after: definitionOf(seen),
    }));
  }

  /** The owner is not needed where only one has a server of that slug. Throws `not_found`, `invalid_value`. */
  async find(slug: string, owner: User | null): Promise<ToolServer> {
    const named = await this.deps.tools.named(slug);
    const found = owner === null ? named : named.filter(({ owner_id }) => owner_id === owner.id);
    if (found.length > 1) throw invalid("slug", "is used by several owners: name the owner too");
    const [server] = found;
    if (server) return server;
    const whose = owner === null ? "" : ` of ${owner.email}`;
    throw new GuardError("not_found", `There is no tool server ${slug}${whose}`, { param: "slug" });
  }

  async byId(id: string): Promise<ToolServer | null> {
    return isUuid(id) ? this.deps.tools.byId(id.toLowerCase()) : null;
  }

  async test(server: ToolServer): Promise<ToolServerReport> {
    return this.report(server, await this.discover(server));
  }

  /** Throws `invalid_value`, `not_found`. */
  async update(by: Actor, server: ToolServer, change: ToolServerUpdate): Promise<AssignedToolServer> {
    const { active, call_ms, list_ms, protocol, elicitation_hosts: hosts, credentials } = change;
    mustFit(server.transport, credentials ?? null);
    mustSpeak(server.transport, protocol ?? null);
    const patch: ToolServerPatch = {
      ...(active !== undefined && { active }),
      ...(call_ms !== undefined && { call_ms: goodWait("call_ms", call_ms) }),
      ...(list_ms !== undefined && { list_ms: goodWait("list_ms", list_ms) }),
      ...(protocol !== undefined && { protocol }),
      ...(hosts !== undefined && { elicitation_hosts: goodHosts(hosts) }),
      ...(credentials !== undefined && { credentials: this.sealed(server.id, credentials) }),
    };
    const { credentials: _, ...plain } = patch;
    const facts = credentials === undefined ? {} : credentialFacts(credentials);
    const record = this.record(by, "update", server.id, { slug: server.slug, ...plain, ...facts });
    const isThere = await this.deps.tools.update(server.id, patch, record);
    const after = isThere ? await this.deps.tools.byId(server.id) : null;
    if (!after) throw gone();
    return this.shown(after);
  }

  /**
   * Lists it in the hub's registry, with what is said of it there, or takes it out for null. Nobody may use it for that.
   * Throws `invalid_value`, `already_exists` where another of that slug is listed, `not_found`.
   */
  async publish(by: Actor, server: ToolServer, said: string | null): Promise<AssignedToolServer> {
    const published_as = said === null ? null : goodDescription(said);
    const others = published_as === null ? [] : await this.deps.tools.named(server.slug);
    if (others.some(({ id, published_at }) => published_at !== null && id !== server.id)) {
      throw new GuardError("already_exists", `Another user's server ${server.slug} is published. Unpublish it first.`, {
        param: "slug",
      });
    }
    const detail = { slug: server.slug, owner_id: server.owner_id, description: published_as };
    const record = this.record(by, published_as === null ? "unpublish" : "publish", server.id, detail);
    const published_at = published_as === null ? null : (server.published_at ?? this.deps.now());
    if (!(await this.deps.tools.update(server.id, { published_at, published_as }, record))) throw gone();
    const after = await this.deps.tools.byId(server.id);
    if (!after) throw gone();
    return this.shown(after);
  }

  /** With its pins, assignments and credentials. Throws `not_found`. */
  async remove(by: Actor, server: ToolServer): Promise<void> {
    const detail = { slug: server.slug, owner_id: server.owner_id };
    if (!(await this.deps.tools.remove(server.id, this.record(by, "remove", server.id, detail)))) throw gone();
  }

  /** Sets what an agent of the server's owner may use of it. Throws `not_found`, `invalid_value`. */
  async assign(by: Actor, server: ToolServer, agentId: string, wanted: WantedAssignment): Promise<ToolAssignment> {
    const agent = await this.agentBeside(server, agentId);
    const chosen = toAssign(server, await this.deps.tools.pins(server.id), wanted);
    const assignment: ToolAssignment = { agent_id: agent.id, server_id: server.id, ...chosen };
    const record = this.record(by, "assign", server.id, { slug: server.slug, agent_id: agent.id, ...chosen });
    await this.deps.tools.assign(assignment, record);
    return assignment;
  }

  /** Throws `not_found`, also when nothing was assigned. */
  async unassign(by: Actor, server: ToolServer, agentId: string): Promise<void> {
    const agent = await this.agentBeside(server, agentId);
    const record = this.record(by, "unassign", server.id, { slug: server.slug, agent_id: agent.id });
    if (await this.deps.tools.unassign(agent.id, server.id, record)) return;
    throw new GuardError("not_found", `No tool of ${server.slug} is assigned to this agent`, { param: "agent" });
  }

  /**
   * Looks at the server, then approves what is named, or all that waits. Exactly what was looked at is approved: a
   * definition that changes in between is not. Throws `not_found`, `stale_base`, `invalid_value`.
   */
  async approve(
    by: Actor,
    server: ToolServer,
    wanted: readonly WantedTools[] | null,
  ): Promise<{ readonly report: ToolServerReport; readonly approved: readonly ApprovedTool[] }> {
    const discovered = await this.discover(server);
    const chosen = toApprove(server, discovered.tools, wanted);
    const exact = chosen.map(({ kind, tool, seen_hash }) => ({ kind, tool, hash: seen_hash }));
    const record = this.record(by, "approve", server.id, { slug: server.slug, tools: exact });
    const names = exact.length === 0 ? [] : await this.deps.tools.pin(server.id, exact, record);
    if (wanted !== null && names.length < exact.length) throw stale();
    const done = chosen.filter(({ name }) => names.includes(name));
    return {
      report: await this.report(server, { ...discovered, tools: await this.deps.tools.pins(server.id) }),
      approved: done.map(({ name, tool, pinned, seen }) => ({
        name,
        tool,
        before: definitionOf(pinned),
        after: definitionOf(seen),
      })),
    };
  }

  /** By what is stored; nobody is asked. */
  private async stored(servers: readonly ToolServer[]): Promise<ToolServerResponse[]> {
    const emails = await this.emailsOf(servers);
    return Promise.all(
      servers.map(async (server) => {
        const pins = await this.deps.tools.pins(server.id);
        return this.response(server, pins, storedStatus(server, pins), emails);
      }),
    );
  }

  private async report(server: ToolServer, discovered: DiscoveryResult): Promise<ToolServerReport> {
    const emails = await this.emailsOf([server]);
    const response = this.response(server, discovered.tools, foundStatus(server, discovered), emails);
    return discovered.ok
      ? {
          ...response,
          ok: true,
          problem: null,
          ms: discovered.ms,
          protocol: discovered.protocol,
          left_out: discovered.withoutTasks.map((tool) => ({ tool, reason: NO_TASKS })),
        }
      : { ...response, ok: false, problem: discovered.problem, ms: null, protocol: null, left_out: [] };
  }

  private emailsOf(servers: readonly ToolServer[]): Promise<Names["user"]> {
    return emailsFor(
      this.deps.users,
      servers.map(({ owner_id }) => owner_id),
    );
  }

  private response(
    server: ToolServer,
    pins: readonly ToolPin[],
    status: ServerStatus,
    emails: Names["user"],
  ): ToolServerResponse {
    const facts = { pins, status, owner: emails(server.owner_id), credentials: this.credentialsOf(server) };
    return toolServerResponse(server, facts);
  }

  private credentialsOf({
    id,
    credential_kind: kind,
    sealed_credentials,
  }: ToolServer): ToolServerResponse["credentials"] {
    const field = NAMED[kind];
    if (field === undefined || sealed_credentials === null) return { kind };
    try {
      const opened = parseJson(this.deps.unseal(credentialsPurpose(id), sealed_credentials));
      const named = isRecord(opened) ? opened[field] : undefined;
      return { kind, [field]: isRecord(named) ? Object.keys(named) : [] };
    } catch (error) {
      // Lists work without the master key; using the credentials fails with an error.
      if (error instanceof UnsealFailed) return { kind };
      throw error;
    }
  }

  private discover(server: ToolServer): Promise<DiscoveryResult> {
    const key = `${server.id} ${server.credential_version}`;
    const looking =
      this.discoveries.get(key) ??
      this.deps.discover(server).finally(() => {
        this.discoveries.delete(key);
      });
    this.discoveries.set(key, looking);
    return looking;
  }

  private serverOf(by: Actor, owner: User, wanted: NewToolServer): ToolServer {
    const {
      slug,
      place,
      credentials,
      call_ms,
      list_ms,
      protocol = null,
      elicitation_hosts: hosts = [],
      proposal,
      given_by = "operator",
      active = true,
    } = wanted;
    const isOperator = by.via === "cli" || by.via === "apply";
    if (place.transport === "stdio" && !isOperator) {
      throw new GuardError("parameter_not_allowed", "Only operators add tool servers that are programs.", {
        param: "transport",
      });
    }
    mustFit(place.transport, credentials);
    mustSpeak(place.transport, protocol);
    const id = this.deps.ids();
    const { credential_kind, sealed_credentials } = this.sealed(id, credentials);
    return {
      id,
      owner_id: owner.id,
      slug: goodSlug(slug),
      transport: place.transport,
      url: place.transport === "stdio" ? null : goodUrl(place.url),
      command: place.transport === "stdio" ? goodCommand(place.command) : null,
      // An address that a registry gave is a stranger's, an administrator's approval or not.
      given_by: isOperator && (proposal === undefined || place.transport === "stdio") ? given_by : "user",
      active,
      credential_kind,
      sealed_credentials,
      credential_version: 1,
      call_ms: goodWait("call_ms", call_ms),
      list_ms: goodWait("list_ms", list_ms),
      published_at: null,
      published_as: null,
      protocol,
      elicitation_hosts: goodHosts(hosts),
      created_at: this.deps.now(),
    };
  }

  private sealed(
    serverId: string,
    credentials: ToolCredentials | null,
  ): Pick<ToolServer, "credential_kind" | "sealed_credentials"> {
    if (credentials === null) return { credential_kind: "none", sealed_credentials: null };
    const secret = JSON.stringify(goodCredentials(credentials));
    return {
      credential_kind: credentials.kind,
      sealed_credentials: this.deps.seal(credentialsPurpose(serverId), secret),
    };
  }

  /** Of the server's owner; somebody else's answers as one that does not exist. Throws `not_found`. */
  private async agentBeside(server: ToolServer, agentId: string): Promise<Agent> {
    const agent = isUuid(agentId) ? await this.deps.agents.byId(agentId.toLowerCase()) : null;
    if (agent?.owner_id === server.owner_id) return agent;
    throw new GuardError("not_found", "There is no such agent.", { param: "agent_id" });
  }

  private record(by: Actor, what: string, id: string, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind: `tool_server.${what}`, by, subject: "tool_server", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

/** Credentials of which the names are shown. */
const NAMED: Readonly<Partial<Record<CredentialKind, "headers" | "variables">>> = {
  headers: "headers",
  environment: "variables",
};

/** A stored definition; null when there is none. */
const definitionOf = (json: string | null): JsonRecord | null => {
  const definition = json === null ? null : parseExact(json);
  return isRecord(definition) ? definition : null;
};

const gone = (): GuardError => new GuardError("not_found", "There is no such tool server any more.");

/** A program is given variables, a server at a URL anything else. */
const mustFit = (transport: ToolServer["transport"], credentials: ToolCredentials | null): void => {
  if (credentials === null || (transport === "stdio") === (credentials.kind === "environment")) return;
  throw invalid(
    "credentials",
    transport === "stdio"
      ? "of this kind are for servers at a URL: a program takes variables"
      : "of this kind are for programs: a server at a URL takes headers or a sign-in",
  );
};

/** The transport with two addresses is of the first revision; newer ones of its era are agreed on over it all the same. */
const mustSpeak = (transport: ToolServer["transport"], protocol: ToolServer["protocol"]): void => {
  if (transport !== "sse" || !MODERN_VERSIONS.some((version) => version === protocol)) return;
  throw invalid("protocol", `${protocol} is not spoken over sse: choose streamable-http`);
};

/** What a record tells of credentials. */
const credentialFacts = (credentials: ToolCredentials | null) => ({
  credential_kind: credentials?.kind ?? "none",
  ...(credentials?.kind === "headers" && { header_names: Object.keys(credentials.headers) }),
  ...(credentials?.kind === "environment" && { variable_names: Object.keys(credentials.variables) }),
});
