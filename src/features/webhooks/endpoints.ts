import { Answered, type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { PAGE_QUERY } from "#http/openapi/schemas";
import { pageOf } from "#http/page";
import { personActor } from "#model/change";
import {
  DeliveryPage,
  DeliveryResponse,
  IssuedWebhook,
  NewWebhook,
  RemovedWebhook,
  Rotation,
  WebhookChange,
  WebhookPage,
  WebhookResponse,
} from "./schema";
import type { WebhookService } from "./service";

type WebhookEndpointNeeds = { readonly service: WebhookService };

const ADMIN: Audience = { roles: ["admin"] };
/** What answers with a secret that proves who sends, or says where things are sent. */
const GUARDED: Audience = { roles: ["admin"], fresh: true };

const NEW = { url: "https://example.com/hooks", events: ["report.*"] };

/** Webhooks, for administrators. */
const webhookEndpoints = ({ service }: WebhookEndpointNeeds) =>
  [
    endpoint("GET /api/webhooks", {
      summary: "List webhooks",
      auth: ADMIN,
      query: PAGE_QUERY,
      answers: { 200: WebhookPage },
      handler: async ({ query }) => pageOf(await service.list(), query),
    }),
    endpoint("POST /api/webhooks", {
      summary: "Add a webhook",
      auth: GUARDED,
      body: { schema: NewWebhook, example: NEW },
      answers: { 201: { schema: IssuedWebhook, description: "With the signing secret, shown only once." } },
      errors: ["state_conflict"],
      handler: ({ person, body }) => service.create(personActor(person), body),
    }),
    endpoint("GET /api/webhooks/:id", {
      summary: "Get a webhook",
      auth: ADMIN,
      answers: { 200: WebhookResponse },
      handler: ({ params }) => service.get(params.id),
    }),
    endpoint("PATCH /api/webhooks/:id", {
      summary: "Update a webhook",
      auth: GUARDED,
      body: { schema: WebhookChange, example: { active: true } },
      answers: { 200: WebhookResponse },
      handler: ({ person, params, body }) => service.change(personActor(person), params.id, body),
    }),
    endpoint("DELETE /api/webhooks/:id", {
      summary: "Remove a webhook",
      auth: ADMIN,
      answers: { 200: RemovedWebhook },
      handler: async ({ person, params }) => {
        const { id } = await service.remove(personActor(person), params.id);
        return { id, deleted: true as const };
      },
    }),
    endpoint("POST /api/webhooks/:id/rotate", {
      summary: "Rotate the signing secret",
      auth: GUARDED,
      body: { schema: Rotation, isOptional: true },
      answers: { 200: IssuedWebhook },
      handler: ({ person, params, body: { grace } }) =>
        service.rotate(personActor(person), params.id, grace === undefined ? undefined : grace * 1_000),
    }),
    endpoint("POST /api/webhooks/:id/test", {
      summary: "Send a test event",
      auth: ADMIN,
      answers: { 200: DeliveryResponse, 201: DeliveryResponse, 202: DeliveryResponse },
      handler: ({ person, params }) => service.test(personActor(person), params.id),
    }),
    endpoint("GET /api/webhooks/:id/deliveries", {
      summary: "List deliveries of a webhook",
      auth: ADMIN,
      query: PAGE_QUERY,
      answers: { 200: DeliveryPage },
      handler: async ({ params, query }) => pageOf(await service.deliveries(params.id), query),
    }),
    endpoint("POST /api/webhooks/deliveries/:did/replay", {
      summary: "Replay a webhook delivery",
      auth: ADMIN,
      answers: { 200: DeliveryResponse, 202: DeliveryResponse },
      errors: ["state_conflict"],
      handler: async ({ params }) => new Answered(await service.replay(params.did), { status: 202 }),
    }),
  ] as const;

export type WebhookClient = ClientTypes<ReturnType<typeof webhookEndpoints>[number]>;

export const webhookRoutes = (needs: WebhookEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Webhooks" }, webhookEndpoints(needs));
