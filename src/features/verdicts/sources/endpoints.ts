import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { whole } from "#http/page";
import { personActor } from "#model/change";
import {
  HookSourcePage,
  HookSourceRotation,
  HookSourceTest,
  IssuedHookSource,
  NewHookSource,
  RemovedHookSource,
} from "./schema";
import type { SourceService } from "./service";

type SourceEndpointNeeds = { readonly service: SourceService };

const ADMIN: Audience = { roles: ["admin"] };
/** What answers with a secret, or takes one. */
const GUARDED: Audience = { roles: ["admin"], fresh: true };

const NEW = { name: "claude", kind: "anthropic", agent_id: null };

/** Hook sources, for administrators. */
const sourceEndpoints = ({ service }: SourceEndpointNeeds) =>
  [
    endpoint("GET /api/hook-sources", {
      summary: "List hook sources and what came from them",
      auth: ADMIN,
      answers: { 200: HookSourcePage },
      handler: async () => whole(await service.list()),
    }),
    endpoint("POST /api/hook-sources", {
      summary: "Add a hook source",
      auth: GUARDED,
      body: { schema: NewHookSource, example: NEW },
      answers: { 201: { schema: IssuedHookSource, description: "With the secret, shown only once." } },
      errors: ["not_found", "already_exists", "state_conflict"],
      handler: ({ person, body }) => service.add(personActor(person), body),
    }),
    endpoint("POST /api/hook-sources/:id/rotate", {
      summary: "Replace the secret of a hook source",
      auth: GUARDED,
      body: { schema: HookSourceRotation, isOptional: true },
      answers: { 200: IssuedHookSource },
      errors: ["state_conflict"],
      handler: ({ person, params, body }) => service.rotate(personActor(person), params.id, body),
    }),
    endpoint("POST /api/hook-sources/:id/test", {
      summary: "Send a test frame to the hub, as the source would",
      auth: ADMIN,
      changes: false,
      answers: { 200: HookSourceTest },
      errors: ["state_conflict"],
      handler: ({ params }) => service.test(params.id),
    }),
    endpoint("DELETE /api/hook-sources/:id", {
      summary: "Remove a hook source",
      auth: ADMIN,
      answers: { 200: RemovedHookSource },
      errors: ["state_conflict"],
      handler: async ({ person, params }) => {
        const { id } = await service.remove(personActor(person), params.id);
        return { id, deleted: true as const };
      },
    }),
  ] as const;

export type HookSourceClient = ClientTypes<ReturnType<typeof sourceEndpoints>[number]>;

export const sourceEndpointRoutes = (needs: SourceEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Hook sources" }, sourceEndpoints(needs));
