/** One tool call of a scripted answer. `arguments` given as a list is streamed in exactly those pieces. */
export type ToolCallScript = {
  readonly name: string;
  readonly arguments: string | readonly string[];
  readonly id?: string;
};

/** One choice of a scripted answer. A text given as a list is streamed in exactly those pieces. */
export type ChoiceScript = {
  readonly content?: string | readonly string[];
  readonly refusal?: string | readonly string[];
  /** Sent as `reasoning_content`, the field most reasoning providers use. */
  readonly reasoning?: string | readonly string[];
  readonly toolCalls?: readonly ToolCallScript[];
  /** `tool_calls` when there are any, else `stop`, unless said. */
  readonly finish?: string;
  readonly logprobs?: boolean;
};

/** What a scripted model answers, apart from how it is put on the wire. */
export type AnswerScript = {
  readonly choices: readonly ChoiceScript[];
  /** Unknown fields put into the body, or into every chunk. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
};

type Delta = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;

/** What the request decides about the answer's shape. */
export type Asked = { readonly model: string; readonly includeUsage: boolean };

/** The answer as one `chat.completion` object. */
export function wholeCompletion(answer: AnswerScript, { model }: Asked): Fields {
  return {
    ...head("chat.completion", model),
    choices: answer.choices.map((choice, index) => ({
      index,
      message: message(choice),
      logprobs: choice.logprobs ? logprobs(pieces(choice.content)) : null,
      finish_reason: finishOf(choice),
    })),
    usage: usageOf(answer),
    ...answer.extra,
  };
}

/**
 * The answer as a list of `chat.completion.chunk` objects. Several choices are interleaved, one delta of
 * each in turn. The usage chunk (empty `choices`) comes last, and only when it was asked for.
 */
export function chunkedCompletion(answer: AnswerScript, asked: Asked, { finish }: { finish: boolean }): Fields[] {
  const chunk = (fields: Fields): Fields => ({
    ...head("chat.completion.chunk", asked.model),
    ...(asked.includeUsage ? { usage: null } : {}),
    ...fields,
    ...answer.extra,
  });
  const queues = answer.choices.map((choice, index) => choiceChunks(choice, index, finish).map(chunk));
  const chunks = interleave(queues);
  if (asked.includeUsage) chunks.push(chunk({ choices: [], usage: usageOf(answer) }));
  return chunks;
}

/** The chunk Azure sends before all others: no choices, only its own prompt filter results. */
export function azurePreamble(): Fields {
  const verdict = { filtered: false, severity: "safe" };
  return {
    id: "",
    object: "",
    created: 0,
    model: "",
    prompt_filter_results: [
      { prompt_index: 0, content_filter_results: { hate: verdict, self_harm: verdict, violence: verdict } },
    ],
    choices: [],
  };
}

function head(object: string, model: string): Fields {
  return { id: "chatcmpl-fake0001", object, created: 1_750_000_000, model, system_fingerprint: "fp_fake" };
}

function message(choice: ChoiceScript): Fields {
  const text = (script: ChoiceScript["content"]) => (script === undefined ? null : pieces(script).join(""));
  return {
    role: "assistant",
    content: text(choice.content),
    refusal: text(choice.refusal),
    ...(choice.reasoning === undefined ? {} : { reasoning_content: text(choice.reasoning) }),
    ...(choice.toolCalls === undefined
      ? {}
      : {
          tool_calls: choice.toolCalls.map((call, position) => ({
            id: idOf(call, position),
            type: "function",
            function: { name: call.name, arguments: pieces(call.arguments).join("") },
          })),
        }),
  };
}

function choiceChunks(choice: ChoiceScript, index: number, finish: boolean): Fields[] {
  const deltas: Delta[] = [
    { role: "assistant", content: choice.content === undefined ? null : "" },
    ...pieces(choice.reasoning).map((piece) => ({ reasoning_content: piece })),
    ...pieces(choice.content).map((piece) => ({ content: piece })),
    ...pieces(choice.refusal).map((piece) => ({ refusal: piece })),
    ...(choice.toolCalls ?? []).flatMap(toolCallDeltas),
  ];
  const chunks = deltas.map((delta) => ({
    choices: [{ index, delta, ...deltaLogprobs(choice, delta), finish_reason: null }],
  }));
  if (!finish) return chunks;
  return [...chunks, { choices: [{ index, delta: {}, finish_reason: finishOf(choice) }] }];
}

function toolCallDeltas(call: ToolCallScript, index: number): Delta[] {
  const opening = { index, id: idOf(call, index), type: "function", function: { name: call.name, arguments: "" } };
  return [
    { tool_calls: [opening] },
    ...pieces(call.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function deltaLogprobs(choice: ChoiceScript, delta: Delta): Fields {
  if (!choice.logprobs) return {};
  const content = delta.content;
  return { logprobs: typeof content === "string" && content !== "" ? logprobs([content]) : null };
}

function logprobs(tokens: readonly string[]): Fields {
  const entry = (token: string) => ({ token, logprob: -0.1, bytes: [...Buffer.from(token)] });
  return { content: tokens.map((token) => ({ ...entry(token), top_logprobs: [entry(token)] })), refusal: null };
}

function interleave(queues: readonly (readonly Fields[])[]): Fields[] {
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  const turns = Array.from({ length: longest }, (_, turn) => queues.flatMap((queue) => queue.slice(turn, turn + 1)));
  return turns.flat();
}

function usageOf(answer: AnswerScript): Fields {
  const words = (choice: ChoiceScript) => pieces(choice.content).length + pieces(choice.reasoning).length;
  const counted = answer.choices.reduce((sum, choice) => sum + words(choice), 0);
  const { prompt_tokens, completion_tokens } = answer.usage ?? { prompt_tokens: 11, completion_tokens: counted };
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function finishOf(choice: ChoiceScript): string {
  return choice.finish ?? (choice.toolCalls ? "tool_calls" : "stop");
}

function idOf(call: ToolCallScript, position: number): string {
  return call.id ?? `call_fake${position}`;
}

/** Tokens of a text, each with the white space before it: like a real model's, they join without loss. */
function pieces(script: string | readonly string[] | undefined): readonly string[] {
  if (script === undefined) return [];
  return typeof script === "string" ? (script.match(/\s*\S+|\s+$/g) ?? []) : script;
}
