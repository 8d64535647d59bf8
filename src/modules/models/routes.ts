import { Elysia } from "elysia";
import { mustBeActive } from "#core/caller";
import { GuardError } from "#core/errors";
import type { signedIn } from "#http/auth";
import type { ModelService } from "#modules/models/service";

export const modelRoutes = (service: ModelService, door: ReturnType<typeof signedIn>) =>
  new Elysia({ name: "models" })
    .use(door)
    .get(
      "/v1/models",
      async ({ caller }) => {
        mustBeActive(caller);
        return Response.json({ object: "list", data: await service.list() });
      },
      { role: "caller", detail: { summary: "The models a caller may name", tags: ["Chat"] } },
    )
    // Names of models hold slashes (`guardhouse/echo`), so the rest of the path is the name.
    .get(
      "/v1/models/*",
      async ({ caller, params }) => {
        mustBeActive(caller);
        const model = await service.find(nameIn(params["*"]));
        if (!model)
          throw new GuardError("model_not_found", "There is no such model. GET /v1/models lists them.", {
            param: "model",
          });
        return Response.json(model);
      },
      { role: "caller", detail: { summary: "One model", tags: ["Chat"] } },
    );

/** Clients send the slash of a name plain or escaped. */
const nameIn = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
