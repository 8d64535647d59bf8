import type { Requirement } from "./requirement";

/** What is promised of the configuration as files. */
export const APPLY: readonly Requirement[] = [
  {
    id: "apply.kinds",
    promise:
      "Every kind of object that people make can be in a configuration file: one schema checks, types and documents it.",
    source: "docs/configuration-as-code.md#what-is-in-a-file",
  },
  {
    id: "apply.idempotent",
    promise: "Applying a file twice changes nothing the second time.",
    source: "docs/configuration-as-code.md#apply-a-file",
  },
  {
    id: "apply.round-trip",
    promise: "The export of an applied file says the same, and another hub is rebuilt from it.",
    source: "docs/configuration-as-code.md#export",
  },
  {
    id: "apply.secrets",
    promise:
      "Files refer to secrets and never have one; a reference that is not set leaves the stored secret, and nothing printed has one.",
    source: "docs/configuration-as-code.md#secrets",
  },
  {
    id: "apply.recorded",
    promise: "Every change is recorded in the audit log, by way of apply.",
    source: "docs/configuration-as-code.md#apply-a-file",
  },
  {
    id: "apply.differences",
    promise:
      "Differences are printed with the fields that change; --dry-run prints them, changes nothing and ends with 11.",
    source: "docs/configuration-as-code.md#apply-a-file",
  },
  {
    id: "apply.prune",
    promise: "What no file has is removed with --prune alone, and the last administrator never.",
    source: "docs/configuration-as-code.md#remove",
  },
  {
    id: "apply.approval",
    promise: "What loosens a policy or a profile is not put in force: it awaits approval.",
    source: "docs/configuration-as-code.md#what-loosens",
  },
  {
    id: "apply.order",
    promise: "What restricts comes before what gives, and what is new and off is never on.",
    source: "docs/configuration-as-code.md#when-something-fails",
  },
  {
    id: "apply.emergency",
    promise:
      "A file does not let a suspended agent or a disabled user in again, unless it says so in the name of an administrator.",
    source: "docs/configuration-as-code.md#what-loosens",
  },
  {
    id: "apply.etag",
    promise: "An object that was changed after the file was exported is not overwritten, unless --force says so.",
    source: "docs/configuration-as-code.md#edits-at-the-same-time",
  },
  {
    id: "apply.failure",
    promise: "A change that fails says what was done before it; applying the mended file does the rest.",
    source: "docs/configuration-as-code.md#when-something-fails",
  },
  {
    id: "apply.faults",
    promise: "All that is wrong with files is told at once, with file, object and field, before anything is changed.",
    source: "docs/configuration-as-code.md#when-something-fails",
  },
  {
    id: "apply.schema",
    promise: "The JSON Schema of the files is printed by apply --schema and served at /configuration.schema.json.",
    source: "docs/configuration-as-code.md#schema",
  },
];
