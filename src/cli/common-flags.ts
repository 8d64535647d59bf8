import type { CliFlags } from "./arguments";

/** Flags of every verb. */
export const COMMON_FLAGS: CliFlags = {
  "data-dir": { value: "DIR", about: "data directory", fallback: "./guardhouse-data" },
  config: { value: "FILE", about: "configuration file in TOML" },
  json: { about: "one JSON value on stdout, messages on stderr" },
  debug: { about: "show the stack trace of an unexpected error" },
  help: { short: "h", about: "show this verb's arguments" },
};

/** Flags that stand for a setting; the others of a verb are its own. */
export const SETTING_FLAGS = ["data-dir", "listen", "public-url", "durability", "log-level"] as const;
