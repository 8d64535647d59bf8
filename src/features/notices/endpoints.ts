import { Type } from "#core/schema";
import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { PAGE_QUERY } from "#http/openapi/schemas";
import { readPage } from "#http/page";
import { NoticePage, NoticesSeen, SeenNotices } from "./schema";
import type { NoticeService } from "./service";

type NoticeEndpointNeeds = { readonly service: NoticeService };

/** Everybody's own. */
const noticeEndpoints = ({ service }: NoticeEndpointNeeds) =>
  [
    endpoint("GET /api/notices", {
      summary: "List what came of reports, reviews and suggestions of the current user",
      query: {
        unseen: Type.Boolean({ description: "Only what the user has not seen." }),
        ...PAGE_QUERY,
      },
      answers: { 200: NoticePage },
      handler: async ({ person: { user }, query: { unseen = false, ...page } }) => ({
        ...(await readPage(page, (window) => service.page(user.id, unseen, window))),
        unseen: await service.unseen(user.id),
      }),
    }),
    endpoint("POST /api/notices/seen", {
      summary: "Mark notices of the current user as seen",
      body: { schema: NoticesSeen, isOptional: true },
      answers: { 200: SeenNotices },
      handler: async ({ person: { user }, body: { subject_id = null } }) => ({
        object: "notices.seen" as const,
        seen: await service.see(user.id, subject_id),
      }),
    }),
  ] as const;

export type NoticeClient = ClientTypes<ReturnType<typeof noticeEndpoints>[number]>;

export const noticeRoutes = (needs: NoticeEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Hub" }, noticeEndpoints(needs));
