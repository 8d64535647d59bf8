import { CLI_ACTOR } from "#model/change";
import type { Arguments } from "./arguments";
import { EXIT } from "./exit";
import { card } from "./output";
import { type CliSession, changing } from "./session";
import { serverNamed, toolServersOf } from "./tool-servers";
import type { Invocation, RunVerb } from "./verb";

/** Null when the flag is not given. */
export const namesIn = (args: Arguments): string[] | null => args.text("tools")?.split(",") ?? null;

/** The server, and the agent by its name among those of the server's owner. */
const parties = async (session: CliSession, invocation: Invocation) => {
  const server = await serverNamed(session, invocation);
  const service = toolServersOf(session, invocation);
  const { id, slug, owner, transport, status } = await service.shown(server);
  const agent = await session.access.agent(invocation.args.need("agent"), owner);
  return {
    service,
    server,
    agent,
    shown: { id, slug, owner, transport, status, agent_id: agent.id, agent: agent.name },
  };
};

export const assignTools: RunVerb = async (invocation) => {
  const done = await changing(invocation, async (session) => {
    const { service, server, agent, shown } = await parties(session, invocation);
    const { tools } = await service.assign(CLI_ACTOR, server, agent.id, namesIn(invocation.args));
    return { ...shown, tools };
  });
  const { slug, owner, agent, tools } = done;
  await invocation.out.result(done, card({ slug, owner, agent, tools: tools?.join(",") ?? "all" }));
  return EXIT.ok;
};

export const unassignTools: RunVerb = async (invocation) => {
  const done = await changing(invocation, async (session) => {
    const { service, server, agent, shown } = await parties(session, invocation);
    await service.unassign(CLI_ACTOR, server, agent.id);
    return { ...shown, tools: [] };
  });
  await invocation.out.result(done, `${done.agent} has no tools of ${done.slug} any more.`);
  return EXIT.ok;
};
