import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { base62, crc32 } from "#core/checksums";
import { chars } from "#test/scan/samples";
import { says } from "#test/support/fake-provider";
import { numbered, numberedIn } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { ChatWorld } from "./chat-world";

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const CALLS = 60;
const email = (n: number) => `person-${n}@example.com`;
const token = (n: number) => {
  const random = chars(30 + n).slice(-30);
  return `ghp_${random}${base62(crc32(random), 6)}`;
};

describe("many calls at once", () => {
  test("each gets its own answer, its own labels and its own record", async () => {
    verifies("stream.isolation");
    // The model's name is what a scripted provider can tell calls apart by.
    world.provider.always((asking) => {
      const n = Number(asking.model.slice("fake-".length));
      return says([`For ${n}: `, token(n).slice(0, 20), token(n).slice(20), ` by ${email(n)}`, ". "], { gapMs: n % 7 })(
        asking,
      );
    });
    const ask = async (n: number) => {
      const body = { model: `fake-${n}`, messages: [{ role: "user", content: `I am ${email(n)}, call ${n}` }] };
      const answer = await world.stream(body, { headers: { "x-conversation-id": `load-${n}` } });
      return { n, answer };
    };
    const answers = await Promise.all(Array.from({ length: CALLS }, (_, n) => ask(n)));
    for (const { n, answer } of answers) {
      expect(numbered(answer.content())).toBe(`For ${n}: [secret.github_token:1] by [pii.email:1]. `);
      expect(answer.data.at(-1)).toBe("[DONE]");
    }
    for (const { body } of world.provider.calls) {
      const n = Number(`${body.model}`.slice("fake-".length));
      expect(numberedIn(body.messages?.[0]?.content)).toBe(`I am [pii.email:1], call ${n}`);
    }
    const records = (await world.tail()).filter(({ phase }) => phase === "final");
    for (const { n, answer } of answers) {
      const mine = records.filter(({ call_id }) => call_id === answer.headers.get("x-request-id"));
      expect(mine).toMatchObject([{ outcome: "answered", call: { model: `fake-${n}`, conversation_id: `load-${n}` } }]);
    }
  });

  test("a client that does not read slows its provider, not the hub's memory", async () => {
    verifies("stream.backpressure");
    const piece = "Nothing to see here, only words and more words. ".repeat(700);
    const pieces = 2_500; // 84 MB of text
    world.provider.always(says(Array.from({ length: pieces }, () => piece)));
    const controller = new AbortController();
    const before = world.provider.calls.length;
    const response = await world.ask(
      { messages: [{ role: "user", content: "Hello" }], stream: true },
      { signal: controller.signal },
    );
    const call = await world.provider.call(before);
    // Until nothing has moved for a while; on a slow machine that takes longer, and is as true.
    let written = -1;
    while (call.written !== written || written < 3) {
      ({ written } = call);
      await Bun.sleep(400);
    }
    expect(written).toBeLessThan(pieces / 2);
    controller.abort();
    await response.text().catch(() => "");
    expect(await call.ended).toMatchObject({ how: "client_gone" });
  });
});
