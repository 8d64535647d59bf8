/** Where the tool gateway is, below the public URL. */
export const GATEWAY_PATH = "/mcp/gateway";
/** The least a tool client needs. `offline_access` must not stand here (MCP, authorization, scope selection). */
export const GATEWAY_SCOPE = "mcp:tools";
/** Where the authorization server is, below the public URL: its issuer. */
export const AUTHORIZATION_PATH = "/api/auth";

/** The address of something below the public URL. */
export const at = (publicUrl: string, path: string): string => publicUrl.replace(/\/+$/, "") + path;
