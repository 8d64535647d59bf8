import { isRecord, type JsonRecord } from "#core/json";

/** A tool call in a model's answer. `param` is where its tool is named: `choices[0].message.tool_calls[1]`. */
export type AnsweredCall = { readonly param: string; readonly tool: string; readonly arguments: string };

/** Every tool call of a whole answer, the older `function_call` too. */
export const answeredCallsIn = (answer: JsonRecord): AnsweredCall[] => {
  const choices: unknown = answer["choices"];
  if (!Array.isArray(choices)) return [];
  return choices.flatMap((choice: unknown, at) => {
    const message = isRecord(choice) ? choice["message"] : null;
    return isRecord(message) ? callsOfMessage(message, `choices[${at}].message`) : [];
  });
};

const callsOfMessage = (message: JsonRecord, param: string): AnsweredCall[] => {
  const calls: unknown = message["tool_calls"];
  const listed = Array.isArray(calls) ? calls : [];
  const single: unknown = message["function_call"];
  return [
    ...listed.flatMap((call: unknown, at) =>
      isRecord(call) ? named(call["function"] ?? call["custom"], `${param}.tool_calls[${at}]`) : [],
    ),
    ...named(single, `${param}.function_call`),
  ];
};

const named = (called: unknown, param: string): AnsweredCall[] => {
  if (!isRecord(called) || typeof called["name"] !== "string") return [];
  const given = called["arguments"] ?? called["input"];
  return [{ param, tool: called["name"], arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}) }];
};
