import { isRecord, type JsonRecord } from "#core/json/json";
import { dropLogprobsOf } from "#scan/texts/logprobs";

/** Why it is incomplete, where it is, else how it ended. */
export function finishReasonsOf({ status, incomplete_details: details }: JsonRecord): string[] {
  const reason = isRecord(details) ? details["reason"] : null;
  if (status === "incomplete" && typeof reason === "string") return [reason];
  return typeof status === "string" ? [status] : [];
}

/** Removes the token-by-token copies of texts, which a redaction would leave readable. */
export function dropLogprobs({ output }: JsonRecord): void {
  dropLogprobsIn(output);
}

export function dropLogprobsIn(output: unknown): void {
  for (const item of Array.isArray(output) ? output : []) {
    const content: unknown = isRecord(item) ? item["content"] : null;
    for (const part of Array.isArray(content) ? content : []) {
      if (isRecord(part)) dropLogprobsOf(part);
    }
  }
}
