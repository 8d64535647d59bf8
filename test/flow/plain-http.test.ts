import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { answers, ScriptedPeer } from "#test/upstream/http/scripted-peer";
import { ChatWorld } from "./chat-world";

/* A provider over plain http, through the whole hub. */

const COMPLETION = JSON.stringify({
  ...{ id: "c-1", object: "chat.completion", created: 1, model: "peer-1" },
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const written = (lineEnd: string): string =>
  ["HTTP/1.1 200 OK", "content-type: application/json", `content-length: ${COMPLETION.length}`, "", COMPLETION].join(
    lineEnd,
  );

let valid: ScriptedPeer;
let loose: ScriptedPeer;
beforeAll(async () => {
  valid = await ScriptedPeer.listen(answers(written("\r\n")));
  loose = await ScriptedPeer.listen(answers(written("\n")));
});
afterAll(async () => {
  await valid[Symbol.asyncDispose]();
  await loose[Symbol.asyncDispose]();
});

const worldOf = (env: Readonly<Record<string, string>>): Promise<ChatWorld> =>
  ChatWorld.open({
    env: { GUARDHOUSE_UPSTREAM__RETRIES: "0", GUARDHOUSE_UPSTREAM__HTTP_CLIENT: "own", ...env },
    before: async (hub) => {
      await hub.addProvider("valid", { baseUrl: `http://127.0.0.1:${valid.port}/v1`, models: ["valid-*"] });
      await hub.addProvider("loose", { baseUrl: `http://127.0.0.1:${loose.port}/v1`, models: ["loose-*"] });
    },
  });

const asking = (model: string) => ({ model, messages: [{ role: "user", content: "Hello there" }] });

describe("a provider that is not strictly HTTP/1.1", () => {
  test("is an upstream error with a record, in words that say so and quote nothing", async () => {
    verifies("upstream.http-smuggling");
    await using world = await worldOf({});
    expect(await (await world.ask(asking("valid-1"))).json()).toMatchObject({ id: expect.any(String) });
    const response = await world.ask(asking("loose-1"));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      error: { code: "upstream_error", message: expect.stringContaining("not valid HTTP/1.1") },
    });
    const { final } = await world.recordsOf(response);
    expect(final).toMatchObject({ outcome: "upstream_error", call: { status: 502, attempts: 1 } });
  });

  test("is asked by the runtime's client unless the setting says otherwise", async () => {
    verifies("upstream.http-client");
    await using world = await worldOf({ GUARDHOUSE_UPSTREAM__HTTP_CLIENT: "fetch" });
    for (const model of ["valid-1", "loose-1"]) {
      const response = await world.ask(asking(model));
      expect([model, response.status]).toEqual([model, 200]);
      await response.text();
    }
  });
});

test("one connection serves one caller after the other", async () => {
  verifies("upstream.http-reuse");
  const askedOn = new Set<number>();
  await using peer = await ScriptedPeer.listen(async (connection, position) => {
    while ((await connection.request()) !== null) {
      askedOn.add(position);
      await connection.write(written("\r\n"));
    }
  });
  await using world = await ChatWorld.open({
    env: { GUARDHOUSE_UPSTREAM__HTTP_CLIENT: "own" },
    before: async (hub) => {
      await hub.addProvider("peer", { baseUrl: `http://127.0.0.1:${peer.port}/v1`, models: ["peer-*"] });
    },
  });
  for (const _ of [1, 2, 3]) expect((await world.ask(asking("peer-1"))).status).toBe(200);
  // Beside it there may have been a trial whether anybody listens, without a request.
  expect(askedOn.size).toBe(1);
});
