import type { Flags } from "./arguments";

/** Flags of every verb. */
export const COMMON_FLAGS: Flags = {
  "data-dir": { value: "DIR", about: "where everything is kept", fallback: "./guardhouse-data" },
  config: { value: "FILE", about: "settings in TOML" },
  json: { about: "one JSON value on stdout, messages on stderr" },
  debug: { about: "show where an unexpected error came from" },
  help: { short: "h", about: "show this verb's arguments" },
};

/** Flags that stand for a setting; the others of a verb are its own. */
export const SETTING_FLAGS = ["data-dir", "listen", "public-url", "durability", "log-level"] as const;
