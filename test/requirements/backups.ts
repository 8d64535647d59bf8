import type { Requirement } from "./requirement";

/** What is promised of backups and of putting them back. */
export const BACKUPS: readonly Requirement[] = [
  {
    id: "backup.beside",
    promise: "A backup is made, listed and checked beside a running hub, and calls go on meanwhile.",
    source: "docs/spec/backups.md#making-one",
  },
  {
    id: "backup.parts",
    promise:
      "A backup is one file of its owner's alone, with the audit log's key and never the master key, and says so.",
    source: "docs/spec/backups.md#making-one",
  },
  {
    id: "backup.verify",
    promise: "backup verify finds any changed byte and any changed audit record, and ends with 8.",
    source: "docs/spec/backups.md#verifying",
  },
  {
    id: "backup.restore",
    promise:
      "restore checks first, keeps the data that was there, refuses newer data (4), a running hub (5) and damage (8).",
    source: "docs/spec/backups.md#restoring",
  },
  {
    id: "backup.crash",
    promise: "A restore that is killed at any moment leaves either the old data or the new, whole.",
    source: "docs/spec/backups.md#restoring",
  },
  {
    id: "backup.revoked",
    promise: "A restore says what was revoked and is good again, and --revoke-sessions ends sessions and grants.",
    source: "docs/spec/backups.md#restoring",
  },
  {
    id: "backup.api",
    promise:
      "Administrators alone make, check, take away and remove backups at /api/backups, on record; no name is a path.",
    source: "docs/spec/backups.md#over-http",
  },
  {
    id: "backup.schedule",
    promise:
      "The hub makes backups by itself when told to, keeps so many of those, and doctor says how old the newest is.",
    source: "docs/spec/backups.md#making-one",
  },
  {
    id: "backup.origin",
    promise:
      "Backups are signed under the master key: verify says whether their origin could be checked, and who recomputes the manifest is found (8).",
    source: "docs/operating.md#back-up-and-restore",
  },
  {
    id: "backup.target",
    promise: "backup create --to takes a folder that is there or a file in one, and says clearly what is missing.",
    source: "docs/command-line.md#backup-create",
  },
];
