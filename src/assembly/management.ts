import type { Directory } from "#engine/directory";
import type { GuardDeps } from "#engine/guard-deps";
import type { TokenUses } from "#engine/token-uses";
import type { signedInPerson } from "#http/person";
import { tokenRoutes } from "#modules/access/routes";
import { AccessService } from "#modules/access/service";
import { TokenDesk } from "#modules/access/token-desk";
import type { Operating } from "#modules/operating/port";
import { operatingRoutes } from "#modules/operating/routes";
import { StorageDesk } from "#modules/operating/storage";
import { ProviderDesk } from "#modules/providers/provider-desk";
import { providerRoutes } from "#modules/providers/routes";
import { ProviderService } from "#modules/providers/service";
import { trialRoutes } from "#modules/scan/routes";
import { ScanRequestCheck } from "#modules/scan/schema";
import { ScanService } from "#modules/scan/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { ProviderRow, Store } from "#store/port";
import type { Provider, ProviderCheck } from "#upstream/port";

export type ManagementDeps = {
  readonly management: {
    /** Asks a provider for its models, with its key. */
    readonly checkProvider: (row: ProviderRow) => Promise<ProviderCheck>;
    /** Networks in CIDR notation that providers may be in although they are not public. */
    readonly allowPrivate: readonly string[];
    readonly operating: Operating;
  };
  readonly store: Pick<Store, "users" | "agents" | "tokens" | "providers" | "storage" | "calls">;
  readonly limits: { readonly bodyBytes: number };
  readonly builtIn: readonly Provider[];
  readonly tools: { readonly seal: (purpose: string, secret: string) => string };
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly ids: Ids;
};

type Around = {
  readonly door: ReturnType<typeof signedInPerson>;
  readonly admit: () => void;
  readonly onChanged: () => Promise<void>;
  readonly uses: TokenUses;
  readonly guard: GuardDeps;
  readonly directory: Directory;
};

/** What people do at `/api` that operators do on the command line. */
export const assembleManagement = (deps: ManagementDeps, around: Around) => {
  const { store, clock: now, ids, builtIn, tools, management } = deps;
  const { users, agents, tokens } = store;
  const { uses, guard, directory, ...web } = around;
  const access = new AccessService({ users, agents, tokens, now, ids });
  const desk = new TokenDesk({ access, tokens, users, agents, lastUsed: (id) => uses.last(id), now });
  const providers = new ProviderDesk({
    providers: new ProviderService({ providers: store.providers, seal: tools.seal, now, ids }),
    ...{ store: store.providers, builtIn, check: management.checkProvider, allowPrivate: management.allowPrivate },
  });
  const storage = new StorageDesk({
    ...{ history: store.storage, calls: store.calls, storage: management.operating.storage, now },
  });
  const operating = operatingRoutes({
    ...{ operating: management.operating, storage, publicUrl: deps.publicUrl, now, door: web.door },
  });
  const check = new ScanRequestCheck();
  const service = new ScanService({ guard, directory, check: (body) => check.check(body) });
  const trial = trialRoutes({ service, door: web.door, ids, bodyBytes: deps.limits.bodyBytes });
  return {
    routes: [tokenRoutes({ ...web, desk }), providerRoutes({ ...web, desk: providers }), trial, operating],
    storage,
  };
};
