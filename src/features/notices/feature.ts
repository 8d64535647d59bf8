import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import { noticeRoutes } from "./endpoints";
import { NoticeService } from "./service";

/** How often it is looked for what nobody needs any more. Milliseconds. */
const FORGETTING_MS = 86_400_000;

type ServiceParts = Omit<NeedsOf<typeof NoticeService>, "agentOf"> & { readonly principals: PrincipalCache };
type Noticing = { readonly noticeService: NoticeService };

/** What came of what people reported and asked for. */
export const notices = feature({
  provides: {
    noticeService: (c: ServiceParts) =>
      new NoticeService({
        notices: c.notices,
        reports: c.reports,
        reviews: c.reviews,
        suggestions: c.suggestions,
        agents: c.agents,
        agentOf: (id) => c.principals.agent(id),
        emit: c.emit,
        now: c.now,
      }),
  },
  routes: (c: PersonRouteParts & Noticing) => [noticeRoutes({ ...personRoutes(c), service: c.noticeService })],
  onEvent: (c: Noticing) => (event) => c.noticeService.note(event),
  jobs: (c: Noticing) => [
    { name: "notices", everyMs: FORGETTING_MS, singleton: true, run: () => c.noticeService.forget() },
  ],
});
