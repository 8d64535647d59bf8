import type { Verb } from "./verb";

/** The configuration as files. */
export const CONFIGURATION_VERBS: readonly Verb[] = [
  {
    name: "apply",
    summary: "Make the configuration what files say",
    operands: ["[FILE…]"],
    form: "-f FILE… [--dry-run] [--prune] [--force] [--as EMAIL] | --schema",
    flags: {
      file: { value: "FILE", about: "configuration file in TOML; may be repeated; - reads stdin", short: "f" },
      "dry-run": { about: "change nothing; exit code 11 when there are differences" },
      prune: { about: "also remove what no file has" },
      force: { about: "overwrite what was changed since the file was exported" },
      as: { value: "EMAIL", about: "administrator in whose name profiles and the policy are changed" },
      schema: { about: "print the JSON Schema of the files" },
    },
    load: () => import("./apply/apply").then((module) => module.apply),
  },
  {
    name: "export config",
    summary: "Print the configuration as a file for apply, without secrets",
    load: () => import("./apply/apply").then((module) => module.exportConfig),
  },
];
