import type { AgentStore, UserStore } from "#store/port";

/** What people know ids as: a user's e-mail address, an agent's name. An id stands for itself when it is unknown. */
export type Names = { readonly user: (id: string) => string; readonly agent: (id: string) => string };

type Users = Pick<UserStore, "byIds">;
type Agents = Pick<AgentStore, "byIds">;
type Ids = Iterable<string | null>;

/** Only these are looked up: there may be many more. */
export const emailsFor = async (users: Users, ids: Ids): Promise<Names["user"]> => {
  const found = await users.byIds(known(ids));
  const emails = new Map(found.map(({ id, email }) => [id, email]));
  return (id) => emails.get(id) ?? id;
};

export const agentNamesFor = async (agents: Agents, ids: Ids): Promise<Names["agent"]> => {
  const found = await agents.byIds(known(ids));
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
};

export const namesFor = async (
  { users, agents }: { readonly users: Users; readonly agents: Agents },
  ids: { readonly users: Ids; readonly agents: Ids },
): Promise<Names> => ({
  user: await emailsFor(users, ids.users),
  agent: await agentNamesFor(agents, ids.agents),
});

const known = (ids: Ids): string[] => [...ids].filter((id) => id !== null);
