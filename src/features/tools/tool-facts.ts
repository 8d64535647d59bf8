import type { ToolFacts } from "#model/audit";
import type { ToolRequest } from "./dialect/port";

const NO_FACTS = {
  server: null,
  server_id: null,
  tool: null,
  name: null,
  denied_by: null,
  is_error: null,
  listed: null,
} as const;

/** What the record of a request says before it is known what it is for. `revision`: the registry's. */
export const facts = (
  { dialect }: Pick<ToolRequest, "dialect">,
  { revision }: { readonly revision: number },
): ToolFacts => ({ dialect, allowlist_revision: revision, ...NO_FACTS });
