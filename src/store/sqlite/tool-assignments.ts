import { and, asc, eq } from "drizzle-orm";
import type { ToolAssignment } from "#model/tools/tool";
import { strings } from "./columns";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { toolAssignment } = tables;

type Queries = Connection["queries"];

export const allAssignments = (queries: Queries): ToolAssignment[] => {
  const order = [asc(toolAssignment.agent_id), asc(toolAssignment.server_id)];
  return queries
    .select()
    .from(toolAssignment)
    .orderBy(...order)
    .all()
    .map(checked);
};

type Of = { readonly agent_id: string } | { readonly server_id: string };

export const assignmentsOf = (queries: Queries, of: Of): ToolAssignment[] => {
  const here = "agent_id" in of ? eq(toolAssignment.agent_id, of.agent_id) : eq(toolAssignment.server_id, of.server_id);
  const order = [asc(toolAssignment.agent_id), asc(toolAssignment.server_id)];
  const found = queries.select().from(toolAssignment).where(here);
  return found
    .orderBy(...order)
    .all()
    .map(checked);
};

const checked = ({ tools, ...row }: Omit<ToolAssignment, "tools"> & { readonly tools: unknown }): ToolAssignment => ({
  ...row,
  // Null is all of them, so what is damaged must not become it.
  tools: tools === null ? null : strings(tools, `tools assigned to agent ${row.agent_id}`),
});

export const assign = (queries: Queries, assignment: ToolAssignment): void => {
  const target = [toolAssignment.agent_id, toolAssignment.server_id];
  const insert = queries.insert(toolAssignment).values(assignment);
  insert.onConflictDoUpdate({ target, set: { tools: assignment.tools } }).run();
};

export const unassign = (queries: Queries, agentId: string, serverId: string): boolean => {
  const here = and(eq(toolAssignment.agent_id, agentId), eq(toolAssignment.server_id, serverId));
  const removal = queries.delete(toolAssignment).where(here);
  return removal.returning({ agent_id: toolAssignment.agent_id }).all().length === 1;
};
