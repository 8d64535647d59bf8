import type { Verb } from "./verb";

export const BACKUP_VERBS: readonly Verb[] = [
  {
    name: "backup create",
    summary: "Copy everything but the master key into one file, beside a running service too",
    flags: {
      to: {
        value: "FILE",
        about:
          "where to: a file that ends in .tar, or a folder that is there, which gets one; backups/ in the data directory unless said",
      },
    },
    load: () => import("./backups").then((room) => room.createBackup),
  },
  {
    name: "backup list",
    summary: "List the backups in the data directory",
    load: () => import("./backups").then((room) => room.listBackups),
  },
  {
    name: "backup verify",
    summary: "Recompute a backup's checksums and audit chain and say who made it; exit code 8 when something is wrong",
    operands: ["FILE"],
    load: () => import("./backups").then((room) => room.verify),
  },
  {
    name: "restore",
    summary: "Put a backup in place of the data, which is kept; the service must be stopped",
    operands: ["FILE"],
    flags: {
      "dry-run": { about: "check everything and change nothing; the service may run" },
      "revoke-sessions": { about: "end everybody's sessions and what people granted to programs" },
      unsigned: { about: "go on although the backup, of version 0.1.0, does not prove who made it" },
      "leave-closed": { about: "go on although the master key of what is sealed in it is not here" },
    },
    load: () => import("./restore").then((room) => room.restore),
  },
];
