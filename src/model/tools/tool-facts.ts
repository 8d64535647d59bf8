import type { ToolLayer } from "#model/tools/tool-scope";

/** What a record says of a call through the tool gateway. */
export type ToolFacts = {
  readonly dialect: string;
  /** The registry's revision the caller's tools were read off. */
  readonly allowlist_revision: number;
  /** Slug and id of the server; null for a list, and for a name that means nothing. */
  readonly server: string | null;
  readonly server_id: string | null;
  /** The server's own name of the tool and its public name. A name nobody gave a tool is content: not recorded. */
  readonly tool: string | null;
  readonly name: string | null;
  /** Why it was not the caller's to call; `unknown` where there is no such tool. */
  readonly denied_by: ToolLayer | "unknown" | null;
  /** Whether the tool itself said that it failed. */
  readonly is_error: boolean | null;
  /** How many tools a list showed. */
  readonly listed: number | null;
};
