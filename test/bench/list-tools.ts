import { LEGACY_VERSIONS } from "#model/tools/mcp";
import type { Endpoint } from "./load-job.ts";
import { toolsIn } from "./tool-question.ts";

/** Lists tools once: how many there are, and how long it took in milliseconds. */
export async function listTools({ url, token }: Endpoint): Promise<{ readonly tools: number; readonly ms: number }> {
  const began = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": LEGACY_VERSIONS[0],
      ...(token !== "" && { authorization: `Bearer ${token}` }),
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  const text = await response.text();
  const ms = performance.now() - began;
  if (response.status !== 200) throw new Error(`tools/list: status ${response.status}: ${text.slice(0, 200)}`);
  return { tools: toolsIn(JSON.parse(text)).length, ms };
}
