import { isRecord } from "#core/json/json";
import { unitsOf } from "#core/json/json-size";
import type { Listing } from "#guard/tools/discovery";
import { RPC, type ServerMethod } from "#model/tools/mcp";
import { MAX_DEFINITION_SIZE } from "#model/tools/offered-definition";
import { slices } from "#platform/slices";
import { ToolFailure, type ToolListing, type UpstreamRequest, type UpstreamToolAnswer } from "#upstream/tool-port";

/** A list that goes on longer is no list. */
const MAX_PAGES = 100;
const MAX_ITEMS = 10_000;
/** All that is read of a list, in UTF-16 units of JSON: it is in memory until its last page has come. */
const MAX_LIST_SIZE = 8_388_608;

export type Asking = {
  readonly slug: string;
  readonly ask: (request: UpstreamRequest) => Promise<UpstreamToolAnswer>;
  /** Longest silence of one page, milliseconds. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
};

/**
 * All pages of a list beside that of tools, unchecked, without what is too large for a definition. A list that goes on
 * beyond the limits ends there. Throws `ToolFailure`.
 */
export const pagesOf = async (
  { slug, ask, silenceMs, signal }: Asking,
  method: ServerMethod,
  field: string,
): Promise<readonly unknown[]> => {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | null = null;
  let left = MAX_LIST_SIZE;
  do {
    const params = cursor === null ? {} : { cursor };
    const answer = await ask({
      method,
      params,
      meta: {},
      clientCapabilities: null,
      silenceMs,
      signal,
      onProgress: null,
    });
    if (answer.kind === "error") {
      // It announced more than it has.
      if (answer.code === RPC.methodNotFound) return items;
      throw new ToolFailure("garbage", `${slug} refused ${method} (JSON-RPC error ${answer.code}).`, false);
    }
    const page = answer.result[field];
    if (!Array.isArray(page) || page.length > MAX_ITEMS) {
      throw new ToolFailure("garbage", `${slug} answered ${method} with what is no list.`, false);
    }
    const pause = slices.begin();
    for (const item of page) {
      const wait = pause();
      if (wait) await wait;
      const size = unitsOf(item, MAX_DEFINITION_SIZE);
      left -= size;
      if (left < 0 || items.length === MAX_ITEMS) return items;
      if (size <= MAX_DEFINITION_SIZE) items.push(item);
    }
    const next = answer.result["nextCursor"];
    cursor = typeof next === "string" && next !== "" && !cursors.has(next) ? next : null;
    if (cursor !== null) cursors.add(cursor);
    left -= cursor?.length ?? 0;
  } while (cursor !== null && cursors.size < MAX_PAGES && items.length < MAX_ITEMS && left > 0);
  return items;
};

export const announces = (
  capabilities: NonNullable<ToolListing["capabilities"]>,
  what: "prompts" | "resources",
): boolean => isRecord(capabilities[what]);

/** What of a server's definitions is listed beside its tools. What it does not answer is as it was. */
export const withOffers = async (listing: ToolListing, asking: Asking): Promise<Listing> => {
  const { capabilities = {} } = listing;
  const [prompts, templates] = await Promise.all([
    announces(capabilities, "prompts") ? listed(asking, "prompts/list", "prompts") : [],
    announces(capabilities, "resources") ? listed(asking, "resources/templates/list", "resourceTemplates") : [],
  ]);
  return { ...listing, prompts, templates };
};

const listed = async (asking: Asking, method: ServerMethod, field: string): Promise<readonly unknown[] | null> => {
  try {
    return await pagesOf(asking, method, field);
  } catch (error) {
    // A list of prompts that fails must not take the tools away.
    if (error instanceof ToolFailure) return null;
    throw error;
  }
};
