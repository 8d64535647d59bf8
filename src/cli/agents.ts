import type { Agent } from "#core/agent";
import { CLI_ACTOR } from "#core/change";
import { EXIT, Stop } from "./exit";
import { shortTime } from "./moments";
import { card, table } from "./output";
import { changing, reading } from "./session";
import type { Run } from "./verb";

const shown = ({ id, name, owner_id, review_status, lifecycle, created_at }: Agent, owner: string) => ({
  id,
  name,
  owner,
  owner_id,
  review_status,
  lifecycle,
  created_at: new Date(created_at).toISOString(),
});

export const createAgent: Run = async (invocation) => {
  const { args, out } = invocation;
  const name = args.needOperand(0);
  const made = await changing(invocation, async ({ access }) => {
    const owner = await access.userByEmail(args.need("owner"));
    const agent = await access.createAgent(CLI_ACTOR, owner, name);
    if (!agent) throw new Stop(EXIT.failure, `${owner.email} has an agent ${name} already`);
    return shown(agent, owner.email);
  });
  const { id, owner, review_status, lifecycle } = made;
  await out.result(made, card({ id, name: made.name, owner, review_status, lifecycle }));
  return EXIT.ok;
};

export const listAgents: Run = async (invocation) => {
  const agents = await reading(invocation, async ({ store }) => {
    const owners = new Map((await store.users.list()).map((user) => [user.id, user.email]));
    return (await store.agents.list()).map((agent) => ({ agent, owner: owners.get(agent.owner_id) ?? agent.owner_id }));
  });
  const rows = agents.map(({ agent, owner }) => [
    agent.id,
    agent.name,
    owner,
    agent.review_status,
    agent.lifecycle,
    shortTime(agent.created_at),
  ]);
  await invocation.out.result(
    agents.map(({ agent, owner }) => shown(agent, owner)),
    table(["ID", "NAME", "OWNER", "REVIEW", "LIFECYCLE", "CREATED"], rows),
  );
  return EXIT.ok;
};
