import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { jsonText } from "#core/json/json-writer";
import { slices } from "#platform/slices";
import {
  callerTraceOfMessage,
  type DialectNeeds,
  failedResult,
  jsonAnswer,
  listMeta,
  noteHeaders,
  plainResult,
  type ToolExchange,
} from "./exchange";
import { askOffers, isOfferMethod } from "./offers";

/**
 * No JSON-RPC: `{method, params?}` in, the bare MCP result out, errors as HTTP status and envelope
 * (docs/spec/published-interface.md, 4.1). Who closes the connection cancels. Throws `GuardError`.
 */
export const answerMinimal = async (
  { service, offers }: DialectNeeds,
  exchange: ToolExchange,
  { method, params }: JsonRecord,
): Promise<Response> => {
  const { request, caller, id } = exchange;
  const { signal } = request;
  const callerTrace = callerTraceOfMessage(request, params);
  if (method === "tools/list") {
    const answer = await service.list(caller, { id, dialect: "minimal", signal, callerTrace });
    const meta = listMeta(answer);
    const end = meta === null ? "}" : `,"_meta":${JSON.stringify(meta)}}`;
    return jsonAnswer(exchange, answer.tools.within('{"tools":', end), 200, noteHeaders(answer.note));
  }
  if (isOfferMethod(method)) {
    const asked = { id, dialect: "minimal", signal, callerTrace, params: params ?? {}, ...NOTHING_BESIDE } as const;
    const conversation = request.headers.get("x-conversation-id");
    const whole = { ...asked, conversation, clientCapabilities: null };
    const answer = await askOffers(offers, caller, method, whole, (result) => result);
    if (answer.kind === "error") throw new GuardError("upstream_error", answer.message);
    return jsonAnswer(exchange, answer.text, 200, noteHeaders(answer.note));
  }
  if (method !== "tools/call") throw unknownMethod();
  const answer = await service.call(caller, {
    id,
    dialect: "minimal",
    signal,
    callerTrace,
    params,
    conversation: request.headers.get("x-conversation-id"),
    clientCapabilities: null,
    ...NOTHING_BESIDE,
    checkTool: null,
  });
  const result = answer.kind === "result" ? plainResult(answer.result) : failedResult(answer.message);
  const text = jsonText(result, () => slices.turn());
  return jsonAnswer(exchange, typeof text === "string" ? text : await text, 200, noteHeaders(answer.note));
};

const NOTHING_BESIDE = { questions: { kind: "none" }, onProgress: null, log: null } as const;

const unknownMethod = (): GuardError =>
  new GuardError(
    "invalid_value",
    'Nothing is known by this method. Send {"method":"tools/list"}, {"method":"tools/call","params":{"name":…,"arguments":{…}}}, {"method":"resources/read","params":{"uri":…}}, {"method":"prompts/get","params":{"name":…}}, or JSON-RPC 2.0 for the whole protocol.',
    { param: "method" },
  );
