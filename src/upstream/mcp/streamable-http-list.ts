import { isRecord } from "#core/json/json";
import { RPC } from "#model/tools/mcp";
import type { ListToolsResult, PaginatedRequestParams, Tool, Unchecked } from "#model/tools/mcp-types";
import { ToolFailure, type UpstreamToolAnswer } from "#upstream/tool-port";
import type { ParamHeaders } from "./http-param-headers.ts";
import type { Link } from "./streamable-http-link.ts";

/** A list that goes on longer is no list. */
const MAX_PAGES = 100;
const MAX_TOOLS = 10_000;

/** An answer, and the link that it came by. */
export type LinkedAnswer = { readonly answer: UpstreamToolAnswer; readonly link: Link };
type Page = { readonly tools: readonly unknown[]; readonly next: string | null };

/** All pages of `tools/list`, and the link of the last. Throws `ToolFailure`. */
export const listTools = async (
  slug: string,
  headers: ParamHeaders,
  ask: (params: PaginatedRequestParams) => Promise<LinkedAnswer>,
): Promise<{ readonly tools: readonly unknown[]; readonly link: Link }> => {
  const tools: unknown[] = [];
  let link: Link | null = null;
  const cursors = new Set<string>();
  let params: PaginatedRequestParams = {};
  for (let count = 0; count < MAX_PAGES && tools.length < MAX_TOOLS; count += 1) {
    const asked = await ask(params);
    link = asked.link;
    const page = pageOf(slug, headers, asked);
    for (const tool of page.tools.slice(0, MAX_TOOLS - tools.length)) tools.push(tool);
    // The same cursor again would go round in circles.
    if (page.next === null || cursors.has(page.next)) break;
    cursors.add(page.next);
    params = { cursor: page.next };
  }
  if (link === null) throw new ToolFailure("unreachable", `${slug} was not asked for its tools.`, false);
  return { tools, link };
};

const pageOf = (slug: string, headers: ParamHeaders, { answer, link }: LinkedAnswer): Page => {
  if (answer.kind === "error") {
    // A server of prompts or resources alone has no list of tools, and may say so in this way.
    if (answer.code === RPC.methodNotFound && !link.capabilities.tools) return { tools: [], next: null };
    throw new ToolFailure("garbage", `${slug} refused to list its tools (JSON-RPC error ${answer.code}).`, false);
  }
  const { tools, nextCursor }: Unchecked<ListToolsResult> = answer.result;
  if (!Array.isArray(tools)) throw new ToolFailure("garbage", `${slug} answered with what is no list.`, false);
  return {
    tools: link.era === "modern" ? tools.filter((tool) => mayBeListed(tool, headers)) : tools,
    next: typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : null,
  };
};

/** Clients must leave out tools whose headers are declared wrongly (2026-07-28, "Schema Extension"). */
const mayBeListed = (value: unknown, headers: ParamHeaders): boolean => {
  if (!isRecord(value)) return true;
  const tool: Unchecked<Tool> = value;
  return headers.areValid(tool.inputSchema);
};
