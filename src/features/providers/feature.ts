import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { type NeedsOf, single } from "#hub/graph";
import { ProviderRouting } from "#hub/provider-routing";
import type { ProviderStore } from "#store/port";
import { providerRoutes } from "./endpoints";
import { ProviderRegistry } from "./registry";
import { ProviderService } from "./service";

type RegistryNeeds = NeedsOf<typeof ProviderRegistry>;
type RegistryParts = Pick<RegistryNeeds, "builtIn"> & {
  readonly providers: ProviderStore;
  readonly providerService: ProviderService;
  readonly providerRouting: ProviderRouting;
  readonly management: {
    /** Asks a provider for its models, with its key. */
    readonly checkProvider: RegistryNeeds["check"];
    /** Networks in CIDR notation that providers may be in although they are not public. */
    readonly allowPrivate: RegistryNeeds["allowPrivate"];
  };
};
type RouteParts = PersonRouteParts & { readonly providerRegistry: ProviderRegistry };

/** Which models there are, and who serves them. */
export const providers = feature({
  provides: {
    providerRouting: single(ProviderRouting),
    providerService: single(ProviderService),
    providerRegistry: ({ providers, providerService, providerRouting, builtIn, management }: RegistryParts) =>
      new ProviderRegistry({
        providers: providerService,
        store: providers,
        routing: providerRouting,
        builtIn,
        check: management.checkProvider,
        allowPrivate: management.allowPrivate,
      }),
  },
  routes: (c: RouteParts) => [providerRoutes({ ...personRoutes(c), service: c.providerRegistry })],
  onChange: (c: { readonly providerRouting: ProviderRouting }) => c.providerRouting,
});
