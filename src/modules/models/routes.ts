import { Elysia } from "elysia";
import type { Caller } from "#core/caller";
import { GuardError } from "#core/errors";
import type { signedIn } from "#http/auth";
import type { ModelService } from "#modules/models/service";

type Deps = {
  readonly service: ModelService;
  readonly door: ReturnType<typeof signedIn>;
  /** Throws what forbids the caller everything. */
  readonly mustRun: (caller: Caller) => void;
  /** Whether the caller may use the model. */
  readonly mayUse: (caller: Caller, model: string) => boolean;
};

export const modelRoutes = ({ service, door, mustRun, mayUse }: Deps) =>
  new Elysia({ name: "models" })
    .use(door)
    .get(
      "/v1/models",
      async ({ caller }) => {
        mustRun(caller);
        const models = await service.list();
        return Response.json({ object: "list", data: models.filter(({ id }) => mayUse(caller, id)) });
      },
      { role: "caller", detail: { summary: "The models a caller may name", tags: ["Chat"] } },
    )
    // Names of models hold slashes (`guardhouse/echo`), so the rest of the path is the name.
    .get(
      "/v1/models/*",
      async ({ caller, params }) => {
        mustRun(caller);
        const model = await service.find(nameIn(params["*"]));
        if (!model || !mayUse(caller, model.id))
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
