import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { detailOf } from "#http/openapi/about";
import type { signedInPerson } from "#http/person";
import type { OverviewService } from "./service";
import { Overview, OverviewWindow, SwitchesOn } from "./shapes";
import { isWindow, WINDOWS } from "./traffic";

type Deps = { readonly service: OverviewService; readonly door: ReturnType<typeof signedInPerson> };

const windowIn = (text = "24h"): OverviewWindow => {
  if (isWindow(text)) return text;
  throw new GuardError("invalid_value", `window must be one of ${Object.keys(WINDOWS).join(", ")}.`, {
    param: "window",
  });
};

/** How the hub fares. */
export const overviewRoutes = ({ service, door }: Deps) =>
  new Elysia({ name: "overview", prefix: "/api/overview" })
    .use(door)
    .get("", async ({ person, query }) => Response.json(await service.of(person.user, windowIn(query["window"]))), {
      role: "person",
      parse: "none",
      detail: detailOf("Hub", "Calls over time, and what stands", {
        query: { window: OverviewWindow },
        answers: { 200: Overview },
        errors: ["invalid_value"],
      }),
    })
    .get("/kill-switch", async ({ person }) => Response.json(await service.switchesOn(person.user)), {
      role: "person",
      parse: "none",
      detail: detailOf("Hub", "What a kill switch stops now, and why", { answers: { 200: SwitchesOn } }),
    });
