import { type TokenRouterNeeds, tokenEndpoint, tokenRouter } from "#http/endpoint";
import { orNull } from "#http/openapi/schemas";
import { GuardrailProfile } from "#policy/profile/profile";
import type { ProfileReadService } from "./service";

type ProfileEndpointNeeds = { readonly service: ProfileReadService };

/** For agents and their owners, by gateway token. */
const profileEndpoints = ({ service }: ProfileEndpointNeeds) => [
  tokenEndpoint("GET /v1/guard/agents/:agent_id/profile", {
    summary: "Get the guardrail profile in force, or null",
    answers: { 200: { schema: orNull(GuardrailProfile), description: "Null without a profile." } },
    handler: ({ caller, id, params }) => service.read(caller, id, params.agent_id),
  }),
];

export const profileRoutes = (needs: ProfileEndpointNeeds & TokenRouterNeeds) =>
  tokenRouter(needs, profileEndpoints(needs));
