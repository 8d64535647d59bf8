import { and, asc, eq, type SQL } from "drizzle-orm";
import type { ToolAssignment } from "#model/tools/tool";
import { anyRow, type Queries, run, type Steps, type Words } from "#store/db";
import { strings } from "#store/stored";
import type { Tables } from "#store/tables";

/** Of one agent, of one server, of some servers, or all. */
type Of =
  | { readonly agent_id: string }
  | { readonly server_id: string }
  | { readonly servers: readonly string[] }
  | null;

/** What `assignmentOf` makes assignments of. */
export const assignmentRows =
  (of: Of) =>
  (q: Queries, { toolAssignment: it }: Tables, words: Words) => {
    const order = [asc(it.agent_id), asc(it.server_id)];
    return q
      .select()
      .from(it)
      .where(conditionOf(it, of, words))
      .orderBy(...order);
  };

const conditionOf = (it: Tables["toolAssignment"], of: Of, words: Words): SQL | undefined => {
  if (of === null) return undefined;
  if ("servers" in of) return words.among(it.server_id, of.servers);
  return "agent_id" in of ? eq(it.agent_id, of.agent_id) : eq(it.server_id, of.server_id);
};

export const assignmentOf = ({
  tools,
  resources,
  prompts,
  ...row
}: Record<"tools" | "resources" | "prompts", unknown> &
  Pick<ToolAssignment, "agent_id" | "server_id">): ToolAssignment => ({
  ...row,
  // Null is all of them, so what is damaged must not become it.
  tools: tools === null ? null : strings(tools, `tools assigned to agent ${row.agent_id}`),
  resources: strings(resources, `resources assigned to agent ${row.agent_id}`),
  prompts: strings(prompts, `prompts assigned to agent ${row.agent_id}`),
});

export const assign = (assignment: ToolAssignment): Steps<void> =>
  run((q, { toolAssignment: it }) => {
    const target = [it.agent_id, it.server_id];
    const { tools, resources, prompts } = assignment;
    return q.insert(it).values(assignment).onConflictDoUpdate({ target, set: { tools, resources, prompts } });
  });

export const unassign = (agentId: string, serverId: string): Steps<boolean> =>
  anyRow((q, { toolAssignment: it }) =>
    q
      .delete(it)
      .where(and(eq(it.agent_id, agentId), eq(it.server_id, serverId)))
      .returning({ agent_id: it.agent_id }),
  );
