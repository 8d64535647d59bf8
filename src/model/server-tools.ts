/** Tools that run at a model's provider, past the tool gateway, by what they do. */
export const SERVER_TOOLS = [
  "advisor",
  "browser",
  "code_execution",
  "code_interpreter",
  "computer",
  "file_search",
  "image_generation",
  "mcp",
  "shell",
  "web_fetch",
  "web_search",
  /** Of a type that was not known when this was written. */
  "other",
] as const;

export type ServerToolType = (typeof SERVER_TOOLS)[number];

/** One that a request turns on. `host` is where a remote MCP server is; null where that is not said, and for all others. */
export type ServerTool = { readonly type: ServerToolType; readonly host: string | null };

/** Which may be turned on, and at which hosts remote MCP servers may be. */
export type ServerToolRules = { readonly allow: readonly ServerToolType[]; readonly mcp_hosts: readonly string[] };

/** They read, and change nothing. */
export const READING_SERVER_TOOLS: ReadonlySet<ServerToolType> = new Set(["file_search", "web_fetch", "web_search"]);

/** Whether a host is one of those named; `*.example.org` stands for all below it, `*` for all. */
export const isHostAllowed = (patterns: readonly string[], host: string): boolean => {
  const name = host.toLowerCase();
  return patterns.some((pattern) => {
    const wanted = pattern.toLowerCase();
    if (wanted === "*" || wanted === name) return true;
    return wanted.startsWith("*.") && name.endsWith(wanted.slice(1));
  });
};

/** The host of an address, with its port where it has one; null for what is no address. */
export const hostOf = (url: unknown): string | null => {
  if (typeof url !== "string" || !URL.canParse(url)) return null;
  const { host } = new URL(url);
  return host === "" ? null : host;
};
