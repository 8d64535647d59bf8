import { anthropicErrorType } from "#core/anthropic-error";
import { Type } from "#core/schema";
import type { ErrorForm } from "./route-doc";

const AnthropicError = Type.Object(
  {
    type: Type.Literal("error"),
    error: Type.Object(
      {
        type: Type.String({ description: "Error type, as in Anthropic's API." }),
        message: Type.String({ description: "For people. Never contains submitted content." }),
        event_id: Type.Optional(Type.String({ description: "Id of the decision, to name in a dispute." })),
        guard: Type.Optional(Type.Unknown({ description: "Reason of the refusal: restriction, rule or layer." })),
      },
      { additionalProperties: true, description: "Some errors have additional fields." },
    ),
    request_id: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: "As in the header request-id." }),
    ),
  },
  { additionalProperties: true, $id: "AnthropicError", description: "An error as Anthropic's clients read it." },
);

/** Errors of the APIs that Anthropic's clients call. */
export const ANTHROPIC_FORM: ErrorForm = {
  name: "anthropic",
  schema: AnthropicError,
  exampleOf: (code) => ({
    type: "error",
    error: { type: anthropicErrorType({ code }), message: "What went wrong, in a sentence." },
    request_id: "0199a0f2-6d1c-7000-8000-000000000000",
  }),
};
