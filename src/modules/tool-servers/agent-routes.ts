import { Elysia } from "elysia";
import type { Agent } from "#core/agent";
import { maySee, noAgent } from "#core/ownership";
import type { User } from "#core/person";
import { detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import { pageOf } from "#http/page";
import type { signedInPerson } from "#http/person";
import type { ToolServerService } from "./service";
import { AgentToolsPage } from "./shown";

type Deps = {
  readonly service: Pick<ToolServerService, "ofAgent">;
  readonly agents: { byId(id: string): Promise<Agent | null> };
  readonly door: ReturnType<typeof signedInPerson>;
};

/** The tools an agent is assigned, for whoever may see the agent. */
export const agentToolRoutes = ({ service, agents, door }: Deps) => {
  const seen = async (user: User, id: string): Promise<Agent> => {
    const agent = await agents.byId(id.toLowerCase());
    if (agent && maySee(user, agent)) return agent;
    throw noAgent();
  };
  return new Elysia({ name: "agent-tools", prefix: "/api/agents" }).use(door).get(
    "/:id/tools",
    async ({ person, params, query }) => {
      const agent = await seen(person.user, params.id);
      return Response.json(pageOf(await service.ofAgent(agent.id), query));
    },
    {
      role: "person",
      parse: "none",
      detail: detailOf("Agents", "The tools an agent is assigned", {
        query: PAGE_QUERY,
        answers: { 200: AgentToolsPage },
      }),
    },
  );
};
