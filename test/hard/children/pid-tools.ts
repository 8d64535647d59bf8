import { createInterface } from "node:readline";

/* A tool server on standard streams that says which process it is: at once, or after a while. */

const TOOLS = ["pid", "wait", "exact"].map((name) => ({
  name,
  description: `Says ${name}.`,
  inputSchema: { type: "object", properties: { ms: { type: "integer" }, number: { type: "number" } } },
}));

const say = (id: unknown, result: string): void => {
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);
};
const text = (words: string): string => JSON.stringify({ content: [{ type: "text", text: words }] });

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === "initialize") {
    const { protocolVersion } = params;
    const server = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "pid", version: "1" } };
    say(id, JSON.stringify(server));
  } else if (method === "tools/list") say(id, JSON.stringify({ tools: TOOLS }));
  else if (params.name === "wait") setTimeout(() => say(id, text(String(process.pid))), params.arguments.ms);
  // As it came, where a double would not hold it.
  else if (params.name === "exact") say(id, text(/"number":([-\d.e]+)/.exec(line)?.[1] ?? "none"));
  else say(id, text(String(process.pid)));
}
