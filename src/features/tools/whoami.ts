import type { ToolView } from "#guard/tools/view";
import type { TokenPrincipal } from "#model/principal";
import type { CallToolResult, Tool } from "#model/tools/mcp-types";
import { SEARCH_TOOLS, WHOAMI } from "#model/tools/own-tools";
import type { ToolDefinition } from "#model/tools/tool";
import { TOOL_LAYERS, type ToolLayer } from "#model/tools/tool-scope";

export const WHOAMI_TOOL: Tool & ToolDefinition = {
  name: WHOAMI,
  title: "Who am I at this gateway?",
  description:
    "Tells who you are at this tool gateway and why tools you expect may be missing: how many tools you are listed, how many are hidden and by which layer, and which servers cannot be reached. Call it when a tool you need is not in the list.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** What is to be done about tools a layer hides. */
const ADVICE: Readonly<Record<ToolLayer, string>> = {
  server: "their server is switched off; its owner can switch it on",
  definition: "their definition is new, changed or suspicious; the server's owner must approve it",
  agent: "they are not assigned to this agent; its owner can assign them",
  profile: "the agent's guardrail profile does not permit them",
  restriction: "a restriction is in force on this agent; its owner can see which, and until when",
  client: "the app you signed in with was not allowed them; change that in Settings",
};

export type ServerState = { readonly slug: string; readonly status: string };

/** Counts only: what is hidden from a caller is not named to it. */
export const whoami = (
  { user, agent }: TokenPrincipal,
  view: ToolView,
  servers: readonly ServerState[],
): CallToolResult => {
  const counts = countByLayer(view);
  const down = servers.filter(({ status }) => status !== "ok");
  const hidden = TOOL_LAYERS.filter((layer) => counts[layer] > 0);
  const where = view.isSearched ? `are yours; find them with ${SEARCH_TOOLS}` : "are listed";
  const lines = [
    `You are ${agent ? `the agent ${agent.name} of ${user.email}` : user.email}. ${view.open.size} tools ${where}.`,
    ...hidden.map((layer) => `${counts[layer]} hidden: ${ADVICE[layer]}.`),
    ...down.map(({ slug, status }) => `The server ${slug} is ${status}.`),
    ...(hidden.length === 0 && down.length === 0 ? ["Nothing is hidden from you."] : []),
  ];
  return {
    content: [{ type: "text", text: lines.join("\n") }],
    structuredContent: {
      user: user.email,
      agent: agent?.name ?? null,
      listed: view.isSearched ? 0 : view.open.size,
      searchable: view.isSearched ? view.open.size : 0,
      hidden: counts,
      servers: servers.map((server) => ({ ...server })),
      allowlist_revision: view.revision,
    },
    isError: false,
  };
};

const countByLayer = ({ hidden }: ToolView): Record<ToolLayer, number> => {
  const counts: Record<ToolLayer, number> = {
    server: 0,
    definition: 0,
    agent: 0,
    profile: 0,
    restriction: 0,
    client: 0,
  };
  for (const { layer } of hidden.values()) counts[layer] += 1;
  return counts;
};
