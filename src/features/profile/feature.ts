import { type CallerRouteParts, callerRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import { publishedProfile } from "#policy/profile/published";
import type { ProfileRow } from "#store/governance-port";
import { profileRoutes } from "./endpoints";
import { ProfileReadService } from "./service";

type ServiceParts = Omit<NeedsOf<typeof ProfileReadService>, "profileOf"> & {
  readonly profileInForce: (agentId: string) => ProfileRow | null;
};
type RouteParts = CallerRouteParts & { readonly profileService: ProfileReadService };

/** What an agent reads of its own profile. */
export const profile = feature({
  provides: {
    profileService: ({ guard, principals, profileInForce }: ServiceParts) =>
      new ProfileReadService({
        guard,
        principals,
        profileOf: (agentId) => {
          const row = profileInForce(agentId);
          return row && publishedProfile(row, row.version, row.version);
        },
      }),
  },
  routes: (c: RouteParts) => [profileRoutes({ ...callerRoutes(c), service: c.profileService })],
});
