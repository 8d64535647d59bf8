import { SseSplitter } from "#core/sse";
import { ToolFailure } from "#upstream/tool-port";

export type NamedEvent = { readonly name: string; readonly data: string };

/** The events of a stream that hold data. Throws `ToolFailure` for one of more than `mostBytes`. */
export async function* sseEvents(
  body: ReadableStream<Uint8Array>,
  slug: string,
  mostBytes: number,
): AsyncGenerator<NamedEvent> {
  const decoder = new TextDecoder();
  // No character takes less than a byte: what is too long in characters is so in bytes.
  const splitter = new SseSplitter(mostBytes);
  const tooLarge = () => new ToolFailure("too_large", `${slug} sent too large an event.`, true);
  for await (const chunk of body) {
    for (const { raw, data, beside } of split(splitter, decoder.decode(chunk, { stream: true }), tooLarge)) {
      if (Buffer.byteLength(raw) > mostBytes) throw tooLarge();
      if (data !== null) yield { name: nameOf(beside), data };
    }
  }
}

const split = (splitter: SseSplitter, text: string, tooLarge: () => ToolFailure) => {
  try {
    return splitter.push(text);
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : error;
  }
};

/** The last one given counts; without one it is a message (WHATWG HTML §9.2.6). */
const nameOf = (beside: string): string => {
  let name = "message";
  for (const [, given = ""] of beside.matchAll(/^event:[ ]?(.*)$/gm)) name = given === "" ? "message" : given;
  return name;
};
