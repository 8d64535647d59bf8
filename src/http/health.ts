import { Elysia } from "elysia";
import { type Static, Type } from "#core/schema";
import type { signedIn } from "#http/auth";
import { detailOf } from "#http/openapi/about";
import { oneOf } from "#http/openapi/shapes";

type Readiness = () => { ready: boolean; checks: Record<string, boolean> };

const Live = Type.Object({ status: Type.Literal("ok") });
const Ready = Type.Object({
  status: oneOf(["ready", "not_ready"]),
  checks: Type.Record(Type.String(), Type.Boolean(), {
    description: "What has to be true.",
    examples: [{ audit: true, directory: true, accepting: true, scanner: true }],
  }),
});

/** Live: the process answers. Ready: it can serve calls, i.e. records can be written and it is not stopping. */
export const healthRoutes = (door: ReturnType<typeof signedIn>, readiness: Readiness) =>
  new Elysia({ name: "health" })
    .use(door)
    .get("/healthz", () => Response.json({ status: "ok" } satisfies Static<typeof Live>), {
      open: "liveness tells nothing but that the process runs",
      detail: detailOf("Operating", "Whether the process runs", { isEarly: true, answers: { 200: Live } }),
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
        detail: detailOf("Operating", "Whether calls can be served", {
          isEarly: true,
          description:
            "Ready when records can be written, tokens are known, the scanner has warmed up and the hub is not stopping.",
          answers: { 200: Ready, 503: { schema: Ready, description: "Not now." } },
        }),
      },
    );
