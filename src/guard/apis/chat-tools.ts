import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import type { Leaving } from "#guard/apis/api-stream";
import type { AnsweredCall } from "#model/answered-call";

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

type Named = { tool: string; arguments: string };

/** Where below a call its arguments may stand. */
const GIVEN = ["function.", "custom.", ""].flatMap((holder) => [`${holder}arguments`, `${holder}input`]);

/** The tool calls of a streamed answer, put together from their pieces, by choice. */
export class StreamTools {
  private readonly choices = new Map<number, Map<string, Named>>();

  /** Takes a chunk in; gives the calls whose tool is fully named by it, because its arguments begin. */
  note(chunk: JsonRecord): AnsweredCall[] {
    const choices: unknown = chunk["choices"];
    if (!Array.isArray(choices)) return [];
    return choices.flatMap((choice: unknown, position) => {
      const delta = isRecord(choice) ? choice["delta"] : null;
      if (!isRecord(choice) || !isRecord(delta)) return [];
      const index = numberOf(choice["index"]) ?? position;
      return this.delta(delta, index);
    });
  }

  /** All calls of a choice that has finished. */
  of(choice: number, leaving: Leaving): AnsweredCall[] {
    const calls = this.choices.get(choice) ?? new Map<string, Named>();
    return [...calls].map(([path, { tool, arguments: came }]) => {
      const left = GIVEN.map((given) => leaving({ group: choice, path: `${path}.${given}` }));
      return { param: `choices[${choice}].message.${path}`, tool, arguments: left.find((one) => one !== null) ?? came };
    });
  }

  private delta(delta: JsonRecord, choice: number): AnsweredCall[] {
    const calls: unknown = delta["tool_calls"];
    const begun: AnsweredCall[] = [];
    if (Array.isArray(calls)) {
      calls.forEach((call: unknown, position) => {
        if (!isRecord(call)) return;
        const index = numberOf(call["index"]) ?? position;
        begun.push(...this.piece(choice, `tool_calls[${index}]`, call["function"] ?? call["custom"]));
      });
    }
    begun.push(...this.piece(choice, "function_call", delta["function_call"]));
    return begun;
  }

  private piece(choice: number, path: string, called: unknown): AnsweredCall[] {
    if (!isRecord(called)) return [];
    const calls = this.choices.get(choice) ?? new Map<string, Named>();
    this.choices.set(choice, calls);
    const named = calls.get(path) ?? { tool: "", arguments: "" };
    calls.set(path, named);
    const { name } = called;
    const given = called["arguments"] ?? called["input"];
    if (typeof name === "string") named.tool += name;
    if (typeof given !== "string") return [];
    // Many providers send the name with empty arguments, and some go on with the name after that.
    const isFirst = named.arguments === "" && given !== "";
    named.arguments += given;
    return isFirst ? [{ param: `choices[${choice}].message.${path}`, ...named }] : [];
  }
}
