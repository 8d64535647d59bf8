import { Elysia } from "elysia";
import { Type } from "#core/schema";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { Id, oneOf, PAGE_QUERY, pageSchema } from "#http/openapi/shapes";
import { readPage } from "#http/page";
import type { signedInPerson } from "#http/person";
import { IssuedTokenView, RotatedTokenView, TokenView } from "./presenter";
import { NewTokenBody, TokenRotation } from "./schema";
import type { TokenMove } from "./service";
import type { TokenDesk, TokenQuery } from "./token-desk";

type Deps = {
  readonly desk: TokenDesk;
  readonly door: ReturnType<typeof signedInPerson>;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
};

const BODY_BYTES = 16_384;

/** What is done at the addresses of tokens, without the addresses. */
class TokenDoors {
  private readonly checks = { created: new ShapeCheck(NewTokenBody), rotation: new ShapeCheck(TokenRotation) };

  constructor(private readonly deps: Deps) {}

  async list(person: Person, query: TokenQuery): Promise<Response> {
    return Response.json(await readPage(query, (window) => this.deps.desk.page(person, query, window)));
  }

  async get(person: Person, id: string): Promise<Response> {
    return Response.json(await this.deps.desk.get(person, id));
  }

  async create(person: Person, request: Request): Promise<Response> {
    const wanted = this.checks.created.check(await this.read(request));
    return this.changing(() => this.deps.desk.create(person, wanted), 201);
  }

  async rotate(person: Person, id: string, request: Request): Promise<Response> {
    const { grace_hours } = this.checks.rotation.check(await this.read(request));
    return this.changing(() => this.deps.desk.rotate(person, id, grace_hours), 201);
  }

  move(person: Person, id: string, move: TokenMove): Promise<Response> {
    return this.changing(() => this.deps.desk.move(person, id, move), 200);
  }

  private async changing(work: () => Promise<unknown>, status: number): Promise<Response> {
    this.deps.admit();
    const answer = await work();
    await this.deps.onChanged();
    return Response.json(answer, { status });
  }

  private async read(request: Request): Promise<unknown> {
    return request.body === null ? {} : (await bodyOf(request, BODY_BYTES))();
  }
}

const MOVED = { answers: { 200: TokenView }, errors: ["not_found", "state_conflict"] } as const;

const TOKEN_QUERY = {
  ...PAGE_QUERY,
  all: Type.Boolean({ description: "Everybody's: for administrators and auditors." }),
  agent_id: Id,
  state: oneOf(["active", "disabled", "expired", "revoked", "rotated"]),
} as const;

/** Gateway tokens, for the people they belong to and for administrators. */
export const tokenRoutes = (deps: Deps) => {
  const doors = new TokenDoors(deps);
  const about = (summary: string, it: About) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: detailOf("Tokens", summary, it),
  });
  /** What hands out a new credential, or lets an old one in again. */
  const issuing = (summary: string, it: About) => ({ ...about(summary, it), role: { fresh: true } as const });
  return new Elysia({ name: "tokens", prefix: "/api/tokens" })
    .use(deps.door)
    .get(
      "",
      ({ person, query }) => doors.list(person, query),
      about("List gateway tokens", {
        query: TOKEN_QUERY,
        answers: { 200: pageSchema(TokenView) },
        errors: ["invalid_value", "insufficient_scope"],
      }),
    )
    .post(
      "",
      ({ person, request }) => doors.create(person, request),
      issuing("Make a token, shown once", {
        body: NewTokenBody,
        answers: { 201: IssuedTokenView },
        errors: ["not_found", "state_conflict", "insufficient_scope", "invalid_value"],
      }),
    )
    .get(
      "/:id",
      ({ person, params }) => doors.get(person, params.id),
      about("One token", { answers: { 200: TokenView }, errors: ["not_found"] }),
    )
    .post(
      "/:id/rotate",
      ({ person, params, request }) => doors.rotate(person, params.id, request),
      issuing("A new token in place of this one", {
        body: { schema: TokenRotation, isOptional: true },
        answers: { 201: RotatedTokenView },
        errors: ["not_found", "state_conflict", "invalid_value"],
      }),
    )
    .post("/:id/disable", ({ person, params }) => doors.move(person, params.id, "disable"), about("Disable it", MOVED))
    .post(
      "/:id/enable",
      ({ person, params }) => doors.move(person, params.id, "enable"),
      issuing("Enable it again", { ...MOVED, errors: [...MOVED.errors, "insufficient_scope"] }),
    )
    .post(
      "/:id/revoke",
      ({ person, params }) => doors.move(person, params.id, "revoke"),
      about("Revoke it for good", MOVED),
    );
};
