/** A tool call in a model's answer. `param` is where its tool is named: `choices[0].message.tool_calls[1]`. */
export type AnsweredCall = { readonly param: string; readonly tool: string; readonly arguments: string };
