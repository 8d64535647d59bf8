import { useState } from "react";
import { basePath } from "#dashboard/address/base-path";
import { CodeBlock } from "#dashboard/parts/copy";
import { Segments } from "#dashboard/parts/segments";

type Kind = "curl" | "python" | "node" | "ide" | "mcp";

const KINDS: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: "curl", label: "curl" },
  { value: "python", label: "Python" },
  { value: "node", label: "Node.js" },
  { value: "ide", label: "Claude Code, IDEs" },
  { value: "mcp", label: "MCP client" },
];

const HINTS: Readonly<Record<Kind, string>> = {
  curl: "Paste into a terminal.",
  python: "pip install openai. Existing OpenAI clients need only another base_url and key.",
  node: "npm install openai. Existing OpenAI clients need only another baseURL and key.",
  ide: "Tools for your editor, without a key: the editor opens your browser, where you choose its tools.",
  mcp: "For the configuration of an MCP client that cannot open a browser.",
};

/** How a key is used, ready to be pasted. */
const snippetsFor = (hub: string, token: string, model: string, words: string): Readonly<Record<Kind, string>> => ({
  curl: `curl ${hub}/v1/chat/completions \\
  -H "authorization: Bearer ${token}" \\
  -H "content-type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "${words}"}]}'`,
  python: `from openai import OpenAI

client = OpenAI(base_url="${hub}/v1", api_key="${token}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${words}"}],
)
print(answer.choices[0].message.content)`,
  node: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${hub}/v1", apiKey: "${token}" });
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "${words}" }],
});
console.log(answer.choices[0].message.content);`,
  ide: `claude mcp add --transport http hub ${hub}/mcp/gateway`,
  mcp: JSON.stringify(
    { mcpServers: { hub: { type: "http", url: `${hub}/mcp/gateway`, headers: { Authorization: `Bearer ${token}` } } } },
    null,
    2,
  ),
});

export const KeySnippets = ({
  token = "gw-live-…",
  model = "guardhouse/echo",
  words = "Hello",
}: {
  readonly token?: string | undefined;
  readonly model?: string | undefined;
  /** What is said to the model. Nothing that JSON or a shell would read otherwise. */
  readonly words?: string;
}) => {
  const [kind, setKind] = useState<Kind>("curl");
  // Where the browser found the hub, programs on this machine find it too.
  const text = snippetsFor(`${location.origin}${basePath()}`, token, model, words)[kind];
  const label = KINDS.find(({ value }) => value === kind)?.label ?? kind;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Segments label="Client" value={kind} onChange={setKind} choices={KINDS} />
      <CodeBlock text={text} label={`Example: ${label}`} />
      <p className="text-[13px] text-muted">{HINTS[kind]}</p>
    </div>
  );
};
