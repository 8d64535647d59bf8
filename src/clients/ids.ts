/** Clients that `connect` knows, by what they are called on the command line. */
export const CLIENT_IDS = [
  "claude-code",
  "codex",
  "cursor",
  "vscode",
  "opencode",
  "zed",
  "continue",
  "openai",
] as const;
export type ClientId = (typeof CLIENT_IDS)[number];
