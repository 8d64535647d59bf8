import type { signedInPerson } from "#http/person";
import { backupRoutes } from "#modules/backups/routes";
import { BackupDesk } from "#modules/backups/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { BackupShelf } from "#store/backup-port";

export type BackupDeps = {
  readonly backups: {
    readonly shelf: BackupShelf;
    /** 0 for none by themselves. */
    readonly everyHours: number;
    readonly keep: number;
    readonly hasKey: (id: string) => boolean;
  };
  readonly limits: { readonly bodyBytes: number };
  readonly keepOpen: (request: Request) => void;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

type Around = {
  readonly door: ReturnType<typeof signedInPerson>;
  readonly admit: () => void;
  readonly writeRecord: (line: string) => Promise<void>;
};

/** Backups that the hub makes of itself while it serves. */
export const assembleBackups = (deps: BackupDeps, { writeRecord, ...around }: Around) => {
  const { backups, clock: now, ids, log, keepOpen, limits } = deps;
  const desk = new BackupDesk({ ...backups, writeRecord, now, ids, log });
  const routes = backupRoutes({ ...around, desk, keepOpen, bodyBytes: limits.bodyBytes });
  return { routes, tend: () => desk.tend() };
};
