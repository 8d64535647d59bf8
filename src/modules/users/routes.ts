import { Elysia } from "elysia";
import { personActor } from "#core/change";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import { pageOf, readPage } from "#http/page";
import type { signedInPerson } from "#http/person";
import type { OwnAccount } from "./own-account";
import { Confirmation, NewInvitation, PasswordChange, UserChange } from "./schema";
import type { UserService } from "./service";
import { Invited, Me, SessionPage, ShownUser, UserPage } from "./shown";

type Deps = {
  readonly users: UserService;
  readonly account: OwnAccount;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly addressOf: (request: Request) => string | null;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
};

type Query = Readonly<Record<string, string | undefined>>;

const BODY_BYTES = 16_384;

/** What is done about people, without the addresses. */
class PeopleDoors {
  private readonly checks = {
    invitation: new ShapeCheck(NewInvitation),
    change: new ShapeCheck(UserChange),
    password: new ShapeCheck(PasswordChange),
    confirmation: new ShapeCheck(Confirmation),
  };

  constructor(private readonly deps: Deps) {}

  async list(query: Query): Promise<Response> {
    return Response.json(await readPage(query, (window) => this.deps.users.page(window)));
  }

  invite(person: Person, request: Request): Promise<Response> {
    return this.changing(async () => {
      const wanted = this.checks.invitation.check(await this.read(request));
      return Response.json(await this.deps.users.invite(personActor(person), wanted), { status: 201 });
    });
  }

  inviteAgain(person: Person, id: string): Promise<Response> {
    return this.changing(async () =>
      Response.json(await this.deps.users.inviteAgain(personActor(person), id), { status: 201 }),
    );
  }

  change(person: Person, id: string, request: Request): Promise<Response> {
    return this.changing(async () => {
      const wanted = this.checks.change.check(await this.read(request));
      return Response.json(await this.deps.users.change(personActor(person), id, wanted));
    });
  }

  me(person: Person): Response {
    return Response.json(this.deps.account.me(person));
  }

  async sessions(person: Person, query: Query): Promise<Response> {
    return Response.json(pageOf(await this.deps.account.sessions(person), query));
  }

  endSession(person: Person, id: string): Promise<Response> {
    return this.changing(async () => {
      await this.deps.account.endSession(person, id);
      return new Response(null, { status: 204 });
    });
  }

  async confirm(person: Person, request: Request): Promise<Response> {
    this.deps.admit();
    const wanted = this.checks.confirmation.check(await this.read(request));
    await this.deps.account.confirm(person, wanted, this.deps.addressOf(request));
    return new Response(null, { status: 204 });
  }

  changePassword(person: Person, request: Request): Promise<Response> {
    return this.changing(async () => {
      const wanted = this.checks.password.check(await this.read(request));
      await this.deps.account.changePassword(person, wanted, this.deps.addressOf(request));
      return new Response(null, { status: 204 });
    });
  }

  private async changing(work: () => Promise<Response>): Promise<Response> {
    this.deps.admit();
    const answer = await work();
    await this.deps.onChanged();
    return answer;
  }

  private async read(request: Request): Promise<unknown> {
    return (await bodyOf(request, BODY_BYTES))();
  }
}

const INVITED = { schema: Invited, description: "With a link, which is shown this once." };
const PASSWORDS = { current_password: "what it was before", new_password: "what it is from now on" };

export const userRoutes = (deps: Deps) => {
  const doors = new PeopleDoors(deps);
  const about = (summary: string, told: About) => ({
    parse: "none" as const,
    role: { roles: ["admin" as const], fresh: true as const },
    detail: detailOf("Users", summary, told),
  });
  return new Elysia({ name: "users", prefix: "/api/users" })
    .use(deps.door)
    .get("", ({ query }) => doors.list(query), {
      ...about("List users", { query: PAGE_QUERY, answers: { 200: UserPage } }),
      role: { roles: ["admin", "auditor"] as const },
    })
    .post(
      "",
      ({ person, request }) => doors.invite(person, request),
      about("Invite somebody", {
        body: { schema: NewInvitation, example: { email: "eve@example.com", name: "Eve", role: "member" } },
        answers: { 201: INVITED },
        errors: ["already_exists"],
      }),
    )
    .patch(
      "/:id",
      ({ person, params, request }) => doors.change(person, params.id, request),
      about("Change a user", {
        body: { schema: UserChange, example: { role: "reviewer" } },
        answers: { 200: ShownUser },
        errors: ["state_conflict"],
      }),
    )
    .post(
      "/:id/invitation",
      ({ person, params }) => doors.inviteAgain(person, params.id),
      about("A new link", {
        answers: { 201: INVITED },
        errors: ["state_conflict"],
      }),
    );
};

export const ownRoutes = (deps: Deps) => {
  const doors = new PeopleDoors(deps);
  const about = (summary: string, told: About) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: detailOf("Own account", summary, told),
  });
  return new Elysia({ name: "me", prefix: "/api/me" })
    .use(deps.door)
    .get("", ({ person }) => doors.me(person), about("Who is signed in", { answers: { 200: Me } }))
    .post(
      "/confirm",
      ({ person, request }) => doors.confirm(person, request),
      about("Confirm the session", {
        body: { schema: Confirmation, example: { password: "what it is" } },
        answers: { 204: {} },
        errors: ["rate_limit_exceeded", "password_sign_in_off"],
      }),
    )
    .post(
      "/password",
      ({ person, request }) => doors.changePassword(person, request),
      about("Change the password", {
        body: { schema: PasswordChange, example: PASSWORDS },
        answers: { 204: {} },
        errors: ["rate_limit_exceeded"],
      }),
    )
    .get(
      "/sessions",
      ({ person, query }) => doors.sessions(person, query),
      about("What one is signed in with", { query: PAGE_QUERY, answers: { 200: SessionPage } }),
    )
    .delete(
      "/sessions/:id",
      ({ person, params }) => doors.endSession(person, params.id),
      about("End a session", { answers: { 204: {} } }),
    );
};
