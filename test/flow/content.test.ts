import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { textsOfAnswer, textsOfRequest } from "#guard/apis/chat-texts";
import { comparableForm } from "#model/kept-content";
import { isEnvelope } from "#scan/texts/text-walk";
import { callsTools, fails, says } from "#test/support/fake-provider";
import { numbered, numberedIn } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { Streamed } from "./chat-world";
import { CARD, ContentWorld, KEY } from "./content-world";

setDefaultTimeout(120_000);

let world: ContentWorld;
beforeAll(async () => {
  world = await ContentWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const DAY_MS = 86_400_000;
const MESSAGE = "messages[0].content";
const ANSWER = "choices[0].message.content";
const asked = `Pay with ${CARD} for the tulips, please.`;
const answered = `I have paid with ${CARD}, the tulips are yours.`;
const LABEL = "[pii.credit_card:1]";
const pieces = answered.match(/.{1,7}/g) ?? [];

describe.each([
  ["whole", false],
  ["streamed", true],
] as const)("a %s answer", (_, stream) => {
  const more = stream ? { stream } : {};

  test("none: nothing is kept but the texts with something redacted, for the dispute", async () => {
    verifies("content.as-the-profile-says", "content.blocked");
    world.provider.always(says(pieces));
    const call = await world.ask(await world.agent("none"), asked, more);
    expect(call.status).toBe(200);
    expect(call.text).not.toContain(CARD);
    expect(await world.kept(call.id, "retained")).toBeNull();
    expect(await world.kept(call.id, "blocked")).toEqual([
      ["input", MESSAGE, asked],
      ["output", ANSWER, answered],
    ]);
  });

  test("none, and nothing found: nothing at all", async () => {
    verifies("content.as-the-profile-says");
    world.provider.always(says("Tulips are lovely in spring."));
    const call = await world.ask(await world.agent("none"), "Tell me about tulips.", more);
    expect(await world.read("root", call.id)).toMatchObject({ status: 404, json: { error: { code: "not_found" } } });
    expect((await world.record(call.id)).call?.content_hmac).toBeUndefined();
  });

  test("redacted: what the provider and the client got", async () => {
    verifies("content.as-the-profile-says");
    world.provider.always(says(pieces));
    const call = await world.ask(await world.agent("redacted"), asked, more);
    expect(numberedIn(await world.kept(call.id, "retained"))).toEqual([
      ["input", "model", "fake-model"],
      ["input", MESSAGE, asked.replace(CARD, LABEL)],
      ["output", ANSWER, answered.replace(CARD, LABEL)],
    ]);
  });

  test("full: what came", async () => {
    verifies("content.as-the-profile-says");
    world.provider.always(says(pieces));
    const call = await world.ask(await world.agent("full"), asked, more);
    expect(await world.kept(call.id, "retained")).toEqual([
      ["input", "model", "fake-model"],
      ["input", MESSAGE, asked],
      ["output", ANSWER, answered],
    ]);
  });

  test("a blocked request: nothing of it was passed on, and the text is kept for the dispute", async () => {
    verifies("content.blocked");
    const text = `My key is ${KEY}, keep it safe.`;
    const call = await world.ask(await world.agent("redacted"), text, more);
    expect(call.status).toBe(400);
    expect(await world.kept(call.id, "retained")).toBeNull();
    expect(await world.kept(call.id, "blocked")).toEqual([["input", MESSAGE, text]]);
    const { json } = await world.read("owner", call.id);
    const [content] = json.data;
    expect(content.event_id).toBe(JSON.parse(call.text).error.event_id);
    expect(Date.parse(content.expires_at) - Date.parse(content.created_at)).toBe(DAY_MS);
    expect(await world.inClear(KEY)).toEqual([]);
  });

  test("the arguments of a tool call, with the answer they stand in", async () => {
    verifies("content.as-the-profile-says");
    const given = ['{"card":"', CARD, '","flowers":"tulips"}'];
    world.provider.always(callsTools([{ name: "look_up", arguments: given }]));
    const call = await world.ask(await world.agent("redacted"), "Buy me some tulips.", more);
    expect(call.status).toBe(200);
    const texts = (await world.kept(call.id, "retained"))?.filter(([stage]) => stage === "output") ?? [];
    expect(JSON.stringify(texts)).toContain(stream ? '\\"card\\":\\"[pii' : "[pii");
    expect(JSON.stringify(texts)).not.toContain(CARD);
    expect(JSON.stringify(await world.kept(call.id, "blocked"))).toContain(CARD);
  });

  test("an answer that is refused by the provider is kept as it was passed on", async () => {
    world.provider.always(fails(400, { body: { error: { message: `The card ${CARD} is no good.` } } }));
    const call = await world.ask(await world.agent("redacted"), "Buy me some tulips.", more);
    expect(call.status).toBe(400);
    expect(numbered(JSON.stringify(await world.kept(call.id, "retained")))).toContain(`The card ${LABEL} is no good.`);
  });
});

describe("stored content: row binding and expiry", () => {
  test("the record has keyed hashes of what was withheld: they are of the text, however it is spaced", async () => {
    verifies("content.bound");
    world.provider.always(says("Done."));
    const text = `Pay  with\n${CARD} for the tulips.`;
    const call = await world.ask(await world.agent("none"), text);
    const { content_hmac } = (await world.record(call.id)).call ?? {};
    const hash = await world.contentHash();
    const hmac = hash.of(comparableForm(`Pay with ${CARD} for the tulips. `));
    expect(content_hmac).toEqual({ key_id: hash.keyId, texts: [{ stage: "input", param: MESSAGE, hmac }] });
  });

  test("nothing of it stands in clear in any file", async () => {
    verifies("content.sealed");
    const needles = ["the orchids of Sumatra", "the roses of Ispahan"];
    world.provider.always(says(`${answered} And ${needles[1]}.`));
    const call = await world.ask(await world.agent("full"), `${asked} And ${needles[0]}.`);
    expect(JSON.stringify(await world.kept(call.id, "retained"))).toContain("orchids");
    for (const needle of [...needles, CARD]) expect(await world.inClear(needle)).toEqual([]);
  });

  test("as many days as the profile says; what has expired is gone at once, and deleted at the next start", async () => {
    verifies("content.expires");
    world.provider.always(says("Done."));
    const call = await world.ask(await world.agent("full", 7), asked);
    const { json } = await world.read("owner", call.id);
    const kept = json.data.find(({ purpose }: { purpose: string }) => purpose === "retained");
    expect(Date.parse(kept.expires_at) - Date.parse(kept.created_at)).toBe(7 * DAY_MS);
    world.database((db) =>
      db.run("UPDATE kept_content SET expires_at = ? WHERE call_id = ?", [Date.now() - 1, call.id]),
    );
    expect((await world.read("owner", call.id)).status).toBe(404);
    const count = () =>
      world.database((db) => db.query("SELECT count(*) AS n FROM kept_content WHERE call_id = ?").get(call.id));
    expect(count()).toEqual({ n: 2 });
    await world.world.hub.restart();
    // Beside its first calls, not before them.
    for (let looks = 0; looks < 400 && Object(count()).n > 0; looks += 1) await Bun.sleep(50);
    expect(count()).toEqual({ n: 0 });
    expect((await world.world.hub.cli("audit", "verify")).code).toBe(0);
  });
});

describe("stored content: who may read and delete", () => {
  test("its owner, reviewers and administrators read it, each time on record; to others it does not exist", async () => {
    verifies("content.rights", "content.reads-recorded");
    world.provider.always(says("Done."));
    const token = await world.agent("full");
    const call = await world.ask(token, asked);
    for (const who of ["owner", "ann", "root"] as const) {
      const { status, json } = await world.read(who, call.id);
      expect([who, status, json.call_id]).toEqual([who, 200, call.id]);
      const reads = (await world.world.records()).filter(
        ({ kind, subject }) => kind === "content.read" && subject === call.id,
      );
      expect(reads.at(-1)).toMatchObject({ actor: { user_id: world.world.id(who) } });
      expect(JSON.stringify(reads)).not.toContain("tulips");
    }
    for (const who of ["stranger", "sponsor", "auditor"] as const) {
      expect([who, (await world.read(who, call.id)).status]).toEqual([who, 404]);
      expect([who, (await world.world.as(who, "DELETE", `/calls/${call.id}/content`)).status]).toEqual([who, 404]);
    }
    for (const method of ["GET", "DELETE"]) {
      const response = await world.world.hub.fetch(`/api/calls/${call.id}/content`, { method, token });
      expect(response.status).toBe(403);
    }
    const reads = (await world.world.records()).filter(
      ({ kind, subject }) => kind === "content.read" && subject === call.id,
    );
    expect(reads).toHaveLength(3);
  });

  test("its owner and administrators delete it; the record stays", async () => {
    verifies("content.rights");
    world.provider.always(says("Done."));
    const call = await world.ask(await world.agent("full"), asked);
    const remove = (who: "ann" | "owner" | "root") => world.world.as(who, "DELETE", `/calls/${call.id}/content`);
    expect((await remove("ann")).json.error.code).toBe("insufficient_scope");
    const { json } = await remove("owner");
    expect(json).toEqual({ object: "call.content.removed", call_id: call.id, removed: 2 });
    expect((await world.read("owner", call.id)).status).toBe(404);
    expect((await remove("root")).status).toBe(404);
    expect((await world.world.records()).at(-1)).toMatchObject({ kind: "content.delete", subject: call.id });
    expect((await world.record(call.id)).call?.content_hmac?.texts).toHaveLength(1);
  });

  test("ids that are none answer alike", async () => {
    for (const id of ["x", "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a", "'; DROP TABLE kept_content --"]) {
      expect((await world.read("root", encodeURIComponent(id))).status).toBe(404);
    }
  });
});

type Kept = [stage: string, param: string, text: string];
const FRAGMENTS = [
  "the tulips ",
  CARD,
  " für Zoë ",
  "mia@home.example",
  "🌷🌷 ",
  '{"a": 1} ',
  "GB82 WEST 1234 5698 7654 32",
  "\n\n",
  "[pii.credit_card:1]",
  "[pii.credit_card:kd7fm0]",
];
const prose = fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(" "));

test("whatever is said, what is kept as redacted is what the provider and the client got", async () => {
  verifies("content.as-passed-on");
  const token = await world.agent("redacted");
  await fc.assert(
    fc.asyncProperty(
      prose,
      prose,
      prose,
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      async (first, second, answer, size, stream) => {
        world.provider.always(says(answer.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? []));
        const messages = [
          { role: "system", content: first },
          { role: "user", content: [{ type: "text", text: second }] },
        ];
        const json = { model: "fake-model", messages, stream };
        const response = await world.world.hub.fetch("/v1/chat/completions", { token, json });
        const text = await response.text();
        expect([response.status, text.includes(CARD)]).toEqual([200, false]);
        const kept = (await world.kept(response.headers.get("x-request-id") ?? "", "retained")) ?? [];
        const sent = world.provider.requests.at(-1)?.body ?? {};
        const beside = ([stage, param]: Kept) => stage === "input" && param !== "model";
        const got = textsOfRequest({ ...sent }, 100).slots.map((slot): Kept => ["input", slot.param, slot.text]);
        expect(kept.filter(beside)).toEqual(got.filter(beside));
        const output = kept.filter(([stage]) => stage === "output");
        if (stream) expect(output.map(([, , piece]) => piece).join("")).toBe(new Streamed(response, text).content());
        else {
          const slots = textsOfAnswer(JSON.parse(text), 100).slots.filter((slot) => !isEnvelope(slot));
          expect(output).toEqual(slots.map((slot): Kept => ["output", slot.param, slot.text]));
        }
      },
    ),
    { numRuns: 30 },
  );
});

test("a store that is broken fails no call, and says so in the log", async () => {
  verifies("content.never-in-the-way");
  const token = await world.agent("full");
  world.provider.always(says("Done."));
  world.database((db) => db.run("ALTER TABLE kept_content RENAME TO kept_elsewhere"));
  try {
    for (const stream of [false, true]) expect((await world.ask(token, asked, { stream })).status).toBe(200);
    expect((await world.ask(token, KEY)).status).toBe(400);
    const line = await world.world.hub.log("content.keep_failed");
    expect(JSON.stringify(line)).not.toContain("tulips");
  } finally {
    world.database((db) => db.run("ALTER TABLE kept_elsewhere RENAME TO kept_content"));
  }
  const call = await world.ask(token, asked);
  expect(await world.kept(call.id, "retained")).not.toBeNull();
});
