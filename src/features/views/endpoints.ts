import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { pageSchema } from "#http/openapi/schemas";
import { ViewBody, ViewResponse } from "./schema";
import type { ViewService } from "./service";

type ViewEndpointNeeds = { readonly service: ViewService };

/** Saved views: everybody keeps their own, and sees what is shared. */
const viewEndpoints = ({ service }: ViewEndpointNeeds) =>
  [
    endpoint("GET /api/views", {
      summary: "List your saved views and those that others share",
      answers: { 200: pageSchema(ViewResponse) },
      handler: async ({ person }) => ({
        object: "list" as const,
        data: await service.list(person.user),
        has_more: false,
        next_cursor: null,
      }),
    }),
    endpoint("PUT /api/views", {
      summary: "Save the filters of a screen under a name, in the place of your view of that name",
      body: ViewBody,
      answers: { 200: ViewResponse },
      errors: ["state_conflict"],
      handler: ({ person, body }) => service.save(person.user, body),
    }),
    endpoint("DELETE /api/views/:id", {
      summary: "Delete a saved view of yours",
      answers: { 204: {} },
      errors: ["not_found"],
      handler: ({ person, params }) => service.remove(person.user, params.id),
    }),
  ] as const;

export type ViewClient = ClientTypes<ReturnType<typeof viewEndpoints>[number]>;

export const viewRoutes = (needs: ViewEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Views" }, viewEndpoints(needs));
