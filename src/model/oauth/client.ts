import type { ToolAllowlist } from "#model/tools/tool-scope";

/** What a tool client may be granted. There is no more: who may use which tools is told by lists, not by scopes. */
export const OAUTH_SCOPES = ["mcp:tools", "offline_access"] as const;

/**
 * A program that registered itself, or that its document describes. Its name is what it says of itself, and proves
 * nothing. Times are Unix milliseconds.
 */
export type OAuthClient = {
  /** What it calls itself in OAuth: given by the hub, or the address of its document. */
  readonly id: string;
  /** What the hub's own addresses call it: an id that is an address itself does not outlive all proxies in a path. */
  readonly handle: string;
  readonly name: string | null;
  readonly redirect_uris: readonly string[];
  readonly disabled: boolean;
  readonly created_at: number;
};

/** One client that a user let in. */
export type OAuthConnection = {
  readonly client: OAuthClient;
  readonly user_id: string;
  readonly tools: ToolAllowlist;
  /** Of the latest consent. */
  readonly consented_at: number;
  /** Whether anything is left that opens the gateway or gets a new token. */
  readonly connected: boolean;
};

/** What an access token stands for, as long as it, its client and its user are good. */
export type Bearer = {
  /** Of the token's row, not the token. */
  readonly id: string;
  readonly client: { readonly id: string; readonly name: string | null };
  readonly user_id: string;
  readonly scopes: readonly string[];
  readonly tools: ToolAllowlist;
  readonly created_at: number;
  readonly expires_at: number;
};

export const ACCESS_PREFIX = "gw-at-";
export const REFRESH_PREFIX = "gw-rt-";
const SHAPE = /^gw-(?:at|rt)-[A-Za-z]{32}$/;

/** The shape check that comes before any look-up. */
export const looksLikeOAuthToken = (text: string): boolean => SHAPE.test(text);

/** Public names have their server in front; what has none is no tool's, and may be something that was pasted. */
const PATTERN =
  /^(?:\*|(?:prompts|resources):(?:\*|[a-z0-9-]{1,24})|[a-z0-9-]{1,24}__\*|(?=.{1,64}$)[a-z0-9-]{1,24}__[A-Za-z0-9_-]+)$/;
const MAX_TOOLS = 1_000;

/**
 * Whether it is a list of public names of tools, `files__*` for all of a server, and `*` for all there are; of prompts
 * and resources `prompts:files` and `resources:*` in the same way.
 */
export const isAllowlist = (tools: readonly string[]): boolean =>
  tools.length <= MAX_TOOLS && tools.every((name) => PATTERN.test(name));
