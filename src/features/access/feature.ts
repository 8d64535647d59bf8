import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { type NeedsOf, single } from "#hub/graph";
import { tokenRoutes } from "./endpoints";
import { AccessService } from "./service";
import { SessionService } from "./sessions";
import { TokenService } from "./token-service";

type ServiceParts = Omit<NeedsOf<typeof TokenService>, "access"> & { readonly accessService: AccessService };
type AccessParts = Omit<NeedsOf<typeof AccessService>, "random">;
type RouteParts = PersonRouteParts & { readonly tokenService: TokenService };

/** Users, agents and tokens as operators manage them, and the tokens that people manage themselves. */
export const access = feature({
  provides: {
    accessService: ({ users, agents, tokens, now, ids }: AccessParts) =>
      new AccessService({ users, agents, tokens, now, ids }),
    sessionService: single(SessionService),
    tokenService: ({ accessService, tokens, users, agents, lastUsed, now }: ServiceParts) =>
      new TokenService({ access: accessService, tokens, users, agents, lastUsed, now }),
  },
  routes: (c: RouteParts) => [tokenRoutes({ ...personRoutes(c), service: c.tokenService })],
});
