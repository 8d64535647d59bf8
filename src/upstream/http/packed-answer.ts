import { unpacked } from "#upstream/plain-fetch";
import { FetchAnswer, type TransportAnswer } from "#upstream/transport";
import type { HttpAnswer } from "./answer";

/** An answer that came packed although nothing packed was asked for is unpacked as it is read, as that of `fetch` is. */
export const plain = (answer: HttpAnswer): TransportAnswer => {
  const coding = answer.header("content-encoding")?.toLowerCase() ?? "";
  const packed = coding === "" || coding === "identity" ? null : answer.stream();
  if (packed === null) return answer;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await packed.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => answer.discard(),
    },
    { highWaterMark: 0 },
  );
  const headers = new Headers(answer.fields.map(({ name, value }): [string, string] => [name, value]));
  return new FetchAnswer(unpacked(new Response(body, { status: answer.status, headers })));
};
