import { Elysia } from "elysia";
import { personActor } from "#core/change";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { pageOf } from "#http/page";
import type { signedInPerson } from "#http/person";
import { NewWebhook, Rotation, WebhookChange } from "./schema";
import type { WebhookService } from "./service";

type Deps = {
  readonly service: WebhookService;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

type Query = Readonly<Record<string, string | undefined>>;

/** What is done at the addresses of webhooks, without the addresses. */
class WebhookDoors {
  private readonly checks = {
    created: new ShapeCheck(NewWebhook),
    changed: new ShapeCheck(WebhookChange),
    rotation: new ShapeCheck(Rotation),
  };

  constructor(private readonly deps: Deps) {}

  async list(query: Query): Promise<Response> {
    return Response.json(pageOf(await this.deps.service.list(), query));
  }

  async get(id: string): Promise<Response> {
    return Response.json(await this.deps.service.get(id));
  }

  async create(person: Person, request: Request): Promise<Response> {
    this.deps.admit();
    const wanted = this.checks.created.check(await this.read(request));
    return Response.json(await this.deps.service.create(personActor(person), wanted), { status: 201 });
  }

  async change(person: Person, id: string, request: Request): Promise<Response> {
    this.deps.admit();
    const wanted = this.checks.changed.check(await this.read(request));
    return Response.json(await this.deps.service.change(personActor(person), id, wanted));
  }

  async remove(person: Person, id: string): Promise<Response> {
    this.deps.admit();
    return Response.json(await this.deps.service.remove(personActor(person), id));
  }

  async rotate(person: Person, id: string, request: Request): Promise<Response> {
    this.deps.admit();
    const { grace } = this.checks.rotation.check(request.body === null ? {} : await this.read(request));
    const graceMs = grace === undefined ? undefined : grace * 1_000;
    return Response.json(await this.deps.service.rotate(personActor(person), id, graceMs));
  }

  async test(person: Person, id: string): Promise<Response> {
    this.deps.admit();
    return Response.json(await this.deps.service.test(personActor(person), id));
  }

  async deliveries(id: string, query: Query): Promise<Response> {
    return Response.json(pageOf(await this.deps.service.deliveries(id), query));
  }

  async replay(id: string): Promise<Response> {
    this.deps.admit();
    return Response.json(await this.deps.service.replay(id), { status: 202 });
  }

  private async read(request: Request): Promise<unknown> {
    return (await bodyOf(request, this.deps.bodyBytes))();
  }
}

/** Webhooks, for administrators. */
export const webhookRoutes = (deps: Deps) => {
  const doors = new WebhookDoors(deps);
  const about = (summary: string) => ({
    role: { roles: ["admin"] as const },
    parse: "none" as const,
    detail: { summary, tags: ["Webhooks"] },
  });
  /** What answers with a secret that proves who sends. */
  const secret = (summary: string) => ({ ...about(summary), role: { roles: ["admin"], fresh: true } as const });
  return new Elysia({ name: "webhooks", prefix: "/api/webhooks" })
    .use(deps.door)
    .get("/", ({ query }) => doors.list(query), about("List webhooks"))
    .post("/", ({ person, request }) => doors.create(person, request), secret("Add a webhook"))
    .get("/:id", ({ params }) => doors.get(params.id), about("One webhook"))
    .patch("/:id", ({ person, params, request }) => doors.change(person, params.id, request), about("Change it"))
    .delete("/:id", ({ person, params }) => doors.remove(person, params.id), about("Remove it"))
    .post(
      "/:id/rotate",
      ({ person, params, request }) => doors.rotate(person, params.id, request),
      secret("Give it a new secret"),
    )
    .post("/:id/test", ({ person, params }) => doors.test(person, params.id), about("Send it webhook.test"))
    .get("/:id/deliveries", ({ params, query }) => doors.deliveries(params.id, query), about("What was sent to it"))
    .post("/deliveries/:did/replay", ({ params }) => doors.replay(params.did), about("Send it again"));
};
