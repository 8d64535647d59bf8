import type { ContentRetention } from "#guard/content-retention";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import { contentRoutes } from "./endpoints";
import { ContentService } from "./service";

type ServiceParts = Omit<NeedsOf<typeof ContentService>, "settled"> & { readonly contentKeeper: ContentRetention };
type RouteParts = PersonRouteParts & { readonly contentService: ContentService };

/** What is kept of calls' texts. */
export const content = feature({
  provides: {
    contentService: ({ content, agents, unseal, writeRecord, now, ids, contentKeeper }: ServiceParts) =>
      new ContentService({
        content,
        agents,
        unseal,
        writeRecord,
        now,
        ids,
        settled: () => contentKeeper.settled(),
      }),
  },
  routes: (c: RouteParts) => [contentRoutes({ ...personRoutes(c), service: c.contentService })],
});
