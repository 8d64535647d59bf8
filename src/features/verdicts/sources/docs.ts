import { ERROR_CATALOGUE, type ErrorCode } from "#core/errors";
import { Type } from "#core/schema";
import { ErrorEnvelope } from "#http/openapi/errors";
import { type Detail, describe, type ErrorForm } from "#http/openapi/route-doc";
import { ToolExecution, ToolExecutionAnswer, ValidationAnswer } from "./copilot-studio";
import { InferenceHookAnswer, InferenceHookFrame } from "./inference-hooks";

/** What is refused is a verdict, and not one of these. */
const ERRORS: readonly ErrorCode[] = [
  ...(["invalid_api_key", "rate_limit_exceeded", "request_too_large", "client_closed"] as const),
  ...(["audit_unavailable", "shutting_down"] as const),
];

const SOURCE = Type.String({ maxLength: 40, description: "Name of the source, where there are several of the kind." });

const SIGNED_HEADERS = {
  "webhook-id": Type.String({ description: "A message that comes again with the same id is answered the same." }),
  "webhook-timestamp": Type.String({ description: "Seconds since 1970; within five minutes of the hub's clock." }),
  "webhook-signature": Type.String({ description: "`v1,` and the signature in base64; several with spaces between." }),
};

export const inferenceHookDoc = (who: string): Detail =>
  describe("Verdicts", `Judge what passes at ${who}`, {
    description:
      "For a hook source: signed as Standard Webhooks, with the source's secret, over the body's bytes. `prompt`: a conversation on its way to a model; `tool_call`: the tool calls of its last message. Scanned under the policy, profile and limits of the source's agent and audited; nothing is forwarded. Frames of another type are allowed and recorded as unscanned. At most 64 MiB.",
    query: { source: SOURCE },
    headers: SIGNED_HEADERS,
    body: {
      schema: InferenceHookFrame,
      example: {
        type: "prompt",
        request_id: "req_01",
        actor: { type: "user", id: "user_01", email_address: "ada@example.com" },
        source: { application: "claude-code" },
        session_id: "7d1f",
        model: "claude-opus-4-6",
        messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
      },
    },
    answers: { 200: { schema: InferenceHookAnswer, example: { action: "allow" } } },
    errors: ERRORS,
  });

const CopilotStudioError = Type.Object(
  {
    errorCode: Type.Integer(),
    message: Type.String({ description: "For people. Never contains submitted content." }),
    httpStatus: Type.Integer(),
    diagnostics: Type.String({ description: "JSON with the error code for programs; see docs/errors.md." }),
  },
  { $id: "CopilotStudioError", description: "An error as Copilot Studio reads it." },
);

/** What never reaches the endpoint, such as a request for another host, is answered as everywhere. */
const COPILOT_STUDIO_FORM: ErrorForm = {
  name: "copilot_studio",
  schema: Type.Union([CopilotStudioError, ErrorEnvelope]),
  exampleOf: (code) => {
    const { status } = ERROR_CATALOGUE[code];
    const diagnostics = JSON.stringify({ code });
    return { errorCode: status, message: "What went wrong, in a sentence.", httpStatus: status, diagnostics };
  },
};

export const VALIDATE_DOC: Detail = describe("Verdicts", "Tell Copilot Studio that it is let in", {
  description: "For a hook source, with its secret as a bearer token. Audited as `hook.copilot-studio`.",
  query: { source: SOURCE, "api-version": Type.String({ maxLength: 20 }) },
  answers: { 200: { schema: ValidationAnswer, example: { isSuccessful: true, status: "OK" } } },
  errors: ERRORS,
  errorForm: COPILOT_STUDIO_FORM,
});

export const TOOL_EXECUTION_DOC: Detail = describe("Verdicts", "Judge a tool call of a Copilot Studio agent", {
  description:
    "For a hook source, with its secret as a bearer token. What the planner was told is scanned, and what the tool is given, under the policy, profile and limits of the source's agent, and audited; nothing is forwarded.",
  query: { source: SOURCE, "api-version": Type.String({ maxLength: 20 }) },
  body: {
    schema: ToolExecution,
    example: {
      plannerContext: { userMessage: "Send the report to Ada." },
      toolDefinition: { name: "send_email" },
      inputValues: { to: "ada@example.com" },
      conversationMetadata: { conversationId: "7d1f" },
    },
  },
  answers: { 200: { schema: ToolExecutionAnswer, example: { blockAction: false } } },
  errors: ERRORS,
  errorForm: COPILOT_STUDIO_FORM,
});
