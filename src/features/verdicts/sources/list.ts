import type { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import type { Clock } from "#platform/clock";
import { byBearer, bySignature } from "./admission";
import type { SourceBook } from "./book";
import { copilotStudioActor, TOOL_EXECUTION, VALIDATION } from "./copilot-studio";
import { inferenceHookDoc, TOOL_EXECUTION_DOC, VALIDATE_DOC } from "./docs";
import { inferenceHookActor, inferenceHooks } from "./inference-hooks";
import type { SourceEndpoint } from "./routes";
import { SOURCE_PATHS } from "./test-frame";

const SIGNED = "signed by its source, as Standard Webhooks";
const BEARER = "carries its source's own secret";

/** Every address where a source asks with a secret of its own. */
export const sourceEndpointsOf = (needs: { readonly book: SourceBook; readonly now: Clock }): SourceEndpoint[] => {
  const admit = bySignature(needs);
  const hooks = (kind: "anthropic" | "cursor", who: string): SourceEndpoint => ({
    ...{ path: SOURCE_PATHS[kind], kind, adapter: inferenceHooks(kind), admit, actorOf: inferenceHookActor },
    ...{ open: SIGNED, detail: inferenceHookDoc(who) },
  });
  const copilot = {
    ...({ kind: "copilot-studio", admit: byBearer(needs), actorOf: copilotStudioActor, open: BEARER } as const),
    errorOf: copilotStudioError,
  };
  const path = SOURCE_PATHS["copilot-studio"];
  return [
    hooks("anthropic", "Anthropic, by its inference hooks"),
    hooks("cursor", "Cursor, by hooks of the same frame"),
    { ...copilot, path: `${path}/validate`, adapter: VALIDATION, detail: VALIDATE_DOC, isBodiless: true },
    { ...copilot, path: `${path}/analyze-tool-execution`, adapter: TOOL_EXECUTION, detail: TOOL_EXECUTION_DOC },
  ];
};

const copilotStudioError = ({ status, message, code }: GuardError): JsonRecord => ({
  ...{ errorCode: status, message, httpStatus: status, diagnostics: JSON.stringify({ code }) },
});
