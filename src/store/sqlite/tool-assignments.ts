import { and, asc, eq } from "drizzle-orm";
import type { ToolAssignment } from "#core/tool";
import type { Connection } from "./connection";
import { strings } from "./json-columns";
import { tables } from "./schema";

const { toolAssignment } = tables;

type Queries = Connection["queries"];

const columns = { agent_id: toolAssignment.agentId, server_id: toolAssignment.serverId, tools: toolAssignment.tools };

export const allAssignments = (queries: Queries): ToolAssignment[] => {
  const order = [asc(toolAssignment.agentId), asc(toolAssignment.serverId)];
  return queries
    .select(columns)
    .from(toolAssignment)
    .orderBy(...order)
    .all()
    .map(checked);
};

type Of = { readonly agent_id: string } | { readonly server_id: string };

export const assignmentsOf = (queries: Queries, of: Of): ToolAssignment[] => {
  const here = "agent_id" in of ? eq(toolAssignment.agentId, of.agent_id) : eq(toolAssignment.serverId, of.server_id);
  const order = [asc(toolAssignment.agentId), asc(toolAssignment.serverId)];
  const found = queries.select(columns).from(toolAssignment).where(here);
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

export const assign = (queries: Queries, { agent_id, server_id, tools }: ToolAssignment): void => {
  const target = [toolAssignment.agentId, toolAssignment.serverId];
  const insert = queries.insert(toolAssignment).values({ agentId: agent_id, serverId: server_id, tools });
  insert.onConflictDoUpdate({ target, set: { tools } }).run();
};

export const unassign = (queries: Queries, agentId: string, serverId: string): boolean => {
  const here = and(eq(toolAssignment.agentId, agentId), eq(toolAssignment.serverId, serverId));
  const removal = queries.delete(toolAssignment).where(here);
  return removal.returning({ agentId: toolAssignment.agentId }).all().length === 1;
};
