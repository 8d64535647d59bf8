import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { CookieSessionAuth } from "#http/auth/cookie";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { UserStore } from "#store/port";
import type { DocumentFetch } from "#upstream/outbound-port";
import { registryRoutes } from "./endpoints";
import { entriesOf } from "./entries";
import { proposalRoutes } from "./proposal-endpoints";
import { ProposalService } from "./proposals";

type ServiceParts = Omit<NeedsOf<typeof ProposalService>, "fetch"> & {
  readonly toolOptions: { readonly fetchRegistry: DocumentFetch };
};
type RouteParts = PersonRouteParts & {
  readonly cookieAuth: Pick<CookieSessionAuth, "checkOrigin">;
  readonly toolRegistry: ToolRegistryCache;
  readonly toolOptions: { readonly hasRegistry: boolean };
  readonly proposalService: ProposalService;
  readonly users: Pick<UserStore, "byEmail">;
  readonly publicUrl: () => string;
};

/** Published tool servers, for IDEs: the MCP registry API. And servers of other registries, which are proposed. */
export const registry = feature({
  provides: {
    proposalService: ({ proposals, users, toolServerService, toolOptions, now, ids }: ServiceParts) =>
      new ProposalService({ proposals, users, toolServerService, fetch: toolOptions.fetchRegistry, now, ids }),
  },
  routes: (c: RouteParts) => [
    registryRoutes({
      ...personRoutes(c),
      cookieAuth: c.cookieAuth,
      publicUrl: c.publicUrl,
      entries: (hubUrl) =>
        c.toolOptions.hasRegistry
          ? entriesOf(c.toolRegistry.all(), (serverId) => c.toolRegistry.pinsOf(serverId), hubUrl)
          : null,
    }),
    proposalRoutes({ ...personRoutes(c), service: c.proposalService, people: c.users, publicUrl: c.publicUrl }),
  ],
});
