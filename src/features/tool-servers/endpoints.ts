import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { CookieSessionAuth } from "#http/auth/cookie";
import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { type OpenRouterNeeds, openEndpoint, openRouter } from "#http/open-endpoint";
import { PAGE_QUERY, searchIn } from "#http/openapi/schemas";
import { pageOf, readPage } from "#http/page";
import type { Agent } from "#model/agent";
import { personActor } from "#model/change";
import { maySee, noAgent, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import type { Person } from "#model/session";
import type { ToolServer } from "#model/tools/tool";
import { isUuid } from "#platform/ids";
import type { UserStore } from "#store/port";
import {
  AgentToolsPage,
  Approval,
  ApprovedToolServer,
  AssignedToolServer,
  Assignment,
  AssignmentResponse,
  credentialsFrom,
  NewToolServer,
  Publication,
  ReadToolServer,
  RemovedAssignment,
  RemovedToolServer,
  refuseProgram,
  ToolServerChange,
  ToolServerPage,
  ToolServerReport,
  type ToolServerResponse,
  ToolServerSignIn,
} from "./schema";
import type { ToolServerService } from "./service";
import { callbackPage, type ToolSignInService } from "./sign-in";

type ToolServerNeeds = {
  readonly service: ToolServerService;
  readonly signIns: ToolSignInService;
  readonly people: Pick<UserStore, "byEmail" | "byId">;
};

const none = (): GuardError => new GuardError("not_found", "There is no such tool server.", { param: "id" });

const notYours = (param: string): GuardError =>
  new GuardError("insufficient_scope", `Objects of other users require one of the roles ${READING_ROLES.join(", ")}.`, {
    param,
  });

/**
 * Keys are written into addresses, behind the host anywhere, and into commands: who neither connected a server nor runs
 * the hub reads which host or which program it is, and no more.
 */
const shownTo = <Shown extends Pick<ToolServerResponse, "owner" | "url" | "command">>(
  user: User,
  shown: Shown,
): Shown =>
  user.role === "admin" || shown.owner === user.email
    ? shown
    : {
        ...shown,
        url: shown.url === null ? null : new URL(shown.url).origin,
        command: shown.command?.slice(0, 1) ?? null,
      };

/** Connecting tool servers, for signed-in people. Programs are the operator's to add, on the command line. */
const toolServerEndpoints = ({ service, signIns, people }: ToolServerNeeds) => {
  /** Anybody else's answers as one that does not exist. */
  const own = async ({ user }: Person, id: string): Promise<ToolServer> => {
    const server = await service.byId(id);
    if (server?.owner_id === user.id) return server;
    throw none();
  };
  const any = async (id: string): Promise<ToolServer> => {
    const server = await service.byId(id);
    if (server) return server;
    throw none();
  };
  /** By e-mail address or id. Who reads everything sees what anybody has; it does not have to exist. */
  const ownerNamed = async (user: User, name: string): Promise<User | null> => {
    const isNamed = ({ id, email }: User) => id === name || email.toLowerCase() === name.toLowerCase();
    if (isNamed(user)) return user;
    if (!READING_ROLES.includes(user.role)) throw notYours("owner");
    return isUuid(name) ? people.byId(name) : people.byEmail(name);
  };
  return [
    endpoint("GET /api/tool-servers", {
      summary: "List tool servers",
      query: {
        all: Type.Boolean({ description: "Of all users; for administrators, reviewers, analysts and auditors." }),
        owner: Type.String({ description: "E-mail address or id; for the same roles." }),
        q: searchIn("the slug"),
        ...PAGE_QUERY,
      },
      answers: { 200: ToolServerPage },
      handler: async ({ person: { user }, query: { all = false, owner: name, q, ...page } }) => {
        if (all && !READING_ROLES.includes(user.role)) throw notYours("all");
        const owner = all || name === undefined ? user : await ownerNamed(user, name);
        return readPage(page, async (window) => {
          const servers = owner ? await service.page(all ? null : owner.id, window, q) : [];
          return servers.map((server) => shownTo(user, server));
        });
      },
    }),
    endpoint("POST /api/tool-servers", {
      summary: "Connect a tool server",
      body: {
        schema: NewToolServer,
        example: { slug: "files", url: "https://example.com/mcp" },
        refuse: refuseProgram,
      },
      answers: { 201: ToolServerReport },
      errors: ["already_exists", "parameter_not_allowed"],
      handler: ({
        person,
        body: { slug, url, transport, credentials, call_ms, list_ms, protocol, elicitation_hosts },
      }) =>
        service.add(personActor(person), person.user, {
          slug,
          place: { transport: transport ?? "streamable-http", url },
          credentials: credentials === undefined ? null : credentialsFrom(credentials),
          call_ms: call_ms ?? null,
          list_ms: list_ms ?? null,
          protocol,
          elicitation_hosts,
        }),
    }),
    // With every tool's definitions: who approves reads them here.
    endpoint("GET /api/tool-servers/:id", {
      summary: "Get a tool server",
      answers: { 200: ReadToolServer },
      handler: async ({ person: { user }, params }) => {
        const server = await service.byId(params.id);
        if (!server || !maySee(user, server)) throw none();
        const definitions = await service.definitions(server);
        return { ...shownTo(user, await service.shown(server)), definitions };
      },
    }),
    endpoint("PATCH /api/tool-servers/:id", {
      summary: "Update a tool server",
      body: { schema: ToolServerChange, example: { active: false }, refuse: refuseProgram },
      answers: { 200: AssignedToolServer },
      errors: ["parameter_not_allowed"],
      handler: async ({ person, params, body: { credentials, ...rest } }) => {
        const server = await own(person, params.id);
        const given = credentials === undefined ? {} : { credentials: credentialsFrom(credentials) };
        return service.update(personActor(person), server, { ...rest, ...given });
      },
    }),
    endpoint("DELETE /api/tool-servers/:id", {
      summary: "Remove a tool server",
      answers: { 200: RemovedToolServer },
      handler: async ({ person, params }) => {
        const server = await own(person, params.id);
        await service.remove(personActor(person), server);
        return { id: server.id, deleted: true as const };
      },
    }),
    endpoint("POST /api/tool-servers/:id/test", {
      summary: "Test a tool server by listing its tools",
      answers: { 200: ToolServerReport },
      handler: async ({ person, params }) => service.test(await own(person, params.id)),
    }),
    endpoint("POST /api/tool-servers/:id/approve", {
      summary: "Approve tool definitions",
      body: {
        schema: Approval,
        example: { tools: [{ tool: "read_file", hash: "9f86d081884c7d65" }] },
        refuse: refuseProgram,
      },
      answers: { 200: ApprovedToolServer },
      errors: ["stale_base", "parameter_not_allowed"],
      handler: async ({ person, params, body: { tools } }) => {
        const server = await own(person, params.id);
        const { report, approved } = await service.approve(personActor(person), server, tools);
        return { ...report, approved: approved.map(({ name, tool }) => ({ name, tool })) };
      },
    }),
    endpoint("PUT /api/tool-servers/:id/publication", {
      summary: "Publish a tool server in the registry",
      description: "The registry lists it for IDEs while tool_gateway.registry is on. Nobody is given access by that.",
      auth: { roles: ["admin"] },
      body: { schema: Publication, example: { description: "Reads shared documents" }, refuse: refuseProgram },
      answers: { 200: AssignedToolServer },
      errors: ["already_exists", "parameter_not_allowed"],
      handler: async ({ person, params, body: { description } }) =>
        service.publish(personActor(person), await any(params.id), description),
    }),
    endpoint("DELETE /api/tool-servers/:id/publication", {
      summary: "Take a tool server out of the registry",
      auth: { roles: ["admin"] },
      answers: { 200: AssignedToolServer },
      handler: async ({ person, params }) => service.publish(personActor(person), await any(params.id), null),
    }),
    endpoint("PUT /api/tool-servers/:id/assignments/:agent_id", {
      summary: "Assign tools, resources and prompts to an agent",
      body: { schema: Assignment, example: { tools: ["read_file"] }, refuse: refuseProgram },
      answers: { 200: AssignmentResponse },
      errors: ["parameter_not_allowed"],
      handler: async ({ person, params, body }) =>
        service.assign(personActor(person), await own(person, params.id), params.agent_id, body),
    }),
    endpoint("DELETE /api/tool-servers/:id/assignments/:agent_id", {
      summary: "Unassign a tool server from an agent",
      answers: { 200: RemovedAssignment },
      handler: async ({ person, params: { id, agent_id } }) => {
        const server = await own(person, id);
        await service.unassign(personActor(person), server, agent_id);
        return { server_id: server.id, agent_id, deleted: true as const };
      },
    }),
    endpoint("POST /api/tool-servers/:id/authorize", {
      summary: "Start the OAuth sign-in at a tool server",
      answers: { 200: ToolServerSignIn },
      errors: ["upstream_error", "invalid_value"],
      handler: async ({ person, params }) => {
        const server = await own(person, params.id);
        return { url: await signIns.begin(server, person.user.id, "own_browser") };
      },
    }),
  ] as const;
};

type AgentToolNeeds = {
  readonly service: Pick<ToolServerService, "ofAgent">;
  readonly agents: { byId(id: string): Promise<Agent | null> };
};

/** The tools an agent is assigned, for users who may see the agent. */
const agentToolEndpoints = ({ service, agents }: AgentToolNeeds) =>
  [
    endpoint("GET /api/agents/:id/tools", {
      summary: "List tools assigned to an agent",
      query: PAGE_QUERY,
      answers: { 200: AgentToolsPage },
      handler: async ({ person, params, query }) => {
        const agent = await agents.byId(params.id.toLowerCase());
        if (!agent || !maySee(person.user, agent)) throw noAgent();
        return pageOf(await service.ofAgent(agent.id), query);
      },
    }),
  ] as const;

const NOT_YOURS = `The user who started this sign-in is not signed in to the hub in this browser, at this address.
If you started it, sign in to the hub in this browser and start again. If another person sent you the link, do not continue: they wanted to act as you.`;

const PAGE = { media: "text/html; charset=utf-8", example: "<!doctype html>" };

type CallbackNeeds = Pick<ToolServerNeeds, "signIns"> & {
  readonly cookieAuth: Pick<CookieSessionAuth, "person">;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
};

/** The end of a sign-in, in the browser that has the state. Always answers with a page. */
const callbackEndpoint = ({ signIns, cookieAuth, onChanged }: CallbackNeeds) =>
  openEndpoint("GET /api/tool-servers/oauth/callback", {
    summary: "OAuth callback of a tool server",
    open: "browsers come back here from a tool server's sign-in; the single-use state says for whom",
    isRecorded: true,
    query: { state: Type.String(), code: Type.String(), error: Type.String(), iss: Type.String() },
    answers: {
      200: { ...PAGE, description: "Page: the hub is signed in." },
      400: { ...PAGE, description: "Error page: no pending sign-in." },
      403: { ...PAGE, description: "Error page: another user started the sign-in." },
      502: { ...PAGE, description: "Error page: the tool server does not answer." },
      503: { ...PAGE, description: "Error page: audit records cannot be written." },
    },
    handler: async ({ request, query: { state = "", code = null, error = null, iss: issuer = null } }) => {
      const visitor = (await cookieAuth.person(request))?.user.id ?? null;
      const done = await signIns.finish({ state, code, error, issuer }, visitor);
      if (done.kind === "not_begun")
        return callbackPage(400, "Sign-in expired", "This sign-in has ended or took too long. Start again.");
      if (done.kind === "another_person") return callbackPage(403, "Not signed in", NOT_YOURS);
      await onChanged();
      if (done.ok) return callbackPage(200, "Signed in", `The hub may use ${done.slug} now. You can close this page.`);
      return callbackPage(502, "Signed in, with a problem", `${done.slug} does not answer yet: ${done.problem}`);
    },
    refused: ({ status, message }) => callbackPage(status, "Not signed in", message),
  });

export type ToolServerClient = ClientTypes<
  ReturnType<typeof toolServerEndpoints>[number] | ReturnType<typeof agentToolEndpoints>[number]
>;

export const toolServerRoutes = (needs: ToolServerNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Tool servers" }, toolServerEndpoints(needs));

export const toolServerCallbackRoutes = (needs: CallbackNeeds & Omit<OpenRouterNeeds, "tag">) =>
  openRouter({ ...needs, tag: "Tool servers" }, [callbackEndpoint(needs)]);

export const agentToolRoutes = (needs: AgentToolNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Agents" }, agentToolEndpoints(needs));
