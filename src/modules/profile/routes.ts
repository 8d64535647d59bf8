import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import type { signedIn } from "#http/auth";
import { errorResponse } from "#http/errors";
import type { Ids } from "#platform/ids";
import type { ProfileReadService } from "./service";

type Deps = {
  readonly service: ProfileReadService;
  readonly door: ReturnType<typeof signedIn>;
  readonly ids: Ids;
};

/** For agents and their owners, by gateway token. */
export const profileRoutes = ({ service, door, ids }: Deps) =>
  new Elysia({ name: "agent-profile" }).use(door).get(
    "/v1/guard/agents/:agent_id/profile",
    async ({ caller, params }) => {
      const id = ids();
      try {
        const profile = await service.read(caller, id, params.agent_id);
        return Response.json(profile, { headers: { "x-request-id": id, "cache-control": "no-store" } });
      } catch (error) {
        if (error instanceof GuardError) return errorResponse(error, id);
        throw error;
      }
    },
    { role: "caller", detail: { summary: "The guardrail profile in force, or null", tags: ["Guard"] } },
  );
