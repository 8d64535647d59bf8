/*
 * Who may use which tool, prompt or resource. Listing and calling ask the same function, so that what is listed can be
 * called and nothing else can.
 */

/**
 * Public names of tools: `files__read`, `files__*` for a whole server, `*` for all. Prompts and resources are named
 * apart, by their server: `prompts:files`, `resources:*`.
 */
export type ToolAllowlist = readonly string[];

export type OfferKind = "prompt" | "resource" | "template";
export type ScopedKind = "tool" | OfferKind;

/** What narrows a caller beyond the servers of its user. A layer that is null does not apply. */
export type ToolScope = {
  /** Of an agent token: what was assigned to the agent. A human or OAuth token has no such layer. */
  readonly agent: ((serverId: string, tool: string, kind: ScopedKind) => boolean) | null;
  /** Of the guardrail profile and the restrictions in force: which of them forbids a public name, if one does. */
  readonly governed: ((name: string, kind: ScopedKind, slug: string) => "profile" | "restriction" | null) | null;
  /** Of the OAuth client the caller came through. */
  readonly client: ToolAllowlist | null;
};

/** The layers in the order they are asked; the first that says no is the one on record. */
export const TOOL_LAYERS = ["server", "definition", "agent", "profile", "restriction", "client"] as const;
export type ToolLayer = (typeof TOOL_LAYERS)[number];

/** A tool of one of the caller's own servers, as far as the decision needs it. */
export type ScopedTool = {
  readonly server_id: string;
  /** Absent for a tool. */
  readonly kind?: ScopedKind;
  /** Slug of the server, for what is no tool. */
  readonly slug?: string;
  /** The server's own name for it; of a resource its URI. */
  readonly tool: string;
  /** The public name, or URI. */
  readonly name: string;
  readonly isServerActive: boolean;
  /** Pinned as approved, and the server still describes it so. */
  readonly isApproved: boolean;
};

/** The layer that hides the tool from the caller; null when it may list and call it. */
export const hiddenBy = ({ agent, governed, client }: ToolScope, tool: ScopedTool): ToolLayer | null => {
  if (!tool.isServerActive) return "server";
  if (!tool.isApproved) return "definition";
  const { kind = "tool", slug = "" } = tool;
  if (agent !== null && !agent(tool.server_id, tool.tool, kind)) return "agent";
  const forbidding = governed?.(tool.name, kind, slug) ?? null;
  if (forbidding !== null) return forbidding;
  const isPermitted = client === null || (kind === "tool" ? permits(client, tool.name) : offers(client, kind, slug));
  return isPermitted ? null : "client";
};

/** Whether a list names what else a server offers. */
const offers = (allowlist: ToolAllowlist, kind: OfferKind, slug: string): boolean => {
  const word = kind === "prompt" ? "prompts" : "resources";
  return allowlist.includes(`${word}:*`) || allowlist.includes(`${word}:${slug}`);
};

/** Whether a list names the tool. */
export const permits = (allowlist: ToolAllowlist, name: string): boolean => {
  if (allowlist.includes(name) || allowlist.includes("*")) return true;
  return allowlist.includes(`${name.slice(0, name.indexOf("__"))}__*`);
};
