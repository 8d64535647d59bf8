import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { CallContents, RemovedContents } from "./schema";
import type { ContentService } from "./service";

type ContentEndpointNeeds = { readonly service: ContentService };

/** What is kept of a call's texts. Never opened by a gateway token: no agent reads what was withheld from it. */
const contentEndpoints = ({ service }: ContentEndpointNeeds) =>
  [
    endpoint("GET /api/calls/:id/content", {
      summary: "Get the stored content of a call; viewing is audited",
      isRecorded: true,
      answers: { 200: CallContents },
      handler: ({ person, params }) => service.read(person, params.id),
    }),
    endpoint("DELETE /api/calls/:id/content", {
      summary: "Delete the stored content of a call; the audit record stays",
      answers: { 200: RemovedContents },
      handler: ({ person, params }) => service.remove(person, params.id),
    }),
  ] as const;

export type ContentClient = ClientTypes<ReturnType<typeof contentEndpoints>[number]>;

export const contentRoutes = (needs: ContentEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Audit" }, contentEndpoints(needs));
