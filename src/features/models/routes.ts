import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { ModelService } from "#features/models/service";
import type { tokenAuth } from "#http/auth/token";
import { wantsAnthropicModels } from "#http/errors";
import { CALL_ERRORS } from "#http/openapi/errors";
import { describe } from "#http/openapi/route-doc";
import type { TokenPrincipal } from "#model/principal";
import { anthropicList, anthropicModel, Model, ModelList } from "./schema";

type ModelRoutesNeeds = {
  readonly service: ModelService;
  readonly auth: ReturnType<typeof tokenAuth>;
  /** Throws what forbids the caller everything. */
  readonly assertNotStopped: (caller: TokenPrincipal) => void;
  /** Whether the caller may use the model. */
  readonly mayUse: (caller: TokenPrincipal, model: string) => boolean;
};

export const modelRoutes = ({ service, auth, assertNotStopped, mayUse }: ModelRoutesNeeds) =>
  new Elysia({ name: "models" })
    .use(auth)
    .get(
      "/v1/models",
      async ({ caller, headers }) => {
        assertNotStopped(caller);
        const data = (await service.list()).filter(({ id }) => mayUse(caller, id));
        if (wantsAnthropicModels((name) => headers[name] ?? null)) return Response.json(anthropicList(data));
        const shown: ModelList = { object: "list", data };
        return Response.json(shown);
      },
      {
        role: "caller",
        detail: describe("Chat", "List models", {
          description:
            "Models that the token may use, by any API. With a header `anthropic-version` in the shape of Anthropic's API.",
          answers: { 200: ModelList },
          errors: CALL_ERRORS,
        }),
      },
    )
    // Names of models hold slashes (`guardhouse/echo`), so the rest of the path is the name.
    .get(
      "/v1/models/*",
      async ({ caller, params, headers }) => {
        assertNotStopped(caller);
        const model = await service.find(nameIn(params["*"]));
        if (!model || !mayUse(caller, model.id))
          throw new GuardError("model_not_found", "There is no such model. GET /v1/models lists them.", {
            param: "model",
          });
        return Response.json(wantsAnthropicModels((name) => headers[name] ?? null) ? anthropicModel(model) : model);
      },
      {
        role: "caller",
        detail: describe("Chat", "Get a model", {
          params: {
            model: Type.String({ description: "Model name, including slashes.", examples: ["guardhouse/echo"] }),
          },
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
