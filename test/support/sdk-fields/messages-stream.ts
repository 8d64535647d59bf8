import { isRecord, type JsonRecord } from "#core/json/json";
import { EventKinds } from "./event-kinds";

/** What comes piece by piece of a block, by the type of the delta. */
const GROWING: Readonly<Record<string, readonly string[]>> = {
  citations_delta: ["text"],
  text_delta: ["text"],
  thinking_delta: ["thinking"],
  signature_delta: ["thinking"],
  input_json_delta: ["tool_use", "server_tool_use", "mcp_tool_use"],
  compaction_delta: ["compaction"],
};

/** Streams that have every event of the Messages API, in an order its providers send them in. */
export const messagesStreams = (events: readonly JsonRecord[]): readonly (readonly JsonRecord[])[] => {
  const kinds = new EventKinds(events);
  const deltas = kinds.all("content_block_delta");
  const blocks = kinds.all("content_block_start").flatMap((start, index) => {
    const type = isRecord(start["content_block"]) ? String(start["content_block"]["type"]) : "";
    const own = deltas.filter((event) => GROWING[typeOf(event["delta"])]?.includes(type));
    return [
      { ...start, index },
      ...own.map((event) => ({ ...event, index })),
      kinds.one("content_block_stop", { index }),
    ];
  });
  const starts = kinds.all("message_start");
  const ends = kinds.all("message_delta");
  const stop = kinds.one("message_stop", {});
  return Array.from({ length: Math.max(starts.length, ends.length) }, (_, which) => [
    ...[starts[which % starts.length] ?? {}],
    ...(which === 0 ? blocks : []),
    ...[ends[which % ends.length] ?? {}],
    stop,
  ]);
};

const typeOf = (value: unknown): string => (isRecord(value) ? String(value["type"]) : "");
