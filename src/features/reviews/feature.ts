import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import type { Clock } from "#platform/clock";
import { reviewRoutes } from "./endpoints";
import { ReviewQueries } from "./queries";
import { ReviewService } from "./service";

/** How often reviews that nobody goes on with are looked for. Milliseconds. */
const REVIEWS_MS = 3_600_000;

type Reviewing = { readonly reviewService: ReviewService };
type RouteParts = PersonRouteParts & Reviewing & { readonly reviewQueries: ReviewQueries };

/** The review of agents, of which profiles come. */
export const reviews = feature({
  provides: {
    reviewService: single(ReviewService),
    reviewQueries: single(ReviewQueries),
  },
  routes: (c: RouteParts) => [reviewRoutes({ ...personRoutes(c), service: c.reviewService, queries: c.reviewQueries })],
  jobs: (c: Reviewing & { readonly now: Clock }) => [
    { name: "reviews", everyMs: REVIEWS_MS, singleton: true, run: () => c.reviewService.runOnce(c.now()) },
  ],
});
