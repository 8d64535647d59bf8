/*
 * Who may use which tool. Listing and calling ask the same function, so that what is listed can be called and
 * nothing else can.
 */

/** Public names: `files__read`, `files__*` for a whole server, `*` for all. */
export type ToolAllowlist = readonly string[];

/** What narrows a caller beyond the servers of its user. A layer that is null does not apply. */
export type ToolScope = {
  /** Of an agent token: what was assigned to the agent. A human or OAuth token has no such layer. */
  readonly agent: ((serverId: string, tool: string) => boolean) | null;
  /** Of the guardrail profile and the restrictions in force: which of them forbids a public name, if one does. */
  readonly governed: ((name: string) => "profile" | "restriction" | null) | null;
  /** Of the OAuth client the caller came through. */
  readonly client: ToolAllowlist | null;
};

/** The layers in the order they are asked; the first that says no is the one on record. */
export const TOOL_LAYERS = ["server", "definition", "agent", "profile", "restriction", "client"] as const;
export type ToolLayer = (typeof TOOL_LAYERS)[number];

/** A tool of one of the caller's own servers, as far as the decision needs it. */
export type ScopedTool = {
  readonly server_id: string;
  /** The server's own name for it. */
  readonly tool: string;
  /** The public name. */
  readonly name: string;
  readonly isServerActive: boolean;
  /** Pinned as approved, and the server still describes it so. */
  readonly isApproved: boolean;
};

/** The layer that hides the tool from the caller; null when it may list and call it. */
export const hiddenBy = ({ agent, governed, client }: ToolScope, tool: ScopedTool): ToolLayer | null => {
  if (!tool.isServerActive) return "server";
  if (!tool.isApproved) return "definition";
  if (agent !== null && !agent(tool.server_id, tool.tool)) return "agent";
  const forbidding = governed?.(tool.name) ?? null;
  if (forbidding !== null) return forbidding;
  if (client !== null && !permits(client, tool.name)) return "client";
  return null;
};

/** Whether a list names the tool. */
export const permits = (allowlist: ToolAllowlist, name: string): boolean => {
  if (allowlist.includes(name) || allowlist.includes("*")) return true;
  return allowlist.includes(`${name.slice(0, name.indexOf("__"))}__*`);
};
