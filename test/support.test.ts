import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { APIError } from "openai";
import { citations, unproven } from "#test/support/citations";
import { eventually } from "#test/support/eventually";
import {
  answers,
  breaks,
  callsTools,
  FakeProvider,
  fails,
  hangs,
  type Reply,
  refuses,
  says,
  sends,
  thinks,
  times,
} from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { filesOf, walked } from "#test/support/repository";

const clientOf = (provider: FakeProvider, maxRetries = 0) =>
  new OpenAI({ baseURL: provider.url, apiKey: "test-key", maxRetries });

const HELLO = { model: "fake-model", messages: [{ role: "user" as const, content: "Hello" }] };

async function streamed(provider: FakeProvider, more: { stream_options?: { include_usage: boolean } } = {}) {
  const stream = await clientOf(provider).chat.completions.create({ ...HELLO, ...more, stream: true });
  return Array.fromAsync(stream);
}

async function contentOf(provider: FakeProvider): Promise<string> {
  const chunks = await streamed(provider);
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
}

function post(provider: FakeProvider, stream: boolean, signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify({ ...HELLO, stream });
  return fetch(`${provider.url}/chat/completions`, { method: "POST", body, ...(signal ? { signal } : {}) });
}

describe("the fake provider speaks OpenAI's wire", () => {
  test("a whole answer, a streamed answer and the list of models, read by OpenAI's client", async () => {
    await using provider = await FakeProvider.start(["small", "large"]);
    provider.always(says("Good morning, and welcome."));
    const whole = await clientOf(provider).chat.completions.create(HELLO);
    expect(whole.choices[0]?.message.content).toBe("Good morning, and welcome.");
    expect(whole.choices[0]?.finish_reason).toBe("stop");
    expect(await contentOf(provider)).toBe("Good morning, and welcome.");
    const models = await Array.fromAsync(clientOf(provider).models.list());
    expect(models.map(({ id }) => id)).toEqual(["small", "large"]);
  });

  test("it remembers what it got", async () => {
    await using provider = await FakeProvider.start();
    await clientOf(provider).chat.completions.create({ ...HELLO, seed: 7 });
    expect(provider.lastCall.headers.get("authorization")).toBe("Bearer test-key");
    expect(provider.lastCall.body).toMatchObject({ ...HELLO, seed: 7 });
    expect(JSON.parse(provider.lastCall.text)).toEqual(provider.lastCall.body);
    expect(await provider.lastCall.ended).toMatchObject({ how: "answered" });
  });

  test("usage comes last, and only when asked for", async () => {
    await using provider = await FakeProvider.start();
    expect((await streamed(provider)).some(({ usage }) => usage)).toBe(false);
    const chunks = await streamed(provider, { stream_options: { include_usage: true } });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 5 } });
  });

  test("tool calls arrive in pieces that join to their arguments", async () => {
    await using provider = await FakeProvider.start();
    provider.always(
      callsTools([
        { name: "weather", arguments: ['{"ci', 'ty":"Ber', 'lin"}'] },
        { name: "clock", arguments: "{}" },
      ]),
    );
    const stream = clientOf(provider).chat.completions.stream(HELLO);
    const [choice] = (await stream.finalChatCompletion()).choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    const calls = choice?.message.tool_calls?.map((call) => (call.type === "function" ? call.function : call));
    expect(calls).toMatchObject([
      { name: "weather", arguments: '{"city":"Berlin"}' },
      { name: "clock", arguments: "{}" },
    ]);
  });

  test("several choices are interleaved; refusals, reasoning, log probabilities and unknown fields are there", async () => {
    await using provider = await FakeProvider.start();
    provider.next(
      answers({ choices: [{ content: ["a", "b"], logprobs: true }, { content: ["x", "y"] }], extra: { tier: "gold" } }),
      refuses("I cannot help with that."),
      thinks("Let me see.", "Yes."),
    );
    const two = await streamed(provider);
    const order = two.flatMap(({ choices }) => choices.map(({ index, delta }) => `${index}${delta.content ?? ""}`));
    expect(order).toEqual(["0", "1", "0a", "1x", "0b", "1y", "0", "1"]);
    expect(two[2]?.choices[0]?.logprobs?.content?.[0]?.token).toBe("a");
    expect(two[0]).toMatchObject({ tier: "gold" });
    const refused = await clientOf(provider).chat.completions.create(HELLO);
    expect(refused.choices[0]?.message).toMatchObject({ content: null, refusal: "I cannot help with that." });
    const thought = await clientOf(provider).chat.completions.create(HELLO);
    expect(thought.choices[0]?.message).toMatchObject({ content: "Yes.", reasoning_content: "Let me see." });
  });
});

describe("whatever the wire looks like, the text is the same", () => {
  const TEXT = "Grüße aus Köln – 東京 und 🌍, bis bald.";
  const wires: Record<string, Reply> = {
    "cut inside characters": says(TEXT, { cut: "utf8" }),
    "one byte at a time": says(TEXT, { cut: "byte" }),
    "seven bytes at a time": says(TEXT, { cut: 7 }),
    "in one piece": says(TEXT, { cut: "one" }),
    "with CRLF": says(TEXT, { lineEnd: "\r\n" }),
    "with comments": says(TEXT, { comments: true }),
    "with data over several lines": says(TEXT, { multiLine: true }),
    "after Azure's first chunk": says(TEXT, { azure: true }),
    "without [DONE]": says(TEXT, { done: false }),
    "without a finish reason": says(TEXT, { finish: false }),
    slowly: says(TEXT, { delayMs: 5, gapMs: 1 }),
  };
  for (const [name, reply] of Object.entries(wires)) {
    test(name, async () => {
      await using provider = await FakeProvider.start();
      provider.always(reply);
      expect(await contentOf(provider)).toBe(TEXT);
    });
  }

  test("the cuts are really made", async () => {
    await using provider = await FakeProvider.start();
    provider.next(says("é", { cut: "utf8", finish: false, done: false }), says("hello", { cut: "byte" }));
    await (await post(provider, true)).text();
    expect(provider.lastCall.written).toBe(2);
    const whole = await (await post(provider, false)).text();
    expect(provider.lastCall.written).toBe(whole.length);
  });
});

describe("it fails as told", () => {
  test("errors in OpenAI's shape, in odd shapes, and with retry-after", async () => {
    await using provider = await FakeProvider.start();
    provider.next(
      fails(503),
      fails(502, { body: "<html>Bad gateway</html>", contentType: "text/html" }),
      fails(500, { body: "" }),
      fails(429, { retryAfter: 3 }),
    );
    expect(await (await post(provider, false)).json()).toMatchObject({ error: { type: "server_error" } });
    const html = await post(provider, false);
    expect([html.status, html.headers.get("content-type")]).toEqual([502, "text/html"]);
    expect(await html.text()).toBe("<html>Bad gateway</html>");
    expect(await (await post(provider, false)).text()).toBe("");
    const limited = await post(provider, false);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"]);
  });

  test("so many times, then it succeeds", async () => {
    await using provider = await FakeProvider.start();
    provider.next(...times(2, fails(503, { retryAfter: 0 })), says("Third time lucky."));
    const answer = await clientOf(provider, 2).chat.completions.create(HELLO);
    expect(answer.choices[0]?.message.content).toBe("Third time lucky.");
    expect(provider.calls).toHaveLength(3);
  });

  test("a connection that breaks before the answer, in it, or after half of it", async () => {
    await using provider = await FakeProvider.start();
    provider.next(
      breaks(),
      says("one two three", { stop: { after: 2, how: "reset" } }),
      says("one two three", { stop: { after: 2, how: "close" } }),
      says("one two three", { stop: { after: 0, how: "reset" } }),
    );
    expect(post(provider, false)).rejects.toThrow("ECONNRESET");
    await provider.call(0);
    for (const stream of [true, true, false]) {
      const response = await post(provider, stream);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
      expect(await provider.lastCall.ended).toMatchObject({ how: "cut" });
    }
  });

  test("it hangs until the client goes, before the answer or in it, and says when that was", async () => {
    await using provider = await FakeProvider.start();
    provider.next(hangs(), says("one two three", { stop: { after: 2, how: "hang" } }));
    for (const [at, stream] of [false, true].entries()) {
      const leaving = new AbortController();
      const response = post(provider, stream, leaving.signal).then((answer) => answer.text());
      const call = await provider.call(at);
      while (stream && call.written < 2) await Bun.sleep(1);
      setTimeout(() => leaving.abort(), 50);
      await expect(response).rejects.toThrow();
      const { how, afterMs } = await call.ended;
      expect(how).toBe("client_gone");
      expect(afterMs).toBeGreaterThan(30);
    }
    expect(provider.lastCall.written).toBe(2);
  });

  test("bodies written by hand", async () => {
    await using provider = await FakeProvider.start();
    provider.next(sends(['data: {"error":{"message":"overloaded"}}\n\n'], { contentType: "text/plain" }));
    const response = await post(provider, true);
    expect(response.headers.get("content-type")).toBe("text/plain");
    expect(await response.text()).toContain("overloaded");
    provider.next(sends(['data: {"error":{"message":"overloaded"}}\n\n']));
    await expect(streamed(provider)).rejects.toBeInstanceOf(APIError);
  });

  test("many calls at once on kept connections", async () => {
    await using provider = await FakeProvider.start();
    const client = clientOf(provider);
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 50 }, () => client.chat.completions.create(HELLO)));
    }
    expect(provider.calls).toHaveLength(150);
    for (const end = performance.now() + 60_000; provider.connections > 50 && performance.now() < end; )
      await Bun.sleep(20);
    expect(provider.connections).toBeLessThanOrEqual(50);
  });
});

describe("the hub as a process", () => {
  test("is set up by command line, called over HTTP, killed, and started again at the same address", async () => {
    await using provider = await FakeProvider.start();
    await using hub = await Hub.create({ processes: "all" });
    const user = await hub.createUser("eve@example.com");
    expect(user).toMatchObject({ email: "eve@example.com", id: expect.any(String) });
    await hub.createAgent("scribe", user.email);
    const { token } = await hub.createToken(user.email, "scribe");
    await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-*"], apiKey: "provider-key" });

    const { url } = await hub.start();
    const answer = await hub.fetch("/v1/chat/completions", { token, json: HELLO });
    expect(answer.status).toBe(200);
    expect(provider.lastCall.headers.get("authorization")).toBe("Bearer provider-key");
    expect(await hub.log("listening")).toMatchObject({ url });

    expect(await hub.kill("SIGKILL")).toBe("SIGKILL");
    expect(() => hub.url).toThrow("does not run");
    expect((await hub.start()).url).toBe(url);
    expect((await hub.restart()).url).toBe(url);
    expect(await hub.kill("SIGTERM")).toBe(0);
  }, 120_000);

  test("a command that fails says so, with its exit code and what it wrote", async () => {
    await using hub = await Hub.create({ processes: "all" });
    const result = await hub.cli("user", "no-such-verb");
    expect(result.code).toBe(2);
    await expect(hub.createAgent("scribe", "nobody@example.com")).rejects.toThrow("agent create");
  });

  test("a hub that cannot start gives its reason, and leaves nothing behind", async () => {
    const hub = await Hub.create({ serve: ["--no-such-flag"] });
    await expect(hub.start()).rejects.toThrow("no-such-flag");
    await hub[Symbol.asyncDispose]();
    expect(await Bun.file(hub.dataDir).exists()).toBe(false);
  });
});

describe("the files of a repository", () => {
  test("without git are those that lie there, less what .gitignore names and what is made", async () => {
    const root = await mkdtemp(join(tmpdir(), "guardhouse-files-"));
    try {
      const kept = [".ci/run", "README.md", "a/.hidden", "a/data.txt", "a/deep/b.ts", "a/top.txt", "log/c.ts", "out"];
      const left = [
        ...["node_modules/x/y.js", "a/node_modules/z.js", "dist/hub", ".git/HEAD", "a/deep/e.log", "f.log"],
        ...["data/g.txt", "a/deep/data/h.txt", "top.txt", "a/.DS_Store", ".made/out/i"],
      ];
      for (const path of [...kept, ...left]) await Bun.write(join(root, path), "x");
      await Bun.write(join(root, ".gitignore"), "# made\n\n*.log\ndata/\n/top.txt\n.DS_Store\nout/\n");
      const expected = [".gitignore", ...kept].sort();
      expect(await walked(root)).toEqual(expected);
      expect(await filesOf(root)).toEqual(expected);
      await Bun.write(join(root, ".gitignore"), "*.log\n!f.log\n");
      await expect(walked(root)).rejects.toThrow("!f.log");
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});

describe("citations of requirements", () => {
  // Put together here, so that the scan of this file finds no citation.
  const call = (args: string) => `${"verifies"}(${args});`;

  test("are read from calls, over several lines, and not from comments", () => {
    const source = [
      call('"token.revocation", "chat.block"'),
      call('\n  "stream.hold-back",\n'),
      `// ${call('"never"')}`,
      `/* ${call('"never"')} */`,
    ];
    expect(citations(source.join("\n"))).toEqual(["token.revocation", "chat.block", "stream.hold-back"]);
  });

  test("requirement check names uncited, unknown and duplicate promises", () => {
    expect(unproven(["a.a", "b.b", "b.b"], ["a.a", "c.c"])).toEqual({
      uncited: ["b.b", "b.b"],
      unknown: ["c.c"],
      twice: ["b.b"],
    });
  });
});

describe("a value that is waited for", () => {
  test("is read until it is as expected", async () => {
    let n = 0;
    expect(await eventually(() => `read ${++n} times`, expect.stringContaining("3"))).toBe("read 3 times");
    expect(await eventually(async () => [++n], [6])).toEqual([6]);
  });

  test("fails with what was read last", async () => {
    let n = 0;
    await expect(eventually(() => `read ${Math.min(++n, 2)} times`, "never", 50)).rejects.toThrow("read 2 times");
  });
});
