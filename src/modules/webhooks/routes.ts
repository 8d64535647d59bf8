import { Elysia } from "elysia";
import { personActor } from "#core/change";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import { pageOf } from "#http/page";
import type { signedInPerson } from "#http/person";
import {
  DeliveryPage,
  IssuedWebhook,
  NewWebhook,
  RemovedWebhook,
  Rotation,
  ShownDelivery,
  ShownWebhook,
  WebhookChange,
  WebhookPage,
} from "./schema";
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
    const gone = await this.deps.service.remove(personActor(person), id);
    return Response.json({ id: gone.id, deleted: true } satisfies RemovedWebhook);
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

const NEW = { url: "https://example.com/hooks", events: ["report.*"] };

/** Webhooks, for administrators. */
export const webhookRoutes = (deps: Deps) => {
  const doors = new WebhookDoors(deps);
  const about = (summary: string, told: About) => ({
    role: { roles: ["admin"] as const },
    parse: "none" as const,
    detail: detailOf("Webhooks", summary, told),
  });
  /** What answers with a secret that proves who sends, or says where things are sent. */
  const guarded = (summary: string, told: About) => ({
    ...about(summary, told),
    role: { roles: ["admin"], fresh: true } as const,
  });
  return new Elysia({ name: "webhooks", prefix: "/api/webhooks" })
    .use(deps.door)
    .get(
      "",
      ({ query }) => doors.list(query),
      about("List webhooks", { query: PAGE_QUERY, answers: { 200: WebhookPage } }),
    )
    .post(
      "",
      ({ person, request }) => doors.create(person, request),
      guarded("Add a webhook", {
        body: { schema: NewWebhook, example: NEW },
        answers: {
          201: { schema: IssuedWebhook, description: "With its secret, which is shown this once." },
        },
        errors: ["state_conflict"],
      }),
    )
    .get("/:id", ({ params }) => doors.get(params.id), about("One webhook", { answers: { 200: ShownWebhook } }))
    .patch(
      "/:id",
      ({ person, params, request }) => doors.change(person, params.id, request),
      guarded("Change it", {
        body: { schema: WebhookChange, example: { active: true } },
        answers: { 200: ShownWebhook },
      }),
    )
    .delete(
      "/:id",
      ({ person, params }) => doors.remove(person, params.id),
      about("Remove it", { answers: { 200: RemovedWebhook } }),
    )
    .post(
      "/:id/rotate",
      ({ person, params, request }) => doors.rotate(person, params.id, request),
      guarded("Give it a new secret", {
        body: { schema: Rotation, isOptional: true },
        answers: { 200: IssuedWebhook },
      }),
    )
    .post(
      "/:id/test",
      ({ person, params }) => doors.test(person, params.id),
      about("Send it webhook.test", { answers: { 200: ShownDelivery, 201: ShownDelivery, 202: ShownDelivery } }),
    )
    .get(
      "/:id/deliveries",
      ({ params, query }) => doors.deliveries(params.id, query),
      about("What was sent to it", { query: PAGE_QUERY, answers: { 200: DeliveryPage } }),
    )
    .post(
      "/deliveries/:did/replay",
      ({ params }) => doors.replay(params.did),
      about("Send it again", { answers: { 200: ShownDelivery, 202: ShownDelivery }, errors: ["state_conflict"] }),
    );
};
