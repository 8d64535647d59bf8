import { Elysia } from "elysia";
import { detailOf } from "#http/openapi/about";
import type { signedInPerson } from "#http/person";
import type { MapService } from "./service";
import { FanOutMap } from "./shapes";

type Deps = { readonly service: MapService; readonly door: ReturnType<typeof signedInPerson> };

/** Who may reach what. */
export const mapRoutes = ({ service, door }: Deps) =>
  new Elysia({ name: "map", prefix: "/api/map" })
    .use(door)
    .get("", ({ person }) => Response.json(service.of(person.user)), {
      role: "person",
      parse: "none",
      detail: detailOf("Hub", "Users, agents, tool servers and tools, and who may use what", {
        answers: { 200: FanOutMap },
      }),
    });
