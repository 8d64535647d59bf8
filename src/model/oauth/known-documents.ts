import type { Registration } from "./registration";

/*
 * Documents of programs that are met everywhere, as they were published in autumn 2026: they need no connection to
 * anybody, and some of their hosts refuse servers in data centres anyway. A copy is preferred to what its address
 * serves now, so that signing in depends on nobody else; it changes with a release. What is known of each, and from
 * where, is in docs/decisions/0014-client-documents.md.
 */

const LOCAL = ["http://127.0.0.1/callback", "http://localhost/callback"] as const;

export const KNOWN_DOCUMENTS: ReadonlyMap<string, Registration> = new Map([
  ["https://claude.ai/oauth/claude-code-client-metadata", { name: "Claude Code", redirect_uris: LOCAL }],
  [
    "https://claude.ai/oauth/mcp-oauth-client-metadata",
    { name: "Claude", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] },
  ],
  [
    "https://chatgpt.com/oauth/client.json",
    { name: "ChatGPT", redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"] },
  ],
  ["https://chatgpt.com/oauth/codex/client.json", { name: "Codex", redirect_uris: LOCAL }],
  [
    "https://vscode.dev/oauth/client-metadata.json",
    { name: "Visual Studio Code", redirect_uris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"] },
  ],
  ["https://zed.dev/oauth/client-metadata.json", { name: "Zed", redirect_uris: ["http://127.0.0.1/callback"] }],
  ["https://opencode.ai/oauth/opencode/client.json", { name: "OpenCode", redirect_uris: LOCAL }],
]);
