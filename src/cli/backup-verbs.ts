import type { Verb } from "./verb";

export const BACKUP_VERBS: readonly Verb[] = [
  {
    name: "backup create",
    summary: "Back up everything except the master key into one file; works while the hub runs",
    flags: {
      to: {
        value: "FILE",
        about: "file ending in .tar, or an existing folder; default: backups/ in the data directory",
      },
    },
    load: () => import("./backups").then((module) => module.createBackup),
  },
  {
    name: "backup list",
    summary: "List the backups in the data directory",
    load: () => import("./backups").then((module) => module.listBackups),
  },
  {
    name: "backup verify",
    summary: "Verify the checksums, audit chain and origin of a backup; exit code 8 when one is wrong",
    operands: ["FILE"],
    load: () => import("./backups").then((module) => module.verify),
  },
  {
    name: "restore",
    summary: "Restore a backup; the current data is set aside, and the hub must be stopped",
    operands: ["FILE"],
    flags: {
      "dry-run": { about: "check the backup and change nothing; the hub may run" },
      "revoke-sessions": { about: "end all sessions and all grants of OAuth clients" },
      unsigned: { about: "restore a backup of version 0.1.0, whose origin cannot be verified" },
      "leave-closed": { about: "restore although the master key of its encrypted values is missing" },
    },
    load: () => import("./restore").then((module) => module.restore),
  },
  {
    name: "store copy",
    summary: "Copy the configuration to an empty PostgreSQL; the hub must be stopped",
    flags: {
      to: {
        value: "URL",
        about: "postgres://…; default: database.url, which keeps the password off the command line",
      },
    },
    load: () => import("./store-copy").then((module) => module.copyStore),
  },
];
