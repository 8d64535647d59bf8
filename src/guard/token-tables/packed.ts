import type { TokenEncoding } from "#model/token-encoding";
import type { TokenTable } from "#scan/texts/token-ids";

/** Tokens that stand for no text. Source: github.com/openai/tiktoken, `openai_public.py`, and github.com/openai/harmony. */
const SPECIAL: Readonly<Record<TokenEncoding, Readonly<Record<number, string>>>> = {
  cl100k_base: {
    100257: "<|endoftext|>",
    100258: "<|fim_prefix|>",
    100259: "<|fim_middle|>",
    100260: "<|fim_suffix|>",
    100264: "<|im_start|>",
    100265: "<|im_end|>",
    100266: "<|im_sep|>",
    100276: "<|endofprompt|>",
  },
  o200k_base: {
    199998: "<|startoftext|>",
    199999: "<|endoftext|>",
    200002: "<|return|>",
    200003: "<|constrain|>",
    200005: "<|channel|>",
    200006: "<|start|>",
    200007: "<|end|>",
    200008: "<|message|>",
    200012: "<|call|>",
    200018: "<|endofprompt|>",
  },
};

/** Packs a file that has a line for each token: its bytes in base64, and its id. */
export const tableOf = (file: string, encoding: TokenEncoding): TokenTable => {
  const encoder = new TextEncoder();
  const tokens: Uint8Array[] = [];
  for (const line of file.split("\n")) {
    const [bytes, id] = line.split(" ");
    if (bytes && id) tokens[Number(id)] = Buffer.from(bytes, "base64");
  }
  for (const [id, name] of Object.entries(SPECIAL[encoding])) tokens[Number(id)] = encoder.encode(name);
  // What is missing between them is no token, and has no bytes.
  const all = Array.from(tokens, (token) => token ?? NONE);
  const ends = new Uint32Array(all.length);
  let size = 0;
  for (const [id, token] of all.entries()) {
    size += token.length;
    ends[id] = size;
  }
  const bytes = new Uint8Array(size);
  for (const [id, token] of all.entries()) bytes.set(token, (ends[id] ?? 0) - token.length);
  return { bytes, ends };
};

const NONE = new Uint8Array(0);

/** What the thread is asked for, once in its life. */
export type TableOrder = { readonly encoding: TokenEncoding };
export type TableAnswer = { readonly table: TokenTable };
