import { KEY_RANDOM_BYTES } from "#core/checksums";
import type { Agent } from "#model/agent";
import { CLI_ACTOR, changeRecord } from "#model/change";
import type { User } from "#model/person";
import { displayOf, mintToken } from "#model/token";
import { HOUR_MS } from "#model/usage";
import { secretHash } from "#platform/hash";
import type { Restriction } from "#policy/restrictions/restriction";
import type { Review } from "#policy/review/review";
import type { Store } from "#store/port";
import { APPROVED, HELD, KILLED, profileOf, SLOWED, SUBMITTED } from "#test/store/governed";
import { REPORT, RULE, SUGGESTION } from "#test/store/looped";
import { FILES, someTool } from "#test/store/tool-servers";
import { chance, hoursOf } from "#test/support/watched-agent";

/** How many there are of each. Every agent has an owner and a profile of its own. */
export type ConfigurationSize = {
  readonly agents: number;
  readonly tokensPerAgent: number;
  readonly providers: number;
  readonly servers: number;
  readonly rules: number;
  readonly restrictions: number;
  /** Open reviews, open suggestions, held calls that wait, reports that a person has to look at: so many of each. */
  readonly waiting: number;
  /** Hours of usage counters of each agent, the last of them this hour. */
  readonly usageHours: number;
};

/** The configuration of a large company. */
export const LARGE: ConfigurationSize = {
  ...{ agents: 10_000, tokensPerAgent: 10, providers: 100, servers: 200, rules: 5_000, restrictions: 1_000 },
  ...{ waiting: 100, usageHours: 0 },
};

export const scaled = (size: ConfigurationSize, share: number): ConfigurationSize => {
  const part = (count: number): number => Math.ceil(count * share);
  return {
    ...size,
    agents: part(size.agents),
    providers: part(size.providers),
    servers: part(size.servers),
    rules: part(size.rules),
    restrictions: part(size.restrictions),
    waiting: part(size.waiting),
  };
};

export type Seeded = { readonly users: readonly User[]; readonly agents: readonly Agent[] };

const TOOLS_PER_SERVER = 10;
const GLOBS_PER_PROVIDER = 10;
const DAY_MS = 86_400_000;
/** Old enough that a token made then is due for rotation. */
const OLD_MS = 200 * DAY_MS;

const record = (at: number): string => {
  const change = { kind: "seed.made", by: CLI_ACTOR, subject: "seed", subject_id: "seed", detail: {} };
  return changeRecord(change, { id: Bun.randomUUIDv7(), at });
};

/** Makes all of it through the store's own functions; `now` is when it was made. */
export const seedConfiguration = async (store: Store, size: ConfigurationSize, now: number): Promise<Seeded> => {
  const line = record(now);
  const { users, agents } = await seedAgents(store, size, now, line);
  await seedTokens(store, agents, size.tokensPerAgent, now, line);
  await seedPlaces(store, size, users, agents, now, line);
  await seedGovernance(store, size, agents, now, line);
  await seedUsage(store, agents, size.usageHours, now);
  return { users, agents };
};

const seedAgents = async (store: Store, size: ConfigurationSize, now: number, line: string): Promise<Seeded> => {
  const users: User[] = [];
  const agents: Agent[] = [];
  for (let n = 0; n < size.agents; n += 1) {
    const user: User = {
      ...{
        id: Bun.randomUUIDv7(),
        email: `user-${n}@large.example`,
        name: `User ${n}`,
        role: "member",
        state: "active",
      },
      created_at: now,
    };
    const agent: Agent = {
      ...{ id: Bun.randomUUIDv7(), name: `agent-${n}`, owner_id: user.id, sponsor_id: null, description: null },
      ...{ environment: "production", review_status: "draft", lifecycle: "active", suspension: null },
      ...{ profile_version: null, review_due_at: null, created_at: now },
    };
    await store.users.create(user, null, line);
    await store.agents.create(agent, line);
    const profile = profileOf(1, { id: Bun.randomUUIDv7(), agent_id: agent.id, approved_by: [], effective_from: now });
    const approved = { profile_version: 1, review_status: "approved" } as const;
    await store.profiles.publish(agent.id, { profile, agent: approved }, line);
    users.push(user);
    agents.push({ ...agent, ...approved });
  }
  return { users, agents };
};

const seedTokens = async (
  store: Store,
  agents: readonly Agent[],
  each: number,
  now: number,
  line: string,
): Promise<void> => {
  const random = chance(1);
  const bytes = () => Uint8Array.from({ length: KEY_RANDOM_BYTES }, () => Math.floor(random() * 256));
  for (const [at, agent] of agents.entries()) {
    for (let n = 0; n < each; n += 1) {
      const secret = mintToken(bytes());
      // One agent in a hundred has a token that is due for rotation.
      const created_at = at % 100 === 0 && n === 0 ? now - OLD_MS : now;
      await store.tokens.create(
        {
          ...{ id: Bun.randomUUIDv7(), hash: secretHash(secret), display: displayOf(secret), name: `token ${n}` },
          ...{ user_id: agent.owner_id, agent_id: agent.id, state: "active", expires_at: null, created_at },
        },
        line,
      );
    }
  }
};

const seedPlaces = async (
  store: Store,
  size: ConfigurationSize,
  users: readonly User[],
  agents: readonly Agent[],
  now: number,
  line: string,
): Promise<void> => {
  for (let n = 0; n < size.providers; n += 1) {
    const models = Array.from({ length: GLOBS_PER_PROVIDER }, (_, at) => `vendor-${n}/model-${at}-*`);
    await store.providers.add(
      {
        ...{ id: Bun.randomUUIDv7(), name: `provider-${n}`, base_url: "http://127.0.0.1:9/v1", models },
        ...{ sealed_key: null, priority: 100, created_at: now, given_by: "operator" },
        ...{ kind: "openai", apis: null, aliases: {}, credential: { source: "key" } },
      },
      line,
    );
  }
  for (let n = 0; n < size.servers; n += 1) {
    const owner = at(users, n);
    const id = Bun.randomUUIDv7();
    const server = { ...FILES, id, owner_id: owner.id, slug: `server-${n}`, active: false, created_at: now } as const;
    await store.tools.add(server, line);
    const tools = Array.from({ length: TOOLS_PER_SERVER }, (_, tool) =>
      someTool(`tool-${tool}`, { server_id: id, name: `server-${n}__tool-${tool}`, seen_at: now }),
    );
    await store.tools.see(id, tools, line);
    await store.tools.assign(
      { agent_id: at(agents, n).id, server_id: id, tools: null, resources: [], prompts: [] },
      line,
    );
  }
};

const seedGovernance = async (
  store: Store,
  size: ConfigurationSize,
  agents: readonly Agent[],
  now: number,
  line: string,
): Promise<void> => {
  for (let n = 0; n < size.restrictions; n += 1) {
    const agent_id = at(agents, n).id;
    const dated = { starts_at: now, expires_at: now + DAY_MS };
    const restriction: Restriction = { ...SLOWED, id: Bun.randomUUIDv7(), agent_id, ...dated };
    await store.restrictions.set(restriction, line);
  }
  for (let n = 0; n < size.waiting; n += 1) await seedWaiting(store, at(agents, n), now, line);
  const policy = await store.policies.latest();
  for (let n = 0; n < size.rules; n += 1) {
    const { id: agent_id, owner_id: user_id } = at(agents, n);
    const rule = { ...RULE, id: Bun.randomUUIDv7(), agent_id, user_id, requested_by: user_id, approved_by: [user_id] };
    const dated = { created_at: now, expires_at: now + 30 * DAY_MS, suggestion_id: null };
    if (policy !== null) await store.tuning.apply({ ...rule, ...dated }, null, policy.revision + n, () => line);
  }
  await store.killSwitches.on({ ...KILLED, id: Bun.randomUUIDv7(), target: at(agents, 1).id, set_by: null }, line);
};

const seedWaiting = async (
  store: Store,
  { id: agent_id, owner_id: user_id }: Agent,
  now: number,
  line: string,
): Promise<void> => {
  const review: Review = {
    ...SUBMITTED,
    ...{ id: Bun.randomUUIDv7(), agent_id, submitted_by: user_id, submitted_at: now, eligible: [] },
    ...{ created_at: now, updated_at: now },
  };
  await store.reviews.create({ ...review, id: Bun.randomUUIDv7(), status: APPROVED.status, number: 1 }, {}, line);
  await store.reviews.create({ ...review, number: 2 }, {}, line);
  const dated = { created_at: now, updated_at: now };
  const suggestion = { ...SUGGESTION, ...dated, id: Bun.randomUUIDv7(), agent_id, user_id, report_ids: [] };
  await store.suggestions.create({ ...suggestion, eligible: [] }, line);
  await store.holds.create(
    { ...HELD, id: Bun.randomUUIDv7(), agent_id, user_id, created_at: now, expires_at: now + DAY_MS },
    line,
  );
  const event_id = Bun.randomUUIDv7();
  const report = {
    ...REPORT,
    ...dated,
    id: Bun.randomUUIDv7(),
    agent_id,
    user_id,
    token_id: null,
    event_id,
    status: "needs_human",
  } as const;
  const limit = { most: 10, since: now - DAY_MS };
  await store.reports.open({ ...report, sealed_content: null, share_content: false }, limit, null, line);
};

/** Hours in batches, as a hub stores them. Agents do alike, each shifted by its own number. */
const seedUsage = async (store: Store, agents: readonly Agent[], hours: number, now: number): Promise<void> => {
  if (hours === 0) return;
  const hour = now - (now % HOUR_MS);
  const habits = hoursOf(hour - (hours - 1) * HOUR_MS, hours, 20, chance(2));
  for (const { id } of agents) {
    await store.usage.add(habits.map((one) => ({ subject_id: id, ...one, counts: { ...one.counts, tokens: 1_000 } })));
  }
};

const at = <T>(items: readonly T[], n: number): T => {
  const item = items[n % items.length];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
};
