import type { JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";

/* Vectors of the built-in model: of length 1, and the same for the same input. */

const USUAL_DIMENSIONS = 64;
const MAX_DIMENSIONS = 4_096;

export const echoEmbeddings = (request: JsonRecord, model: string): string => {
  const { input } = request;
  const isList = Array.isArray(input) && input.some((item) => typeof item === "string" || Array.isArray(item));
  const inputs: readonly unknown[] = isList && Array.isArray(input) ? input : [input];
  const asked = numberOf(request["dimensions"]) ?? USUAL_DIMENSIONS;
  const dimensions = Math.min(MAX_DIMENSIONS, Math.max(1, Math.trunc(asked)));
  const isBase64 = request["encoding_format"] === "base64";
  const data = inputs.map((one, index) => {
    const vector = vectorOf(one, dimensions);
    const embedding = isBase64 ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", index, embedding };
  });
  const prompt_tokens = inputs.reduce<number>((sum, one) => sum + tokensOf(one), 0);
  return JSON.stringify({ object: "list", data, model, usage: { prompt_tokens, total_tokens: prompt_tokens } });
};

/** Four characters a token: the rule of thumb for English. */
const tokensOf = (input: unknown): number => {
  if (Array.isArray(input)) return input.length;
  return typeof input === "string" ? Math.ceil(input.length / 4) : 0;
};

const vectorOf = (input: unknown, dimensions: number): Float32Array<ArrayBuffer> => {
  let state = Bun.hash.crc32(JSON.stringify(input) ?? "");
  const vector = Float32Array.from({ length: dimensions }, () => {
    // Xorshift: what it gives for one input is as good as anything.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32 - 0.5;
  });
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
};
