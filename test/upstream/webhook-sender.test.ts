import { describe, expect, test } from "bun:test";
import { anyPort } from "#test/support/port";
import { verifies } from "#test/support/verifies";
import { isSignedWith, WebhookReceiver } from "#test/support/webhook-receiver";
import { webhookSender } from "#upstream/webhook-sender";

const secretOf = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString("base64")}`;
const [OLD, NEW, OTHER] = [secretOf(1), secretOf(2), secretOf(3)];
const BODY = '{"type":"review.submitted","data":{"id":"ü"}}';
const MESSAGE = { id: "0199-a", body: BODY, secrets: [NEW] };
const NOW = Date.UTC(2026, 10, 21, 12, 0, 0, 987);
const NEVER = new AbortController().signal;
const LOOPBACK = ["127.0.0.0/8"];

type Options = Partial<Parameters<typeof webhookSender>[0]>;
const sender = (options: Options = {}) =>
  webhookSender({ allowPrivate: LOOPBACK, now: () => NOW, version: "1.2.3", ...options });

describe("webhook sender: request", () => {
  test("is signed as Standard Webhooks has it", async () => {
    verifies("webhook.signed");
    await using receiver = new WebhookReceiver();
    expect(await sender()(receiver.url, MESSAGE, NEVER)).toEqual({ status: 204, error: null });
    const [got] = receiver.received;
    if (!got) throw new Error("nothing came");
    expect(got).toMatchObject({ id: "0199-a", timestamp: String(Math.floor(NOW / 1_000)), body: BODY });
    expect(got.headers.get("content-type")).toBe("application/json");
    expect(got.headers.get("user-agent")).toBe("guardhouse/1.2.3");
    expect(isSignedWith(NEW, got)).toBe(true);
    expect(isSignedWith(OTHER, got)).toBe(false);
    expect(isSignedWith(NEW, { ...got, body: `${got.body} ` })).toBe(false);
    expect(isSignedWith(NEW, { ...got, timestamp: "1" })).toBe(false);
  });

  test("is signed with both secrets while one is being replaced", async () => {
    verifies("webhook.signed");
    await using receiver = new WebhookReceiver();
    await sender()(receiver.url, { ...MESSAGE, secrets: [NEW, OLD] }, NEVER);
    const [got] = receiver.received;
    if (!got) throw new Error("nothing came");
    expect(got.signature.split(" ")).toHaveLength(2);
    expect([NEW, OLD, OTHER].map((secret) => isSignedWith(secret, got))).toEqual([true, true, false]);
  });

  test("the example of Standard Webhooks itself is signed as it says there", async () => {
    await using receiver = new WebhookReceiver();
    const message = {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      body: '{"test": 2432232314}',
      secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    };
    await sender({ now: () => 1_614_265_330_000 })(receiver.url, message, NEVER);
    expect(receiver.received[0]?.signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });
});

describe("webhook sender: refused addresses", () => {
  test.each([
    "http://127.0.0.1:9/",
    "https://127.0.0.1:9/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]:9/",
    "https://[::ffff:127.0.0.1]/",
    "https://2130706433/",
    "https://10.0.0.1/",
    "http://93.184.215.14/",
    "https://user:word@example.test/",
    "ftp://example.test/",
    "nonsense",
  ])("%s, without an exception", async (url) => {
    verifies("webhook.ssrf");
    const send = sender({ allowPrivate: [] });
    expect(await send(url, MESSAGE, NEVER)).toEqual({ status: null, error: "forbidden_address" });
  });

  test("a name of a private address, also one among others, also one that was public a moment ago", async () => {
    verifies("webhook.ssrf");
    const answers = [["93.184.215.14", "10.0.0.1"], ["127.0.0.1"], ["fd00::1"]];
    const send = sender({ allowPrivate: [], resolve: async () => answers.shift() ?? [] });
    for (let left = answers.length; left > 0; left -= 1) {
      const sent = await send("https://hooks.example.test/", MESSAGE, NEVER);
      expect(sent).toEqual({ status: null, error: "forbidden_address" });
    }
  });

  test("plain http to a public name, whatever network is allowed", async () => {
    verifies("webhook.ssrf");
    const send = sender({ resolve: async () => ["93.184.215.14"] });
    const sent = await send("http://hooks.example.test/", MESSAGE, NEVER);
    expect(sent).toEqual({ status: null, error: "forbidden_address" });
  });

  test("to where a redirect leads", async () => {
    verifies("webhook.ssrf");
    await using target = new WebhookReceiver();
    await using receiver = new WebhookReceiver();
    receiver.answers.unshift(new Response(null, { status: 307, headers: { location: target.url } }));
    expect(await sender()(receiver.url, MESSAGE, NEVER)).toEqual({ status: 307, error: "redirect" });
    expect(target.received).toEqual([]);
  });
});

describe("webhook sender: failures by one word", () => {
  test("webhook sender: refused, unreachable, silent and aborted connections", async () => {
    using held = anyPort();
    expect(await sender()(`http://127.0.0.1:${held.port}/hook`, MESSAGE, NEVER)).toEqual({
      status: null,
      error: "unreachable",
    });
    const unknown = sender({ resolve: () => Promise.reject(new Error("no such name")) });
    expect(await unknown("https://none.example.test/", MESSAGE, NEVER)).toEqual({ status: null, error: "unreachable" });

    const silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) });
    const address = `http://127.0.0.1:${silent.port}/`;
    expect(await sender({ timeoutMs: 50 })(address, MESSAGE, NEVER)).toEqual({ status: null, error: "timeout" });
    const ended = sender()(address, MESSAGE, AbortSignal.timeout(20));
    expect(await ended).toEqual({ status: null, error: "broken" });
    await silent.stop(true);
  });

  test("an endless answer is not read", async () => {
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) });
    await using receiver = new WebhookReceiver();
    receiver.answers.unshift(new Response(endless));
    expect(await sender()(receiver.url, MESSAGE, NEVER)).toEqual({ status: 200, error: null });
  });
});
