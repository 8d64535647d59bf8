import type { Requirement } from "./requirement";

/** What is promised of commands and files of coding agents. */
export const LOCAL: readonly Requirement[] = [
  {
    id: "local.commands",
    promise:
      "Each simple command of a shell line is held to the profile, however it is quoted, nested or run by others.",
    source: "docs/verdicts.md#commands",
  },
  {
    id: "local.unread",
    promise: "A line that cannot be read whole falls under the strictest rule, in time linear in its length.",
    source: "docs/verdicts.md#commands",
  },
  {
    id: "local.hosts",
    promise:
      "Commands that name a host outside the profile's list, or one that cannot be told, are asked about or denied.",
    source: "docs/verdicts.md#commands",
  },
  {
    id: "local.files",
    promise: "Files are held to the profile by their resolved paths, of file tools and of what shell lines name.",
    source: "docs/verdicts.md#files",
  },
  {
    id: "local.ask",
    promise:
      "What needs the user's word is asked in each harness's own form, denied where it cannot ask, and recorded.",
    source: "docs/verdicts.md#ask",
  },
  {
    id: "local.redact",
    promise: "A profile says whether what a hook cannot redact is denied or allowed; usually it is denied.",
    source: "docs/verdicts.md#what-is-denied",
  },
  {
    id: "local.offline",
    promise:
      "For as long as the profile says, the hook decides commands and files without the hub, and reports it later.",
    source: "docs/verdicts.md#without-a-verdict",
  },
  {
    id: "local.offline-integrity",
    promise:
      "Rules kept by the hook are bound to hub and token, and not used when changed, too old or readable by others.",
    source: "docs/verdicts.md#without-a-verdict",
  },
];
