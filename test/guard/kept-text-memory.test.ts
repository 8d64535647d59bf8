/** What is kept of a stream's text takes about as much memory as the text, whatever it came in. */
import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { ChannelText } from "#guard/call-content";

const strings = (): number => {
  Bun.gc(true);
  return heapStats().objectTypeCounts["string"] ?? 0;
};

const CHANNELS = 200;
const TOKENS = 500;

test("a text that grows by tokens lets go of them, however often the code has run", () => {
  const channels = Array.from({ length: CHANNELS }, (_, at) => new ChannelText(`${at}`, "full"));
  const before = strings();
  for (let token = 0; token < TOKENS; token += 1) {
    for (const channel of channels) channel.came(`an event in which there is token ${token}`.slice(-8));
  }
  // Gathered 96 units at a time, it is some 80 strings, and the same again for what the profile keeps of it.
  expect((strings() - before) / CHANNELS).toBeLessThan(TOKENS / 2);
  expect(channels.map(({ passage }) => passage.slice(0, 16))).toEqual(Array(CHANNELS).fill(" token 0 token 1"));
});
