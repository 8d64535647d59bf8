import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { tokenAuth } from "#http/auth/token";
import { describe } from "#http/openapi/route-doc";

/** The guard session proxy of earlier versions. Every method, and everything below, says what replaced it. */
const REMOVED = ["agents/register", "sessions", "check-tool", "onboard"];

export const removedRoutes = (auth: ReturnType<typeof tokenAuth>) => {
  const gone = (): never => {
    throw new GuardError(
      "endpoint_removed",
      "This endpoint was removed. Agents need no session and no registration: send a gateway token as Bearer to {hub_url}/v1, and submit the agent for Agent Review to have a guardrail profile enforced.",
    );
  };
  const open = {
    open: "tells everybody the same: that it is gone",
    parse: "none",
    detail: describe("Removed", "Removed endpoint; the error names its replacement", {
      deprecated: true,
      methods: ["get", "post"],
      params: { path: Type.String({ description: "Any path." }) },
      answers: {},
      errors: ["endpoint_removed"],
    }),
  } as const;
  const routes = new Elysia({ name: "removed" }).use(auth);
  for (const path of REMOVED) routes.all(`/v1/guard/${path}`, gone, open).all(`/v1/guard/${path}/*`, gone, open);
  return routes;
};
