import { useState } from "react";
import { basePath } from "#dashboard/address/base-path";
import { Card } from "#dashboard/parts/card";
import { CodeBlock, CopyButton } from "#dashboard/parts/copy";
import { Segments } from "#dashboard/parts/segments";

type Kind = "claude" | "cursor" | "vscode" | "remote";

const KINDS: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: "claude", label: "Claude Code" },
  { value: "cursor", label: "Cursor" },
  { value: "vscode", label: "VS Code" },
  { value: "remote", label: "Other clients" },
];

const HINTS: Readonly<Record<Kind, string>> = {
  claude: "Paste into a terminal, then type /mcp in Claude Code and choose Authenticate.",
  cursor: "Add to ~/.cursor/mcp.json, then sign in under Settings, MCP.",
  vscode: "Add to .vscode/mcp.json of your project and start the server shown there.",
  remote: "For clients without OAuth support: mcp-remote signs in for them. Put it into their configuration.",
};

const pretty = (value: object): string => JSON.stringify(value, null, 2);

const snippetsFor = (url: string): Readonly<Record<Kind, string>> => ({
  claude: `claude mcp add --transport http hub ${url}`,
  cursor: pretty({ mcpServers: { hub: { url } } }),
  vscode: pretty({ servers: { hub: { type: "http", url } } }),
  remote: pretty({ mcpServers: { hub: { command: "npx", args: ["-y", "mcp-remote", url] } } }),
});

/** How a program that speaks MCP comes to the hub's tools: by its address alone. */
export const ConnectClient = () => {
  const [kind, setKind] = useState<Kind>("claude");
  const url = `${location.origin}${basePath()}/mcp/gateway`;
  const label = KINDS.find(({ value }) => value === kind)?.label ?? kind;
  return (
    <Card
      title="Connect an app"
      hint="The app needs this address, no key: it opens your browser, where you sign in and choose its tools."
    >
      <div className="flex min-w-0 flex-col gap-3">
        <p className="flex items-center gap-1">
          <code className="min-w-0 font-mono text-[13px] break-all">{url}</code>
          <CopyButton text={url} label="Copy address" />
        </p>
        <Segments label="App" value={kind} onChange={setKind} choices={KINDS} />
        <CodeBlock text={snippetsFor(url)[kind]} label={`For ${label}`} />
        <p className="text-[13px] text-muted">{HINTS[kind]}</p>
      </div>
    </Card>
  );
};
