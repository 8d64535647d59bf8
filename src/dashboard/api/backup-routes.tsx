import type { BackupList, BackupTask, RemovedBackup } from "#modules/backups/shapes";

/** Copies of everything the hub keeps. */
export type BackupRoutes = {
  "GET /api/backups": { answer: BackupList };
  "POST /api/backups": { answer: BackupTask };
  "POST /api/backups/:name/verify": { answer: BackupTask };
  /** A file: for links. */
  "GET /api/backups/:name": { answer: unknown };
  "DELETE /api/backups/:name": { body: { readonly name: string }; answer: RemovedBackup };
};
