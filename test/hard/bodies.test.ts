import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FakeProvider, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { isWhole, Ledger } from "./ledger";
import { chunked, type RawAnswer, request, sendRaw } from "./raw-client";

const EVE = "eve@example.com";
const MAX_BYTES = 20_971_520;
/** Silence after which a client that owes the rest of its request is cut off. */
const IDLE_MS = 3_000;
/** A secret in the middle of what is meant to hide it. */
const HIDDEN = "AKIAQ7Z2M4T6X8V3N5B7";

let hub: Hub;
/** Cuts silent clients off soon. A busy machine may be silent for so long in the middle of twenty megabytes. */
let hasty: Hub;
let provider: FakeProvider;
let token: string;
let hastyToken: string;
let slow: Record<string, Promise<RawAnswer>>;

const head = (more: readonly string[] = []): string[] => [
  `Host: ${new URL(hub.url).host}`,
  `Authorization: Bearer ${token}`,
  "Content-Type: application/json",
  ...more,
];
const POST = "POST /v1/chat/completions HTTP/1.1";

/** Clients that take their time, from the first test on; the last test looks at what became of them. */
const slowClients = ({ url }: Hub, bearer: string): Record<string, Promise<RawAnswer>> => {
  const withinMs = 20_000;
  const headers = [`Host: ${new URL(url).host}`, `Authorization: Bearer ${bearer}`, "Content-Type: application/json"];
  const owing = [...headers, "Content-Length: 100000"];
  const drip = { bytes: "x", everyMs: 300 };
  return {
    "no request at all": sendRaw(url, "", { withinMs }),
    "half a header": sendRaw(url, "POST /v1/chat/completions HTTP/1.1\r\nHost: 127", { withinMs }),
    "a header line at a time": sendRaw(url, `${POST}\r\n`, {
      withinMs,
      drip: { bytes: "X-A: b\r\n", everyMs: 300 },
    }),
    "no body": sendRaw(url, request(POST, owing), { withinMs }),
    "half a body": sendRaw(url, request(POST, owing, '{"model":"'), { withinMs }),
    "a byte of body at a time": sendRaw(url, request(POST, owing, '{"model":"'), { withinMs, drip }),
    "a chunk of body at a time": sendRaw(url, request(POST, [...headers, "Transfer-Encoding: chunked"]), {
      withinMs,
      drip: { bytes: "1\r\nx\r\n", everyMs: 300 },
    }),
    "a byte of body at a time, to be scanned": sendRaw(
      url,
      request("POST /v1/guard/scan HTTP/1.1", owing, '{"text":"'),
      { withinMs, drip },
    ),
  };
};

beforeAll(async () => {
  provider = await FakeProvider.start();
  [hub, hasty] = await Promise.all([
    Hub.create({ processes: "hub" }),
    Hub.create({ processes: "hub", env: { GUARDHOUSE_LIMITS__REQUEST_IDLE_MS: `${IDLE_MS}` } }),
  ]);
  await hub.createUser(EVE);
  token = (await hub.createToken(EVE)).token;
  await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-model"] });
  await hub.start();
  await hasty.createUser(EVE);
  hastyToken = (await hasty.createToken(EVE)).token;
  await hasty.start();
  slow = slowClients(hasty, hastyToken);
});
afterAll(async () => {
  await hasty[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

type Answer = {
  readonly status: number;
  readonly error: Record<string, unknown>;
  readonly content: unknown;
  readonly ms: number;
};

const readAnswer = async (response: Response, ms: number): Promise<Answer> => {
  const body = await response.json();
  return { status: response.status, error: body.error ?? {}, content: body.choices?.[0]?.message?.content, ms };
};

/** Posts a body as it is. */
const post = async (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  path = "/v1/chat/completions",
): Promise<Answer> => {
  const began = performance.now();
  // On a connection of its own: one that was kept from before may be closed by the hub just then.
  const response = await hub.fetch(path, { method: "POST", token, headers, body, keepalive: false });
  return readAnswer(response, performance.now() - began);
};

const chat = (content: unknown, more: object = {}): string =>
  JSON.stringify({ model: "fake-model", messages: [{ role: "user", content }], ...more });

/** The one message with a field written by hand, for what JSON.stringify does not write. */
const chatWith = (fields: string): string =>
  `{"model":"fake-model","messages":[{"role":"user","content":"hello"}],${fields}}`;

const expectAlive = async (): Promise<void> => {
  const { status, ms } = await post(chat("still there?"));
  expect(status).toBe(200);
  expect(ms).toBeLessThan(20_000);
};

describe("large bodies", () => {
  test("ten megabytes of one message are read, scanned and passed on whole", async () => {
    verifies("body.limit");
    const content = "a word or two. ".repeat(700_000);
    const answer = await post(chat(content));
    expect(answer.status).toBe(200);
    expect(provider.lastCall.body.messages?.[0]?.content).toBe(content);
  }, 120_000);

  test("a secret at the end of ten megabytes is found", async () => {
    const answer = await post(chat(`${"a word or two. ".repeat(700_000)} ${HIDDEN}`));
    expect([answer.status, answer.error.code]).toEqual([400, "content_filter"]);
  }, 120_000);

  const frame = chat("").length;
  test("exactly the limit is read; one byte more is refused", async () => {
    verifies("body.limit");
    expect((await post(chat("x".repeat(MAX_BYTES - frame)))).status).toBe(200);
    const over = await post(chat("x".repeat(MAX_BYTES - frame + 1)));
    expect([over.status, over.error.code]).toEqual([413, "request_too_large"]);
  }, 120_000);

  for (const path of ["/v1/chat/completions", "/v1/guard/scan"]) {
    test(`${path}: a length over the limit is refused in the envelope, before it has come`, async () => {
      verifies("body.limit");
      for (const length of [MAX_BYTES + 1, MAX_BYTES * 10, 9_007_199_254_740_991]) {
        const answer = await sendRaw(hub.url, request(`POST ${path} HTTP/1.1`, head([`Content-Length: ${length}`])), {
          withinMs: 20_000,
        });
        expect(answer.status).toBe(413);
        expect(JSON.parse(answer.body)).toMatchObject({
          error: { code: "request_too_large", type: "invalid_request_error" },
        });
        expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      }
    });

    test(`${path}: chunks over the limit are refused in the envelope`, async () => {
      verifies("body.limit");
      const megabyte = "x".repeat(1_000_000);
      const body = chunked(...Array.from({ length: 22 }, () => megabyte));
      const answer = await sendRaw(
        hub.url,
        request(`POST ${path} HTTP/1.1`, head(["Transfer-Encoding: chunked"]), body),
      );
      expect(answer.status).toBe(413);
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "request_too_large" } });
    }, 120_000);
  }

  test("chunks below the limit are a body like any other", async () => {
    const body = chunked(...(chat("hello in chunks").match(/.{1,7}/g) ?? []));
    const answer = await sendRaw(hub.url, request(POST, head(["Transfer-Encoding: chunked"]), body));
    expect(answer.status).toBe(200);
    expect(provider.lastCall.body.messages?.[0]?.content).toBe("hello in chunks");
  });

  test("lengths that contradict each other are refused", async () => {
    const calls = provider.calls.length;
    const body = chat("hello");
    const pairs = [
      ["Content-Length: 5", "Content-Length: 6"],
      [`Content-Length: ${body.length}`, "Transfer-Encoding: chunked"],
      ["Content-Length: -1"],
      ["Content-Length: 1e3"],
      ["Content-Length: 99999999999999999999999"],
      ["Transfer-Encoding: gzip, chunked"],
      ["Transfer-Encoding: xchunked"],
    ];
    for (const pair of pairs) {
      const answer = await sendRaw(hub.url, request(POST, head(pair), body), { withinMs: 20_000 });
      expect([pair, answer.status]).toEqual([pair, 400]);
    }
    expect(provider.calls.length).toBe(calls);
  }, 120_000);

  test("ten thousand messages", async () => {
    const messages = Array.from({ length: 10_000 }, (_, at) => ({
      role: at % 2 ? "assistant" : "user",
      content: `message number ${at}`,
    }));
    expect((await post(chat("", { messages }))).status).toBe(200);
    expect(provider.lastCall.body.messages).toHaveLength(10_000);
    const hiding = messages.with(5_000, { role: "assistant", content: `the key is ${HIDDEN}` });
    expect((await post(chat("", { messages: hiding }))).error).toMatchObject({
      code: "content_filter",
      param: "messages[5000].content",
    });
  }, 120_000);

  test("after eight bodies of ten megabytes at once the memory comes back", async () => {
    verifies("body.memory");
    provider.always(says("Good."));
    const rss = (): number => Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", `${hub.pid}`]).stdout.toString()) / 1024;
    for (let at = 0; at < 20; at += 1) await post(chat("hello"));
    const body = chat("a word or two. ".repeat(700_000));
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const deadline = performance.now() + 60_000;
    while (rss() > 200 && performance.now() < deadline) await Bun.sleep(250);
    expect(rss()).toBeLessThan(200);
  }, 240_000);
});

describe("deep and odd JSON", () => {
  const DEEP = 100_000;
  const lists = "[".repeat(DEEP) + "]".repeat(DEEP);
  const objects = `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`;
  const toolCall = (args: string) =>
    chat("", {
      messages: [
        { role: "assistant", tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: args } }] },
      ],
    });
  const deep: Record<string, string> = {
    lists,
    objects,
    "lists beside the messages": chatWith(`"x":${lists}`),
    "objects beside the messages": chatWith(`"x":${objects}`),
    "lists in a message": `{"model":"fake-model","messages":[{"role":"user","content":"hello","x":${lists}}]}`,
    metadata: chatWith(`"metadata":{"a":${objects}}`),
    "lists in a tool call's arguments": toolCall(lists),
    "objects in a tool call's arguments": toolCall(objects),
    "a tool's schema": chatWith(`"tools":[{"type":"function","function":{"name":"f","parameters":${objects}}}]`),
    "lists without an end": chatWith(`"x":${"[".repeat(DEEP)}`),
  };
  for (const [name, body] of Object.entries(deep)) {
    test(`100 000 levels of ${name}: 400, quickly, and the hub goes on`, async () => {
      verifies("body.hostile");
      const calls = provider.calls.length;
      for (const path of ["/v1/chat/completions", "/v1/guard/scan"]) {
        const answer = await post(body, {}, path);
        expect([answer.status, answer.error.type]).toEqual([400, "invalid_request_error"]);
        expect(answer.ms).toBeLessThan(20_000);
      }
      expect(provider.calls.length).toBe(calls);
      await expectAlive();
    });
  }

  test("arguments inside arguments inside arguments are opened, or refused", async () => {
    verifies("body.hostile");
    let nested = JSON.stringify({ note: `the key is ${HIDDEN}` });
    for (let level = 0; level < 12; level += 1) {
      expect((await post(toolCall(nested))).status).toBe(400);
      nested = JSON.stringify({ arguments: nested });
    }
    await expectAlive();
  });

  test("of two keys alike one counts, for the guard and for the provider alike", async () => {
    verifies("body.hostile");
    const twice = (first: string, second: string) =>
      `{"model":"fake-model","messages":[{"role":"user","content":"${first}","content":"${second}"}]}`;
    expect((await post(twice("hello", HIDDEN))).error.code).toBe("content_filter");
    expect((await post(twice(HIDDEN, "hello"))).status).toBe(200);
    expect(provider.lastCall.text).not.toContain(HIDDEN);
  });

  test("__proto__, constructor and their kin are keys like others: read, passed on, and no more", async () => {
    verifies("body.hostile");
    const odd = chatWith(
      '"__proto__":{"stream":true,"model":"x"},"constructor":{"prototype":{"stream":true}},"toString":1,"hasOwnProperty":0',
    );
    expect((await post(odd)).status).toBe(200);
    expect(provider.lastCall.body.stream).toBeUndefined();
    expect(provider.lastCall.text).toContain('"__proto__":{"stream":true');
    for (const key of ["__proto__", "constructor", "valueOf"]) {
      expect((await post(chatWith(`"${key}":{"note":"the key is ${HIDDEN}"}`))).error.code).toBe("content_filter");
      const inMessage = `{"model":"fake-model","messages":[{"role":"user","content":"hello","${key}":{"x":["${HIDDEN}"]}}]}`;
      expect((await post(inMessage)).error.code).toBe("content_filter");
      const inArguments = toolCall(`{"${key}":{"${key}":"${HIDDEN}"}}`);
      expect((await post(inArguments)).error.code).toBe("content_filter");
    }
    // Roles are looked up in a table too.
    expect((await post('{"model":"fake-model","messages":[{"role":"__proto__","content":"hello"}]}')).status).toBe(200);
    expect((await post('{"model":"constructor","messages":[{"role":"user","content":"hello"}]}')).error.code).toBe(
      "model_not_found",
    );
  });

  test("numbers without end", async () => {
    verifies("body.hostile");
    const huge = chatWith(`"temperature":1e999,"seed":${"9".repeat(400)},"x":-1e-999,"y":${"1".repeat(100_000)}`);
    expect((await post(huge)).status).toBe(200);
    for (const n of ["1e999", "-1", "0", "1.5", "1e9", '"1"']) {
      expect((await post(chatWith(`"n":${n}`))).error).toMatchObject({ code: "invalid_value", param: "n" });
    }
  });

  test("half characters, NUL and bytes that are no UTF-8", async () => {
    verifies("body.hostile");
    const written = (content: string) => `{"model":"fake-model","messages":[{"role":"user","content":"${content}"}]}`;
    for (const content of ["a\\ud800b", "\\udc00", "a\\u0000b", "\\uffff\\ufdd0", "\\u202e\\u2066"]) {
      expect([content, (await post(written(content))).status]).toEqual([content, 200]);
    }
    // A character nobody sees does not hide a secret.
    expect((await post(written(`AKIAQ7Z2\\u200bM4T6X8V3N5B7`))).error.code).toBe("content_filter");
    expect((await post(chat("hello", { metadata: { conversation_id: "a\ud800b" } }))).status).toBe(200);
    for (const raw of ["a\0b", "a\nb", "a\u001fb"]) expect((await post(written(raw))).error.code).toBe("invalid_json");
    const broken = Buffer.concat([
      Buffer.from(written("").slice(0, -4)),
      Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
      Buffer.from('"}]}'),
    ]);
    expect((await post(broken)).status).toBe(200);
    expect(provider.lastCall.text.isWellFormed()).toBe(true);
    await expectAlive();
  });

  test("a body in another encoding, compressed, or none at all", async () => {
    verifies("body.hostile");
    const plain = chat("hello");
    const odd: Record<string, Uint8Array<ArrayBuffer>> = {
      empty: new Uint8Array(),
      gzip: Bun.gzipSync(Buffer.from(plain)),
      deflate: Bun.deflateSync(Buffer.from(plain)),
      "utf-16": new Uint8Array(Buffer.from(plain, "utf16le")),
    };
    for (const [name, bytes] of Object.entries(odd)) {
      for (const path of ["/v1/chat/completions", "/v1/guard/scan"]) {
        const answer = await post(bytes, { "content-encoding": name === "empty" ? "identity" : name }, path);
        expect([name, answer.status, answer.error.code]).toEqual([name, 400, "invalid_json"]);
      }
    }
    expect((await post(plain, { "content-type": "text/plain" })).status).toBe(200);
    expect((await post(plain, { "content-type": "multipart/form-data; boundary=x" })).status).toBe(200);
  });

  test("values that are no request say what is wrong, and where", async () => {
    const wrong: [body: string, param: string | null][] = [
      ["null", null],
      ["[]", null],
      ["1", null],
      ['"x"', null],
      ["{}", "model"],
      ['{"model":"fake-model"}', "messages"],
      ['{"model":"fake-model","messages":[]}', "messages"],
      ['{"model":"fake-model","messages":{"length":1}}', "messages"],
      ['{"model":"fake-model","messages":[1]}', "messages[0]"],
      ['{"model":"fake-model","messages":[{"role":"user","content":5}]}', "messages[0].content"],
      [chat("hello", { stream: "yes" }), "stream"],
    ];
    for (const [body, param] of wrong) {
      expect((await post(body)).error).toMatchObject({ code: "invalid_value", type: "invalid_request_error", param });
    }
  });
});

test("a client that takes its time is cut off, and costs nobody else theirs", async () => {
  verifies("body.slow");
  expect((await hasty.fetch("/v1/models", { token: hastyToken })).status).toBe(200);
  for (const [name, ending] of Object.entries(slow)) {
    const { status, closed, ms } = await ending;
    expect([name, status, closed]).toEqual([name, null, true]);
    // The runtime waits 10 s for a header, whatever the setting; both look every four seconds.
    expect(ms).toBeLessThan(/request|header/.test(name) ? 45_000 : IDLE_MS + 30_000);
  }
}, 120_000);

test("none of it was unexpected, and the log of it is whole", async () => {
  verifies("body.hostile");
  const complaints = [...hub.logs, ...hasty.logs].filter(
    ({ level, text }) => level === "error" || level === "warn" || text !== undefined,
  );
  expect(complaints).toEqual([]);
  expect([await isWhole(hub), await isWhole(hasty)]).toEqual([true, true]);
  const ledgers = [await Ledger.of(hub), await Ledger.of(hasty)];
  const calls = ledgers.flatMap((ledger) => [...ledger.calls().values()]);
  const ends = calls.map((entries) => entries.filter(({ phase }) => phase === "final"));
  expect(ends.filter(({ length }) => length !== 1)).toEqual([]);
  const outcomes = Map.groupBy(ends.flat(), ({ outcome }) => outcome);
  expect([...outcomes.keys()].sort()).toEqual(["answered", "blocked_input", "client_closed", "refused"]);
  // Those that never sent the rest of their request are not taken for answered.
  expect(outcomes.get("client_closed")?.map(({ call }) => call?.status)).toEqual([499, 499, 499, 499]);
});
