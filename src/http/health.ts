import { Elysia } from "elysia";
import type { signedIn } from "#http/auth";

export type Readiness = () => { ready: boolean; checks: Record<string, boolean> };

/** Live: the process answers. Ready: it can serve calls, i.e. records can be written and it is not stopping. */
export const healthRoutes = (door: ReturnType<typeof signedIn>, readiness: Readiness) =>
  new Elysia({ name: "health" })
    .use(door)
    .get("/healthz", () => Response.json({ status: "ok" }), {
      open: "liveness tells nothing but that the process runs",
    })
    .get(
      "/readyz",
      () => {
        const { ready, checks } = readiness();
        return Response.json({ status: ready ? "ready" : "not_ready", checks }, { status: ready ? 200 : 503 });
      },
      { open: "load balancers have no token" },
    );
