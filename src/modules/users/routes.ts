import { Elysia } from "elysia";
import { personActor } from "#core/change";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { pageOf } from "#http/page";
import type { signedInPerson } from "#http/person";
import type { OwnAccount } from "./own-account";
import { Confirmation, NewInvitation, PasswordChange, UserChange } from "./schema";
import type { UserService } from "./service";

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
    return Response.json(pageOf(await this.deps.users.list(), query));
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

export const userRoutes = (deps: Deps) => {
  const doors = new PeopleDoors(deps);
  const described = { parse: "none" as const };
  const about = (summary: string) => ({
    ...described,
    role: { roles: ["admin" as const], fresh: true as const },
    detail: { summary, tags: ["Users"] },
  });
  return new Elysia({ name: "users", prefix: "/api/users" })
    .use(deps.door)
    .get("/", ({ query }) => doors.list(query), {
      ...described,
      role: { roles: ["admin", "auditor"] },
      detail: { summary: "List users", tags: ["Users"] },
    })
    .post("/", ({ person, request }) => doors.invite(person, request), about("Invite somebody"))
    .patch("/:id", ({ person, params, request }) => doors.change(person, params.id, request), about("Change a user"))
    .post("/:id/invitation", ({ person, params }) => doors.inviteAgain(person, params.id), about("A new link"));
};

export const ownRoutes = (deps: Deps) => {
  const doors = new PeopleDoors(deps);
  const about = (summary: string) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: { summary, tags: ["Own account"] },
  });
  return new Elysia({ name: "me", prefix: "/api/me" })
    .use(deps.door)
    .get("/", ({ person }) => doors.me(person), about("Who is signed in"))
    .post("/confirm", ({ person, request }) => doors.confirm(person, request), about("Confirm the session"))
    .post("/password", ({ person, request }) => doors.changePassword(person, request), about("Change the password"))
    .get("/sessions", ({ person, query }) => doors.sessions(person, query), about("What one is signed in with"))
    .delete("/sessions/:id", ({ person, params }) => doors.endSession(person, params.id), about("End a session"));
};
