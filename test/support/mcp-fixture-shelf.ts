import { isRecord, type JsonRecord } from "#core/json/json";
import { RpcFault } from "./mcp-fixture-answer.ts";
import { OFFERED, offered } from "./mcp-fixture-offers.ts";
import type { Definition, FixtureTool, ToolCall } from "./mcp-fixture-tools.ts";

/** A message as it came: a request has an id, a notification none, an answer no method. */
export type Message = {
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: JsonRecord;
  readonly body: JsonRecord;
};

export const messageOf = (body: JsonRecord): Message => {
  const { id, method, params } = body;
  return {
    id: typeof id === "string" || typeof id === "number" ? id : undefined,
    method: typeof method === "string" ? method : "",
    params: isRecord(params) ? params : {},
    body,
  };
};

export const SERVER_INFO = { name: "guardhouse-test-fixture", version: "1.0.0" };

export const reply = (id: Message["id"], result: JsonRecord) => ({ jsonrpc: "2.0", id, result });
export const failure = (id: Message["id"] | null, { code, message, data }: RpcFault) => ({
  jsonrpc: "2.0",
  id: id ?? null,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

/** The tools both wires offer. */
export class Shelf {
  readonly #tools = new Map<string, FixtureTool>();

  constructor(
    tools: readonly FixtureTool[],
    private readonly pageSize: number,
    readonly hasOffers = false,
  ) {
    for (const tool of tools) this.#tools.set(tool.definition.name, tool);
  }

  /** Whether a further prompt is listed. */
  hasExtraPrompt = false;

  /** What is announced beside tools. */
  get capabilities(): JsonRecord {
    return this.hasOffers ? OFFERED : {};
  }

  /** The result of a method beside those of tools; null for none. */
  offered(method: string, params: JsonRecord): JsonRecord | null {
    if (!this.hasOffers) return null;
    const result = offered(method, params);
    const extra = this.hasExtraPrompt && result !== null ? result["prompts"] : undefined;
    return Array.isArray(extra)
      ? { prompts: [...extra, { name: "test_comes_and_goes", description: "A prompt for a while" }] }
      : result;
  }

  set(tool: FixtureTool): void {
    this.#tools.set(tool.definition.name, tool);
  }

  remove(name: string): void {
    this.#tools.delete(name);
  }

  tool(name: unknown): FixtureTool {
    const tool = typeof name === "string" ? this.#tools.get(name) : undefined;
    if (tool === undefined) throw new RpcFault(-32602, "Unknown tool", undefined, 200);
    return tool;
  }

  get definitions(): readonly Definition[] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  /** One page of the list; a cursor is the number of tools before it. */
  page(cursor: unknown): { readonly tools: readonly Definition[]; readonly nextCursor?: string } {
    const from = typeof cursor === "string" ? Number(cursor) : 0;
    const all = this.definitions;
    const to = from + this.pageSize;
    const tools = all.slice(from, to);
    return to < all.length ? { tools, nextCursor: `${to}` } : { tools };
  }

  /** A tool that throws has failed; only a fault is an error of the protocol. */
  async run(name: unknown, call: ToolCall): Promise<JsonRecord> {
    const tool = this.tool(name);
    try {
      return await tool.run(call);
    } catch (fault) {
      if (fault instanceof RpcFault) throw fault;
      return { content: [{ type: "text", text: `${fault}` }], isError: true };
    }
  }
}
