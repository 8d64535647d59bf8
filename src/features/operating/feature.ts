import type { Scanner } from "#guard/scanner";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { LoopDelay } from "#hub/loop-delay";
import type { Clock } from "#platform/clock";
import type { StorageHistory } from "#store/port";
import { operatingRoutes } from "./endpoints";
import type { Operating } from "./port";
import { StorageService } from "./storage";

/** How often it is looked whether what is kept is to be measured again. Milliseconds. */
const STORAGE_MS = 600_000;
/** How often commands beside the hub are told how it does. Milliseconds. */
const TELLING_MS = 5_000;

type Managing = { readonly management: { readonly operating: Operating } };
type StorageParts = Managing &
  Pick<NeedsOf<typeof StorageService>, "calls" | "now"> & { readonly storage: StorageHistory };
type Measuring = { readonly storageService: StorageService };
type TellingParts = Managing & { readonly loopDelay: LoopDelay; readonly scanner: Scanner; readonly now: Clock };
type RouteParts = PersonRouteParts & Managing & Measuring & { readonly publicUrl: () => string; readonly now: Clock };

/** What operators are told of the hub itself. */
export const operating = feature({
  provides: {
    storageService: ({ storage, calls, management, now }: StorageParts) =>
      new StorageService({ history: storage, calls, storage: management.operating.storage, now }),
  },
  routes: (c: RouteParts) => [
    operatingRoutes({
      ...personRoutes(c),
      operating: c.management.operating,
      storage: c.storageService,
      publicUrl: c.publicUrl,
      now: c.now,
    }),
  ],
  jobs: ({ storageService, management, loopDelay, scanner, now }: Measuring & TellingParts) => [
    {
      name: "storage",
      everyMs: STORAGE_MS,
      singleton: "directory",
      atStart: true,
      run: () => storageService.runOnce(),
    },
    {
      name: "status report",
      everyMs: TELLING_MS,
      atStart: true,
      run: () =>
        management.operating.tell({
          at: now(),
          loop_delay_max_ms: Math.round(loopDelay.recentMaxMs),
          scan_waiting: scanner.pool?.figures.waitingJobs ?? 0,
        }),
    },
  ],
});
