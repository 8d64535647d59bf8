import { Elysia } from "elysia";
import type { Auditor } from "#audit/auditor";
import { type Static, Type } from "#core/schema";
import type { Scanner } from "#guard/scanner";
import { feature } from "#hub/feature";
import type { PrincipalCache } from "#identity/principal-cache";
import type { tokenAuth } from "./auth/token";
import { describe } from "./openapi/route-doc";
import { oneOf } from "./openapi/schemas";

type Readiness = () => { ready: boolean; checks: Record<string, boolean> };

const Live = Type.Object({ status: Type.Literal("ok") });
const Ready = Type.Object({
  status: oneOf(["ready", "not_ready"]),
  checks: Type.Record(Type.String(), Type.Boolean(), {
    description: "Readiness conditions.",
    examples: [{ audit: true, directory: true, accepting: true, scanner: true }],
  }),
});

/** Live: the process answers. Ready: it can serve calls, i.e. records can be written and it is not stopping. */
export const healthRoutes = (auth: ReturnType<typeof tokenAuth>, readiness: Readiness) =>
  new Elysia({ name: "health" })
    .use(auth)
    .get("/healthz", () => Response.json({ status: "ok" } satisfies Static<typeof Live>), {
      open: "liveness tells nothing but that the process runs",
      detail: describe("Operating", "Liveness check", { isEarly: true, answers: { 200: Live } }),
    })
    .get(
      "/readyz",
      () => {
        const { ready, checks } = readiness();
        const said: Static<typeof Ready> = { status: ready ? "ready" : "not_ready", checks };
        return Response.json(said, { status: ready ? 200 : 503 });
      },
      {
        open: "load balancers have no token",
        detail: describe("Operating", "Readiness check", {
          isEarly: true,
          description:
            "Ready when audit records can be written, tokens are loaded, the scanner is warmed up, records reach the shared database where there is one, and the hub is not shutting down.",
          answers: { 200: Ready, 503: { schema: Ready, description: "Not ready." } },
        }),
      },
    );

type RouteParts = {
  readonly auditor: Auditor;
  readonly principals: PrincipalCache;
  readonly scanner: Scanner;
  /** Null where records stay in the data directory. */
  readonly isShipping: (() => boolean) | null;
  readonly callerAuth: ReturnType<typeof tokenAuth>;
};

/** Whether the hub runs, and whether it can serve. */
export const readiness = feature({
  setupRoutes: ({ auditor, principals, scanner, isShipping, callerAuth }: RouteParts) => [
    healthRoutes(callerAuth, () => {
      const checks = {
        audit: auditor.healthy,
        principals: principals.revision > 0,
        accepting: auditor.isAcceptingWork,
        scanner: scanner.isWarm,
        ...(isShipping && { shipping: isShipping() }),
      };
      return { ready: Object.values(checks).every(Boolean), checks };
    }),
  ],
});
