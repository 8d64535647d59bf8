import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { signedIn } from "#http/auth";
import { detailOf } from "#http/openapi/about";

/** The guard session proxy of earlier versions. Every method, and everything below, says what replaced it. */
const REMOVED = ["agents/register", "sessions", "check-tool", "onboard"];

export const removedRoutes = (door: ReturnType<typeof signedIn>) => {
  const gone = (): never => {
    throw new GuardError(
      "endpoint_removed",
      "This endpoint was removed. Agents need no session and no registration: send a gateway token as Bearer to {hub_url}/v1, and submit the agent for Agent Review to have a guardrail profile enforced.",
    );
  };
  const open = {
    open: "tells everybody the same: that it is gone",
    parse: "none",
    detail: detailOf("Removed", "Gone: says what replaced it", {
      deprecated: true,
      methods: ["get", "post"],
      params: { path: Type.String({ description: "Anything." }) },
      answers: {},
      errors: ["endpoint_removed"],
    }),
  } as const;
  const routes = new Elysia({ name: "removed" }).use(door);
  for (const path of REMOVED) routes.all(`/v1/guard/${path}`, gone, open).all(`/v1/guard/${path}/*`, gone, open);
  return routes;
};
