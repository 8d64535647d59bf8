import { Elysia } from "elysia";
import type { Caller } from "#core/caller";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { signedIn } from "#http/auth";
import { detailOf } from "#http/openapi/about";
import { CALL_ERRORS } from "#http/openapi/call-errors";
import type { ModelService } from "#modules/models/service";
import { Model, ModelList } from "./schema";

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
        const shown: ModelList = { object: "list", data: models.filter(({ id }) => mayUse(caller, id)) };
        return Response.json(shown);
      },
      {
        role: "caller",
        detail: detailOf("Chat", "The models a caller may name", {
          answers: { 200: ModelList },
          errors: CALL_ERRORS,
        }),
      },
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
      {
        role: "caller",
        detail: detailOf("Chat", "One model", {
          params: { model: Type.String({ description: "Its name, slashes included.", examples: ["guardhouse/echo"] }) },
          answers: { 200: Model },
          errors: [...CALL_ERRORS, "model_not_found"],
        }),
      },
    );

/** Clients send the slash of a name plain or escaped. */
const nameIn = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
