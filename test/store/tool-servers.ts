import type { ToolPin, ToolServer } from "#model/tools/tool";
import type { SeenTool } from "#store/port";
import type { ConfigStore } from "#store/repositories/all";
import { BOB, bodies, type ContractStore, withPeople } from "#test/store/contract";
import { someRecord } from "#test/store/records";

export const FILES: ToolServer = {
  id: "s1",
  owner_id: "u1",
  slug: "files",
  transport: "stdio",
  url: null,
  command: ["bun", "files.ts", "--read only"],
  given_by: "operator",
  active: true,
  credential_kind: "none",
  sealed_credentials: null,
  credential_version: 1,
  call_ms: null,
  list_ms: 2_500,
  published_at: null,
  published_as: null,
  protocol: null,
  elicitation_hosts: [],
  created_at: 6,
};
export const MAIL: ToolServer = {
  ...FILES,
  id: "s2",
  slug: "mail",
  transport: "streamable-http",
  url: "https://mail.example/mcp",
  command: null,
  given_by: "user",
  credential_kind: "headers",
  sealed_credentials: "v1.x.y.z",
  call_ms: 60_000,
  list_ms: null,
};

/** A tool as it is seen for the first time: approved at once, and nothing found in it. */
/** Of an assignment of tools alone. */
export const NOTHING_ELSE = { resources: [], prompts: [] };

export const someTool = (tool: string, change: Partial<SeenTool> = {}): SeenTool => ({
  server_id: "s1",
  kind: "tool",
  tool,
  name: `files__${tool}`,
  seen: `{"name":"${tool}"}`,
  seen_hash: `hash of ${tool}`,
  flags: [],
  refused: false,
  seen_at: 100,
  lacks_meta: false,
  pinIfNew: true,
  ...change,
});

/** The row such a tool has. */
export const approved = ({ pinIfNew: _, ...seen }: SeenTool): ToolPin => ({
  ...seen,
  pinned: seen.seen,
  pinned_hash: seen.seen_hash,
  present: true,
});
export const unapproved = (seen: SeenTool): ToolPin => ({ ...approved(seen), pinned: null, pinned_hash: null });

export const withServers = async (store: ConfigStore): Promise<void> => {
  await withPeople(store);
  await store.users.create(BOB, null, someRecord());
  await store.tools.add(FILES, someRecord());
  await store.tools.add(MAIL, someRecord());
};

/** What a change leaves behind besides itself: revision and records. */
export const traces = async (store: ContractStore): Promise<[revision: number, records: number]> => [
  await store.changes.revision(),
  (await bodies(store)).length,
];
