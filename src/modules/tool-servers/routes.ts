import { Elysia } from "elysia";
import { personActor } from "#core/change";
import { GuardError } from "#core/errors";
import { maySee, READING_ROLES } from "#core/ownership";
import type { User } from "#core/person";
import { Type } from "#core/schema";
import type { Person } from "#core/session";
import type { ToolServer } from "#core/tool";
import { bodyOf } from "#http/body";
import type { BrowserDoor } from "#http/browser";
import { type About, detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import { readPage } from "#http/page";
import type { signedInPerson } from "#http/person";
import { isOn } from "#http/query-check";
import { isUuid } from "#platform/ids";
import type { UserStore } from "#store/port";
import { callbackPage } from "./callback-page";
import {
  Approval,
  Assignment,
  BodyCheck,
  credentialsFrom,
  NewToolServer,
  type ShownToolServer,
  ToolServerChange,
} from "./schema";
import type { ToolServerService } from "./service";
import {
  ApprovedToolServer,
  AssignedToolServer,
  ReadToolServer,
  RemovedAssignment,
  RemovedToolServer,
  ShownAssignment,
  SignInPlace,
  ToolServerPage,
  ToolServerReport,
} from "./shown";
import type { SignInService } from "./sign-in";

type Deps = {
  readonly service: ToolServerService;
  readonly signIns: SignInService;
  readonly people: Pick<UserStore, "byEmail" | "byId">;
  readonly browsers: Pick<BrowserDoor, "person">;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
};

/** What `/api/tool-servers` does, without its addresses. */
class ToolServerDoors {
  private readonly checks = {
    create: new BodyCheck(NewToolServer),
    change: new BodyCheck(ToolServerChange),
    approval: new BodyCheck(Approval),
    assignment: new BodyCheck(Assignment),
  };

  constructor(private readonly deps: Deps) {}

  async list({ user }: Person, query: Readonly<Record<string, string | undefined>>): Promise<Response> {
    const isAll = isOn(query["all"]);
    if (isAll && !READING_ROLES.includes(user.role)) throw notYours("all");
    const owner = isAll || query["owner"] === undefined ? user : await this.ownerNamed(user, query["owner"]);
    const page = await readPage(query, async (window) => {
      const servers = owner ? await this.deps.service.page(isAll ? null : owner.id, window) : [];
      return servers.map((server) => shownTo(user, server));
    });
    return Response.json(page);
  }

  create(person: Person, request: Request): Promise<Response> {
    return this.changing(async () => {
      const { slug, url, transport, credentials, call_ms, list_ms } = this.checks.create.check(
        await this.read(request),
      );
      const report = await this.deps.service.add(personActor(person), person.user, {
        slug,
        place: { transport: transport ?? "streamable-http", url },
        credentials: credentials === undefined ? null : credentialsFrom(credentials),
        call_ms: call_ms ?? null,
        list_ms: list_ms ?? null,
      });
      return Response.json(report, { status: 201 });
    });
  }

  /** With every tool's definitions: who approves reads them here. */
  async get({ user }: Person, id: string): Promise<Response> {
    const { service } = this.deps;
    const server = await service.byId(id);
    if (!server || !maySee(user, server)) throw none();
    const definitions = await service.definitions(server);
    return Response.json({ ...shownTo(user, await service.shown(server)), definitions });
  }

  change(person: Person, id: string, request: Request): Promise<Response> {
    return this.changing(async () => {
      const server = await this.own(person, id);
      const { credentials, ...rest } = this.checks.change.check(await this.read(request));
      const given = credentials === undefined ? {} : { credentials: credentialsFrom(credentials) };
      return Response.json(await this.deps.service.update(personActor(person), server, { ...rest, ...given }));
    });
  }

  remove(person: Person, id: string): Promise<Response> {
    return this.changing(async () => {
      const server = await this.own(person, id);
      await this.deps.service.remove(personActor(person), server);
      return Response.json({ id: server.id, deleted: true });
    });
  }

  test(person: Person, id: string): Promise<Response> {
    return this.changing(async () => Response.json(await this.deps.service.test(await this.own(person, id))));
  }

  approve(person: Person, id: string, request: Request): Promise<Response> {
    return this.changing(async () => {
      const server = await this.own(person, id);
      const { tools } = this.checks.approval.check(await this.read(request));
      const { report, approved } = await this.deps.service.approve(personActor(person), server, tools);
      return Response.json({ ...report, approved: approved.map(({ name, tool }) => ({ name, tool })) });
    });
  }

  assign(person: Person, id: string, agentId: string, request: Request): Promise<Response> {
    return this.changing(async () => {
      const server = await this.own(person, id);
      const { tools } = this.checks.assignment.check(await this.read(request));
      return Response.json(await this.deps.service.assign(personActor(person), server, agentId, tools ?? null));
    });
  }

  unassign(person: Person, id: string, agentId: string): Promise<Response> {
    return this.changing(async () => {
      const server = await this.own(person, id);
      await this.deps.service.unassign(personActor(person), server, agentId);
      return Response.json({ server_id: server.id, agent_id: agentId, deleted: true });
    });
  }

  async authorize(person: Person, id: string): Promise<Response> {
    this.deps.admit();
    const server = await this.own(person, id);
    return Response.json({ url: await this.deps.signIns.begin(server, person.user.id, "own_browser") });
  }

  /** The end of a sign-in, in the browser of whoever has the state. A page, whatever happens. */
  async callback(request: Request, query: Readonly<Record<string, string | undefined>>): Promise<Response> {
    const { state = "", code = null, error = null, iss: issuer = null } = query;
    try {
      this.deps.admit();
      const visitor = (await this.deps.browsers.person(request))?.user.id ?? null;
      const done = await this.deps.signIns.finish({ state, code, error, issuer }, visitor);
      if (done.kind === "not_begun")
        return callbackPage(400, "Nobody waits for this", "The sign-in is over, or took too long. Begin anew.");
      if (done.kind === "another_person") return callbackPage(403, "Not signed in", NOT_YOURS);
      await this.deps.onChanged();
      if (done.ok) return callbackPage(200, "Signed in", `The hub may use ${done.slug} now. You can close this page.`);
      return callbackPage(502, "Signed in, but", `${done.slug} does not answer yet: ${done.problem}`);
    } catch (failure) {
      if (!(failure instanceof GuardError)) throw failure;
      return callbackPage(failure.status, "Not signed in", failure.message);
    }
  }

  private async changing(work: () => Promise<Response>): Promise<Response> {
    this.deps.admit();
    const answer = await work();
    await this.deps.onChanged();
    return answer;
  }

  /** Anybody else's answers as one that does not exist. */
  private async own({ user }: Person, id: string): Promise<ToolServer> {
    const server = await this.deps.service.byId(id);
    if (server?.owner_id === user.id) return server;
    throw none();
  }

  /** By e-mail address or id. Who reads everything sees what anybody has; it does not have to exist. */
  private async ownerNamed(user: User, name: string): Promise<User | null> {
    const isNamed = ({ id, email }: User) => id === name || email.toLowerCase() === name.toLowerCase();
    if (isNamed(user)) return user;
    if (!READING_ROLES.includes(user.role)) throw notYours("owner");
    const { people } = this.deps;
    return isUuid(name) ? people.byId(name) : people.byEmail(name);
  }

  private async read(request: Request): Promise<unknown> {
    return (await bodyOf(request, this.deps.bodyBytes))();
  }
}

const none = (): GuardError => new GuardError("not_found", "There is no such tool server.", { param: "id" });

const notYours = (param: string): GuardError =>
  new GuardError("insufficient_scope", `What others have is for the roles ${READING_ROLES.join(", ")}.`, { param });

/**
 * Keys are written into addresses, behind the host anywhere, and into commands: who neither connected a server nor runs
 * the hub reads which host or which program it is, and no more.
 */
const shownTo = <Shown extends Pick<ShownToolServer, "owner" | "url" | "command">>(user: User, shown: Shown): Shown =>
  user.role === "admin" || shown.owner === user.email
    ? shown
    : {
        ...shown,
        url: shown.url === null ? null : new URL(shown.url).origin,
        command: shown.command?.slice(0, 1) ?? null,
      };

const NOT_YOURS = `Whoever began this is not signed in to the hub in this browser, at this address of it.
If it was you, sign in to the hub here and begin anew. If somebody else gave you the link, they wanted to act as you.`;

const PAGE = { media: "text/html; charset=utf-8", example: "<!doctype html>" };
const CALLBACK: About["answers"] = {
  200: { ...PAGE, description: "A page: the hub is signed in." },
  400: { ...PAGE, description: "A page: nobody waits for this." },
  403: { ...PAGE, description: "A page: somebody else began it." },
  502: { ...PAGE, description: "A page: the server does not answer." },
  503: { ...PAGE, description: "A page: nothing can be recorded now." },
};

/** Connecting tool servers, for signed-in people. Programs are the operator's to add, on the command line. */
export const toolServerRoutes = (deps: Deps) => {
  const doors = new ToolServerDoors(deps);
  const about = (summary: string, told: About) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: detailOf("Tool servers", summary, told),
  });
  return new Elysia({ name: "tool-servers", prefix: "/api/tool-servers" })
    .use(deps.door)
    .get(
      "",
      ({ person, query }) => doors.list(person, query),
      about("List tool servers", {
        query: {
          all: Type.Boolean({ description: "Everybody's; for administrators, reviewers, analysts and auditors." }),
          owner: Type.String({ description: "E-mail address or id; for the same roles." }),
          ...PAGE_QUERY,
        },
        answers: { 200: ToolServerPage },
      }),
    )
    .post(
      "",
      ({ person, request }) => doors.create(person, request),
      about("Connect a tool server", {
        body: { schema: NewToolServer, example: { slug: "files", url: "https://example.com/mcp" } },
        answers: { 201: ToolServerReport },
        errors: ["already_exists", "parameter_not_allowed"],
      }),
    )
    .get("/oauth/callback", ({ request, query }) => doors.callback(request, query), {
      open: "browsers come back here from a tool server's sign-in; the single-use state says for whom",
      detail: detailOf("Tool servers", "End of a sign-in at a tool server", {
        query: { state: Type.String(), code: Type.String(), error: Type.String(), iss: Type.String() },
        answers: CALLBACK,
      }),
    })
    .get(
      "/:id",
      ({ person, params }) => doors.get(person, params.id),
      about("One tool server", { answers: { 200: ReadToolServer } }),
    )
    .patch(
      "/:id",
      ({ person, params, request }) => doors.change(person, params.id, request),
      about("Change it", {
        body: { schema: ToolServerChange, example: { active: false } },
        answers: { 200: AssignedToolServer },
        errors: ["parameter_not_allowed"],
      }),
    )
    .delete(
      "/:id",
      ({ person, params }) => doors.remove(person, params.id),
      about("Remove it", { answers: { 200: RemovedToolServer } }),
    )
    .post(
      "/:id/test",
      ({ person, params }) => doors.test(person, params.id),
      about("Look at it now", { answers: { 200: ToolServerReport } }),
    )
    .post(
      "/:id/approve",
      ({ person, params, request }) => doors.approve(person, params.id, request),
      about("Approve tools as they were read", {
        body: { schema: Approval, example: { tools: [{ tool: "read_file", hash: "9f86d081884c7d65" }] } },
        answers: { 200: ApprovedToolServer },
        errors: ["stale_base", "parameter_not_allowed"],
      }),
    )
    .put(
      "/:id/assignments/:agent_id",
      ({ person, params, request }) => doors.assign(person, params.id, params.agent_id, request),
      about("Say what an agent may use of it", {
        body: { schema: Assignment, example: { tools: ["read_file"] } },
        answers: { 200: ShownAssignment },
        errors: ["parameter_not_allowed"],
      }),
    )
    .delete(
      "/:id/assignments/:agent_id",
      ({ person, params }) => doors.unassign(person, params.id, params.agent_id),
      about("Take it from an agent", { answers: { 200: RemovedAssignment } }),
    )
    .post(
      "/:id/authorize",
      ({ person, params }) => doors.authorize(person, params.id),
      about("Begin a sign-in at it", { answers: { 200: SignInPlace }, errors: ["upstream_error", "invalid_value"] }),
    );
};
