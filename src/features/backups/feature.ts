import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { BackupDirectory } from "#store/backup-port";
import { backupRoutes } from "./endpoints";
import { BackupService } from "./service";

/** How often it is looked whether a backup is due. Milliseconds. */
const BACKUPS_MS = 30_000;

export type BackupOptions = {
  readonly backupDirectory: BackupDirectory;
  /** 0 for none by themselves. */
  readonly everyHours: number;
  readonly keep: number;
  readonly hasKey: (id: string) => boolean;
};

type ServiceParts = {
  readonly backupOptions: BackupOptions;
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
};
type Backing = { readonly backupService: BackupService };
type RouteParts = PersonRouteParts & Backing & { readonly disableIdleTimeout: (request: Request) => void };

/** Backups that the hub makes of itself while it serves. */
export const backups = feature({
  provides: {
    backupService: ({ backupOptions, writeRecord, now, ids, log }: ServiceParts) =>
      new BackupService({ ...backupOptions, writeRecord, now, ids, log }),
  },
  routes: (c: RouteParts) => [
    backupRoutes({ ...personRoutes(c), service: c.backupService, disableIdleTimeout: c.disableIdleTimeout }),
  ],
  jobs: (c: Backing) => [
    {
      name: "backups",
      everyMs: BACKUPS_MS,
      singleton: "directory",
      atStart: true,
      run: () => c.backupService.runOnce(),
    },
  ],
});
