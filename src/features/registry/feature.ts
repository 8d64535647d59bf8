import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { CookieSessionAuth } from "#http/auth/cookie";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { registryRoutes } from "./endpoints";
import { entriesOf } from "./entries";

type RouteParts = PersonRouteParts & {
  readonly cookieAuth: Pick<CookieSessionAuth, "checkOrigin">;
  readonly toolRegistry: ToolRegistryCache;
  readonly toolOptions: { readonly hasRegistry: boolean };
  readonly publicUrl: () => string;
};

/** Published tool servers, for IDEs: the MCP registry API. */
export const registry = feature({
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
  ],
});
