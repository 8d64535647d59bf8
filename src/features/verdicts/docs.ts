import type { ErrorCode } from "#core/errors";
import { CALL_ERRORS } from "#http/openapi/errors";
import { type Detail, describe } from "#http/openapi/route-doc";
import { HarnessAnswer, HarnessRequest } from "./harnesses/harness";
import { LiteLlmAnswer, LiteLlmRequest } from "./litellm";

/** Verdicts are answers, so what a profile or limit refuses is none of these. */
const ERRORS: readonly ErrorCode[] = CALL_ERRORS;

export const ASK_AS_LITELLM: Detail = describe("Verdicts", "Judge what passes through LiteLLM", {
  description:
    "LiteLLM's generic guardrail API: `api_base` is this address without its last two parts, `api_key` a gateway token. Requests and answers are scanned under the token's policy, profile and limits and audited as `hook.litellm`; nothing is forwarded. Redacted texts and tool definitions come back; tool calls pass as they are or are blocked.",
  body: {
    schema: LiteLlmRequest,
    example: {
      input_type: "request",
      texts: ["Refund the card 4539 1488 0343 6467."],
      structured_messages: [{ role: "user", content: "Refund the card 4539 1488 0343 6467." }],
      model: "gpt-5",
      litellm_trace_id: "7d1f",
    },
  },
  answers: {
    200: {
      schema: LiteLlmAnswer,
      example: { action: "GUARDRAIL_INTERVENED", texts: ["Refund the card [pii.credit_card:kg0vny]."] },
    },
  },
  errors: ERRORS,
});

export const askAsHarness = (name: string): Detail =>
  describe("Verdicts", `Judge an event of ${name}'s hooks`, {
    description:
      "What the harness gives its hooks, as a body; the answer is what it expects of them. Prompts, calls of tools and answers of tools are scanned under the token's policy, profile and limits and audited; nothing is forwarded. Events that are not known are allowed and recorded as unscanned. Where the profile has hooks decide without the hub, the header `x-guard-hook-rules` names the rules in force. The verb `hook` asks this.",
    body: {
      schema: HarnessRequest,
      example: {
        session_id: "7d1f",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "git status" },
      },
    },
    answers: { 200: { schema: HarnessAnswer, example: {} } },
    errors: ERRORS,
  });
