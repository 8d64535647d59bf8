import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { pageSchema } from "#http/openapi/schemas";
import { personActor } from "#model/change";
import type { Person } from "#model/session";
import type { ProviderRegistry } from "./registry";
import { NewProviderBody, ProviderChange, ProviderCheckView, ProviderView } from "./schema";

type ProviderEndpointNeeds = { readonly service: ProviderRegistry };

const ADMIN: Audience = { roles: ["admin"] };
/** What says where people's texts go: not for a browser that was left open. */
const GUARDED: Audience = { roles: ["admin"], fresh: true };

/** A model list of a hundred names. */
const BODY_BYTES = 65_536;

/** Keys are often written into a path or a query: only administrators, who wrote them, see more than the host. */
const seenBy = ({ user }: Person, provider: ProviderView): ProviderView =>
  user.role === "admin" || provider.base_url === null
    ? provider
    : { ...provider, base_url: new URL(provider.base_url).origin, credential: { source: provider.credential.source } };

/** Model providers: everybody may see them, administrators change them. */
const providerEndpoints = ({ service }: ProviderEndpointNeeds) =>
  [
    endpoint("GET /api/providers", {
      summary: "List model providers",
      answers: { 200: pageSchema(ProviderView) },
      // Whole: there are few, and their order means something.
      handler: async ({ person }) => ({
        object: "list" as const,
        data: (await service.list()).map((one) => seenBy(person, one)),
        has_more: false,
        next_cursor: null,
      }),
    }),
    endpoint("POST /api/providers", {
      summary: "Add a provider",
      auth: GUARDED,
      body: NewProviderBody,
      answers: { 201: ProviderView },
      errors: ["already_exists", "state_conflict"],
      handler: ({ person, body }) => service.add(personActor(person), body),
    }),
    endpoint("GET /api/providers/:id", {
      summary: "Get a provider",
      answers: { 200: ProviderView },
      handler: async ({ person, params }) => seenBy(person, await service.get(params.id)),
    }),
    endpoint("PATCH /api/providers/:id", {
      summary: "Update a provider",
      auth: GUARDED,
      body: ProviderChange,
      answers: { 200: ProviderView },
      errors: ["already_exists", "state_conflict"],
      handler: ({ person, params, body }) => service.change(personActor(person), params.id, body),
    }),
    endpoint("DELETE /api/providers/:id", {
      summary: "Remove a provider and its key",
      auth: ADMIN,
      answers: { 200: ProviderView },
      errors: ["state_conflict"],
      handler: ({ person, params }) => service.remove(personActor(person), params.id),
    }),
    endpoint("POST /api/providers/:id/test", {
      summary: "Test a provider: credential, model list and each API",
      auth: ADMIN,
      changes: false,
      answers: { 200: ProviderCheckView },
      errors: ["state_conflict"],
      handler: ({ params }) => service.test(params.id),
    }),
  ] as const;

export type ProviderClient = ClientTypes<ReturnType<typeof providerEndpoints>[number]>;

export const providerRoutes = (needs: ProviderEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Providers", bodyBytes: BODY_BYTES }, providerEndpoints(needs));
