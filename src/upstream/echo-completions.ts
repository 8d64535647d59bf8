import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { SSE_DONE, sseData } from "#core/sse";

/* Completions of the built-in model: each prompt again. With `echo`, what came before, too. */

const CREATED = 1_700_000_000;

type Reply = { readonly base: JsonRecord; readonly texts: readonly string[]; readonly usage: JsonRecord };

export const echoCompletion = (request: JsonRecord, model: string): string => {
  const { base, texts, usage } = replyTo(request, model);
  const choices = texts.map((text, index) => ({ index, text, logprobs: null, finish_reason: "stop" }));
  return JSON.stringify({ ...base, choices, usage });
};

export function* echoCompletionEvents(request: JsonRecord, model: string): Generator<string> {
  const { base, texts, usage } = replyTo(request, model);
  for (const [index, whole] of texts.entries()) {
    // Words with the space before them, as tokens of real models come.
    for (const text of whole.match(/\s*\S+|\s+$/g) ?? [])
      yield sseData({ ...base, choices: [{ index, text, logprobs: null, finish_reason: null }] });
    yield sseData({ ...base, choices: [{ index, text: "", logprobs: null, finish_reason: "stop" }] });
  }
  const options = request["stream_options"];
  if (isRecord(options) && options["include_usage"] === true) yield sseData({ ...base, choices: [], usage });
  yield SSE_DONE;
}

const replyTo = (request: JsonRecord, model: string): Reply => {
  const { prompt } = request;
  const isList = Array.isArray(prompt) && prompt.some((item) => typeof item === "string" || Array.isArray(item));
  const prompts: readonly unknown[] = isList && Array.isArray(prompt) ? prompt : [prompt];
  const copies = numberOf(request["n"]) ?? 1;
  const texts = prompts.flatMap((one) => Array.from({ length: copies }, () => textOf(one, request["echo"] === true)));
  const prompt_tokens = tokens(prompts.map(shown).join(""));
  const completion_tokens = tokens(texts.join(""));
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  const id = `cmpl-echo-${Bun.hash.crc32(JSON.stringify(prompts)).toString(16).padStart(8, "0")}`;
  return { base: { id, object: "text_completion", created: CREATED, model }, texts, usage };
};

const textOf = (prompt: unknown, isEchoed: boolean): string =>
  `${isEchoed ? shown(prompt) : ""} Echo: ${shown(prompt)}`;

/** Ids of tokens stay ids: it knows no words. */
const shown = (prompt: unknown): string =>
  typeof prompt === "string" ? prompt : Array.isArray(prompt) ? prompt.map(String).join(" ") : "";

/** Four characters a token: the rule of thumb for English. */
const tokens = (text: string): number => Math.ceil(text.length / 4);
