import cl100k from "gpt-tokenizer/data/cl100k_base.tiktoken" with { type: "file" };
import o200k from "gpt-tokenizer/data/o200k_base.tiktoken" with { type: "file" };
import type { TokenEncoding } from "#model/token-encoding";
import { giveWay } from "#platform/thread-priority";
import { type TableAnswer, type TableOrder, tableOf } from "./packed";

/* The entry of the thread that packs a token table, an entrypoint of its own in the executable. */

declare const self: Worker;

/** Files and not modules: as those, with their bytecode, they would be four times as large in the executable. */
const FILES: Readonly<Record<TokenEncoding, string>> = { cl100k_base: cl100k, o200k_base: o200k };

giveWay();

self.onmessage = async ({ data: { encoding } }: MessageEvent<TableOrder>) => {
  const table = tableOf(await Bun.file(FILES[encoding]).text(), encoding);
  const answer: TableAnswer = { table };
  postMessage(answer, { transfer: [table.bytes.buffer, table.ends.buffer] });
};
