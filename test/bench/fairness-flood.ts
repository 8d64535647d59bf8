/** The hostile caller of the fairness bench, in a thread of its own: one body after the other, without a pause. */
declare const self: Worker;

/** A provider that reads nothing and always says the same, so that only the hub's own work is measured. */
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  maxRequestBodySize: 64 * 1024 * 1024,
  fetch: () => new Response(ANSWER, { headers: { "content-type": "application/json" } }),
});
const ANSWER = JSON.stringify({
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "sink" },
  choices: [{ index: 0, message: { role: "assistant", content: "Read." }, finish_reason: "stop" }],
});
postMessage({ url: `http://127.0.0.1:${provider.port}` });

type Flood = { readonly url: string; readonly token: string; readonly body: string };

let calls = 0;
let isOver = false;

self.onmessage = async ({ data }: MessageEvent<Flood | "stop">) => {
  if (data === "stop") {
    isOver = true;
    return;
  }
  isOver = false;
  calls = 0;
  const { url, token, body } = data;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  for (let n = 0; !isOver; n += 1) {
    // Never the same text twice: its verdict would be remembered.
    const fresh = body.replace("Number 0", `Number ${n}`);
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body: fresh }).catch(
      () => null,
    );
    await response?.arrayBuffer();
    if (response === null || response.status >= 500) await Bun.sleep(100);
    else calls += 1;
  }
  postMessage({ calls });
};
