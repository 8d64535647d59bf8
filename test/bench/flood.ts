/**
 * The long caller of the fairness bench and its provider, in a process of its own: whole bodies, one after the other,
 * without a pause. Its priority is low, for its machine would be another; what it takes of the cores is not the hub's.
 */
import { setPriority } from "node:os";
import { serveParent } from "./child.ts";
import type { FloodJob, FloodResult } from "./flood-job.ts";

/** Of `src/platform/thread-priority.ts`. */
const NICENESS = 10;
/** Stands in each body where the number of the call goes. */
const PLACEHOLDER = "00000";
/** A piece of burning, in milliseconds. */
const BURN_MS = 20;

const ANSWER = JSON.stringify({
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "sink" },
  choices: [{ index: 0, message: { role: "assistant", content: "Read." }, finish_reason: "stop" }],
});

/** A provider that reads nothing and always says the same, so that only the hub's own work is measured. */
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  maxRequestBodySize: 64 * 1024 * 1024,
  fetch: () => new Response(ANSWER, { headers: { "content-type": "application/json" } }),
});

let calls = 0;
let isOver = false;
let underWay = Promise.resolve();

const send = async ({ url, token, body }: Extract<FloodJob, { kind: "begin" }>): Promise<void> => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const bytes = Buffer.from(body);
  // Never the same text twice: its verdict would be remembered. The place is found once, the rest is made beforehand.
  const place = bytes.indexOf(`Number ${PLACEHOLDER}`) + "Number ".length;
  for (let n = 0; !isOver; n += 1) {
    bytes.write(String(n).padStart(PLACEHOLDER.length, "0"), place);
    const request = { method: "POST", headers, body: bytes };
    const response = await fetch(`${url}/v1/chat/completions`, request).catch(() => null);
    await response?.arrayBuffer();
    if (response === null || response.status >= 500) await Bun.sleep(100);
    else calls += 1;
  }
};

const burn = async (): Promise<void> => {
  while (!isOver) {
    for (const end = performance.now() + BURN_MS; performance.now() < end; );
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const work = async (job: FloodJob): Promise<FloodResult> => {
  if (job.kind === "end") {
    isOver = true;
    await underWay;
    return { calls };
  }
  isOver = false;
  calls = 0;
  underWay = job.kind === "begin" ? send(job) : burn();
  return { calls };
};

if (import.meta.main) {
  setPriority(0, NICENESS);
  serveParent(`http://127.0.0.1:${provider.port}`, work);
}
