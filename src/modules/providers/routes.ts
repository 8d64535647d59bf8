import { Elysia } from "elysia";
import { personActor } from "#core/change";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { pageSchema } from "#http/openapi/shapes";
import type { signedInPerson } from "#http/person";
import { ProviderCheckView, ProviderView } from "./presenter";
import type { ProviderDesk } from "./provider-desk";
import { NewProviderBody, ProviderChange } from "./schema";

type Deps = {
  readonly desk: ProviderDesk;
  readonly door: ReturnType<typeof signedInPerson>;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
};

const BODY_BYTES = 65_536;

/** Keys are often written into a path or a query: only administrators, who wrote them, see more than the host. */
const seenBy = ({ user }: Person, provider: ProviderView): ProviderView =>
  user.role === "admin" || provider.base_url === null
    ? provider
    : { ...provider, base_url: new URL(provider.base_url).origin };

/** What is done at the addresses of providers, without the addresses. */
class ProviderDoors {
  private readonly checks = { added: new ShapeCheck(NewProviderBody), changed: new ShapeCheck(ProviderChange) };

  constructor(private readonly deps: Deps) {}

  /** Whole: there are few, and their order means something. */
  async list(person: Person): Promise<Response> {
    const data = (await this.deps.desk.list()).map((one) => seenBy(person, one));
    return Response.json({ object: "list", data, has_more: false, next_cursor: null });
  }

  async get(person: Person, id: string): Promise<Response> {
    return Response.json(seenBy(person, await this.deps.desk.get(id)));
  }

  async add(person: Person, request: Request): Promise<Response> {
    const wanted = this.checks.added.check(await this.read(request));
    return this.changing(() => this.deps.desk.add(personActor(person), wanted), 201);
  }

  async change(person: Person, id: string, request: Request): Promise<Response> {
    const patch = this.checks.changed.check(await this.read(request));
    return this.changing(() => this.deps.desk.change(personActor(person), id, patch));
  }

  remove(person: Person, id: string): Promise<Response> {
    return this.changing(() => this.deps.desk.remove(personActor(person), id));
  }

  async test(id: string): Promise<Response> {
    return Response.json(await this.deps.desk.test(id));
  }

  private async changing(work: () => Promise<unknown>, status = 200): Promise<Response> {
    this.deps.admit();
    const answer = await work();
    await this.deps.onChanged();
    return Response.json(answer, { status });
  }

  private async read(request: Request): Promise<unknown> {
    return (await bodyOf(request, BODY_BYTES))();
  }
}

/** Model providers: everybody may see them, administrators change them. */
export const providerRoutes = (deps: Deps) => {
  const doors = new ProviderDoors(deps);
  const open = (summary: string, it: About) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: detailOf("Providers", summary, it),
  });
  /** What says where people's texts go: not for a browser that was left open. */
  const guarded = (summary: string, it: About) => ({
    ...open(summary, it),
    role: { roles: ["admin"], fresh: true } as const,
  });
  const admin = (summary: string, it: About) => ({ ...open(summary, it), role: { roles: ["admin"] } as const });
  return new Elysia({ name: "providers", prefix: "/api/providers" })
    .use(deps.door)
    .get(
      "",
      ({ person }) => doors.list(person),
      open("List model providers", { answers: { 200: pageSchema(ProviderView) } }),
    )
    .post(
      "",
      ({ person, request }) => doors.add(person, request),
      guarded("Add a provider", {
        body: NewProviderBody,
        answers: { 201: ProviderView },
        errors: ["already_exists", "state_conflict", "invalid_value"],
      }),
    )
    .get(
      "/:id",
      ({ person, params }) => doors.get(person, params.id),
      open("One provider", { answers: { 200: ProviderView }, errors: ["not_found"] }),
    )
    .patch(
      "/:id",
      ({ person, params, request }) => doors.change(person, params.id, request),
      guarded("Change it", {
        body: ProviderChange,
        answers: { 200: ProviderView },
        errors: ["not_found", "already_exists", "state_conflict", "invalid_value"],
      }),
    )
    .delete(
      "/:id",
      ({ person, params }) => doors.remove(person, params.id),
      admin("Remove it, with its key", { answers: { 200: ProviderView }, errors: ["not_found", "state_conflict"] }),
    )
    .post(
      "/:id/test",
      ({ params }) => doors.test(params.id),
      admin("Ask it for its models", { answers: { 200: ProviderCheckView }, errors: ["not_found", "state_conflict"] }),
    );
};
