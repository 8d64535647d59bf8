import type { AgentChange, AgentResponse } from "#features/agents/schema";
import { agentResponse, peopleOf } from "#features/agents/schema";
import type { AgentService } from "#features/agents/service";
import { emailsFor } from "#identity/names";
import type { Agent } from "#model/agent";
import { CLI_ACTOR } from "#model/change";
import { OPERATOR } from "#model/suspension";
import { systemClock } from "#platform/clock";
import type { Arguments } from "./arguments";
import { EXIT, usage } from "./exit";
import { shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

export const agentsOf = ({ parts }: CliSession): AgentService => parts.agentService;

/** The agent the command is about; a name is looked up among the agents of `--owner`. Throws `not_found`. */
export const agentNamed = ({ access }: CliSession, args: Arguments, ownerUnlessSaid?: string): Promise<Agent> =>
  access.agent(args.needOperand(0), args.text("owner") ?? ownerUnlessSaid ?? null);

/** What a person at the terminal is told of an agent. */
export const agentFields = (agent: AgentResponse): Readonly<Record<string, string | null>> => ({
  id: agent.id,
  name: agent.name,
  owner: agent.owner,
  sponsor: agent.sponsor,
  review_status: agent.review_status,
  lifecycle: agent.lifecycle,
  profile: agent.profile_version === null ? "none: baseline policy" : `v${agent.profile_version}`,
});

const agentCard = (agent: AgentResponse): string => card(agentFields(agent));

export const createAgent: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const name = args.needOperand(0);
  const made = await changing(invocation, async (session) => {
    const owner = await session.access.userByEmail(args.need("owner"));
    const agents = agentsOf(session);
    const facts = { description: args.text("description"), environment: args.text("environment") };
    const { description = null, environment = null } = facts;
    const sponsor = args.text("sponsor") ?? null;
    return agents.shown(await agents.create(CLI_ACTOR, owner, { name, description, environment, sponsor }));
  });
  await out.result(made, agentCard(made));
  return EXIT.ok;
};

export const showAgent: RunVerb = async (invocation) => {
  const agent = await reading(invocation, async (session) =>
    agentsOf(session).shown(await agentNamed(session, invocation.args)),
  );
  const { suspended, review_due_at } = agent;
  await invocation.out.result(
    agent,
    card({
      ...agentFields(agent),
      description: agent.description,
      environment: agent.environment,
      suspended: suspended?.right ?? null,
      "review due (UTC)": review_due_at === null ? null : shortTime(Date.parse(review_due_at)),
      "created (UTC)": shortTime(Date.parse(agent.created_at)),
    }),
  );
  return EXIT.ok;
};

/** What the flags change; an empty text takes a fact away. */
const changeIn = (args: Arguments): AgentChange => {
  const fact = (flag: string): string | null | undefined => {
    const text = args.text(flag);
    return text === "" ? null : text;
  };
  const facts = { description: fact("description"), environment: fact("environment"), sponsor: fact("sponsor") };
  const change = { name: args.text("name"), owner: args.text("new-owner"), ...facts };
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw usage("nothing to change: give at least one of the flags");
  return Object.fromEntries(given);
};

/** A new owner takes the agent over: the old one's tokens and tool servers let go of it. */
export const editAgent: RunVerb = (invocation) => {
  const change = changeIn(invocation.args);
  return move(invocation, (agents, agent) => agents.update(CLI_ACTOR, agent, change));
};

export const listAgents: RunVerb = async (invocation) => {
  const agents = await reading(invocation, async ({ store }) => {
    const agents = await store.agents.list();
    const emails = await emailsFor(store.users, agents.flatMap(peopleOf));
    return agents.map((agent) => agentResponse(agent, emails, systemClock()));
  });
  const rows = agents.map(({ id, name, owner, review_status, lifecycle, profile_version, created_at }) => [
    ...[id, name, owner, review_status, lifecycle],
    profile_version === null ? "" : `v${profile_version}`,
    shortTime(Date.parse(created_at)),
  ]);
  await invocation.out.result(
    agents,
    invocation.out.table(["ID", "NAME", "OWNER", "REVIEW", "LIFECYCLE", "PROFILE", "CREATED (UTC)"], rows),
  );
  return EXIT.ok;
};

const move = async (
  invocation: Invocation,
  work: (agents: AgentService, agent: Agent) => Promise<Agent>,
): Promise<number> => {
  const moved = await changing(invocation, async (session) => {
    const agents = agentsOf(session);
    return agents.shown(await work(agents, await agentNamed(session, invocation.args)));
  });
  await invocation.out.result(moved, agentCard(moved));
  return EXIT.ok;
};

export const suspendAgent: RunVerb = (invocation) =>
  move(invocation, (agents, agent) => agents.suspend(OPERATOR, agent, invocation.args.text("reason") ?? null));

export const resumeAgent: RunVerb = (invocation) =>
  move(invocation, (agents, agent) => agents.resume(OPERATOR, agent, invocation.args.text("reason") ?? null));

export const retireAgent: RunVerb = (invocation) =>
  move(invocation, (agents, agent) => agents.retire(CLI_ACTOR, agent, invocation.args.need("confirm")));
