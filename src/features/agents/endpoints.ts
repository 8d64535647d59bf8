import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { PAGE_QUERY } from "#http/openapi/schemas";
import { pageOf } from "#http/page";
import type { Agent } from "#model/agent";
import { personActor } from "#model/change";
import { mayChange, maySee, noAgent, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import type { Person } from "#model/session";
import { actorContextOf } from "#model/suspension";
import type { Effective } from "#policy/profile/effective";
import type { Restriction } from "#policy/restrictions/restriction";
import { effectiveView } from "./effective";
import { AgentList } from "./listing";
import type { ProfileService } from "./profiles";
import {
  AGENT_LIST_QUERY,
  AgentChange,
  AgentPage,
  AgentResponse,
  type AgentStanding,
  ComparedProfile,
  EffectiveView,
  NewAgent,
  ProfilePage,
  Retirement,
  WithReason,
} from "./schema";
import type { AgentService } from "./service";

type AgentEndpointNeeds = {
  readonly agents: AgentService;
  readonly profiles: ProfileService;
  readonly people: { byEmail(email: string): Promise<User | null> };
  /** What the agent is held to now; null where it is served nothing without a profile. */
  readonly effectiveOf: (agentId: string) => Effective | null;
  /** In force now. */
  readonly restrictionsOf: (agentId: string) => readonly Restriction[];
  /** In the order of the ids. Nothing is computed for it. */
  readonly standingsOf: (agentIds: readonly string[]) => Promise<readonly AgentStanding[]>;
};

const AGENT = { answers: { 200: AgentResponse } } as const;

/** Agents, for signed-in people. */
const agentEndpoints = (needs: AgentEndpointNeeds) => {
  const { agents, standingsOf } = needs;
  const list = new AgentList({ page: agents.page.bind(agents), standingsOf });
  return [
    endpoint("GET /api/agents", {
      summary: "List agents",
      query: { all: Type.Boolean({ description: "Of all users." }), ...AGENT_LIST_QUERY },
      answers: { 200: AgentPage },
      handler: ({ person: { user }, query: { all, ...query } }) => {
        if (all && !READING_ROLES.includes(user.role)) throw notAll();
        return list.of(all ? null : user.id, query);
      },
    }),
    endpoint("POST /api/agents", {
      summary: "Register an agent",
      body: { schema: NewAgent, example: { name: "support-bot", environment: "production" } },
      answers: { 201: AgentResponse },
      errors: ["already_exists"],
      handler: async ({ person, body: { owner, ...wanted } }) => {
        const agent = await agents.create(personActor(person), await ownerFor(needs, person, owner), wanted);
        return agents.shown(agent);
      },
    }),
    endpoint("GET /api/agents/:id", {
      summary: "Get an agent",
      ...AGENT,
      handler: async ({ person, params }) => agents.shown(await visible(needs, person, params.id)),
    }),
    endpoint("PATCH /api/agents/:id", {
      summary: "Update an agent",
      body: { schema: AgentChange, example: { description: "Answers customers." } },
      ...AGENT,
      errors: ["already_exists", "state_conflict"],
      handler: async ({ person, params, body }) => {
        const agent = await changeable(needs, person, params.id);
        if (body.owner !== undefined) mustBeAdmin(person);
        return agents.shown(await agents.update(personActor(person), agent, body));
      },
    }),
    endpoint("POST /api/agents/:id/suspend", {
      summary: "Suspend an agent",
      body: WithReason,
      ...AGENT,
      errors: ["state_conflict"],
      handler: async ({ person, params, body: { reason } }) => {
        const agent = await changeable(needs, person, params.id);
        return agents.shown(await agents.suspend(actorContextOf(person, agent.owner_id), agent, reason));
      },
    }),
    endpoint("POST /api/agents/:id/resume", {
      summary: "Resume an agent",
      ...AGENT,
      errors: ["state_conflict", "insufficient_scope"],
      handler: async ({ person, params }) => {
        const agent = await changeable(needs, person, params.id);
        return agents.shown(await agents.resume(actorContextOf(person, agent.owner_id), agent, null));
      },
    }),
    endpoint("POST /api/agents/:id/retire", {
      summary: "Retire an agent",
      body: { schema: Retirement, example: { confirm: "support-bot" } },
      ...AGENT,
      handler: async ({ person, params, body: { confirm } }) => {
        const agent = await changeable(needs, person, params.id);
        return agents.shown(await agents.retire(personActor(person), agent, confirm));
      },
    }),
  ] as const;
};

/** The profiles of agents, and what they come to. */
const profileEndpoints = (needs: AgentEndpointNeeds) => {
  const { agents, profiles } = needs;
  return [
    endpoint("GET /api/agents/:id/profiles", {
      summary: "List profile versions of an agent",
      query: PAGE_QUERY,
      answers: { 200: ProfilePage },
      handler: async ({ person, params, query }) =>
        pageOf(await profiles.list(await visible(needs, person, params.id)), query),
    }),
    endpoint("GET /api/agents/:id/profiles/:version", {
      summary: "Get a profile version with its changes",
      params: { version: Type.Integer({ minimum: 1, description: "Version number." }) },
      query: {
        diff: Type.String({
          description: "previous, or a version number to compare with.",
          examples: ["previous"],
        }),
      },
      answers: { 200: ComparedProfile },
      handler: async ({ person, params, query: { diff } }) => {
        const agent = await visible(needs, person, params.id);
        const profile = await profiles.version(agent, numbered(params.version, "version"));
        if (diff === undefined) return profile;
        const against = diff === "previous" ? null : numbered(diff, "diff");
        return { ...profile, changes: await profiles.changes(agent, profile.version, against) };
      },
    }),
    endpoint("GET /api/agents/:id/effective", {
      summary: "Get the effective policy, with the source of each value",
      answers: { 200: EffectiveView },
      handler: async ({ person, params }) => {
        const agent = await visible(needs, person, params.id);
        const version = agent.review_status === "revoked" ? null : agent.profile_version;
        const profile = version === null ? null : await profiles.version(agent, version);
        return effectiveView(profile, needs.effectiveOf(agent.id), needs.restrictionsOf(agent.id));
      },
    }),
    endpoint("POST /api/agents/:id/profile/revoke", {
      summary: "Revoke the profile of an agent",
      auth: { roles: ["admin"] },
      body: WithReason,
      ...AGENT,
      errors: ["state_conflict"],
      handler: async ({ person, params, body: { reason } }) => {
        const agent = await changeable(needs, person, params.id);
        return agents.shown(await profiles.revoke(personActor(person), agent, reason));
      },
    }),
  ] as const;
};

type Agents = Pick<AgentEndpointNeeds, "agents">;

/** What somebody may not see answers as what does not exist. */
const visible = async ({ agents }: Agents, { user }: Person, id: string): Promise<Agent> => {
  const agent = await agents.byId(id);
  if (agent && maySee(user, agent)) return agent;
  throw noAgent();
};

const changeable = async (needs: Agents, person: Person, id: string): Promise<Agent> => {
  const agent = await visible(needs, person, id);
  if (mayChange(person.user, agent)) return agent;
  throw new GuardError("insufficient_scope", "Only the owner and administrators change an agent.");
};

/** Administrators register agents for others. */
const ownerFor = async (
  { people }: Pick<AgentEndpointNeeds, "people">,
  person: Person,
  email: string | undefined,
): Promise<User> => {
  if (email === undefined || email.toLowerCase() === person.user.email.toLowerCase()) return person.user;
  mustBeAdmin(person);
  const owner = await people.byEmail(email.trim());
  if (!owner) throw new GuardError("invalid_value", "There is no user with that e-mail address.", { param: "owner" });
  return owner;
};

const mustBeAdmin = ({ user }: Person): void => {
  if (user.role === "admin") return;
  throw new GuardError("insufficient_scope", "Only administrators change the owner of an agent.", { param: "owner" });
};

const notAll = (): GuardError =>
  new GuardError("insufficient_scope", `Listing all agents requires one of the roles ${READING_ROLES.join(", ")}.`, {
    param: "all",
  });

const numbered = (text: string, param: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new GuardError("invalid_value", `${param} must be a version number.`, { param });
};

export type AgentClient = ClientTypes<
  ReturnType<typeof agentEndpoints>[number] | ReturnType<typeof profileEndpoints>[number]
>;

export const agentRoutes = (needs: AgentEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Agents" }, [...agentEndpoints(needs), ...profileEndpoints(needs)]);
