import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { comparableForm } from "#core/kept-content";
import { isEnvelope } from "#core/text-walk";
import { textsOfAnswer, textsOfRequest } from "#core/texts";
import { callsTools, fails, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { CARD, ContentHouse, KEY } from "./content-house";
import { Streamed } from "./house";

setDefaultTimeout(120_000);

let house: ContentHouse;
beforeAll(async () => {
  house = await ContentHouse.open();
});
afterAll(() => house[Symbol.asyncDispose]());

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
    house.provider.always(says(pieces));
    const call = await house.ask(await house.agent("none"), asked, more);
    expect(call.status).toBe(200);
    expect(call.text).not.toContain(CARD);
    expect(await house.kept(call.id, "retained")).toBeNull();
    expect(await house.kept(call.id, "blocked")).toEqual([
      ["input", MESSAGE, asked],
      ["output", ANSWER, answered],
    ]);
  });

  test("none, and nothing found: nothing at all", async () => {
    verifies("content.as-the-profile-says");
    house.provider.always(says("Tulips are lovely in spring."));
    const call = await house.ask(await house.agent("none"), "Tell me about tulips.", more);
    expect(await house.read("root", call.id)).toMatchObject({ status: 404, json: { error: { code: "not_found" } } });
    expect((await house.record(call.id)).call?.content_hmac).toBeUndefined();
  });

  test("redacted: what the provider and the client got", async () => {
    verifies("content.as-the-profile-says");
    house.provider.always(says(pieces));
    const call = await house.ask(await house.agent("redacted"), asked, more);
    expect(await house.kept(call.id, "retained")).toEqual([
      ["input", "model", "fake-model"],
      ["input", MESSAGE, asked.replace(CARD, LABEL)],
      ["output", ANSWER, answered.replace(CARD, LABEL)],
    ]);
  });

  test("full: what came", async () => {
    verifies("content.as-the-profile-says");
    house.provider.always(says(pieces));
    const call = await house.ask(await house.agent("full"), asked, more);
    expect(await house.kept(call.id, "retained")).toEqual([
      ["input", "model", "fake-model"],
      ["input", MESSAGE, asked],
      ["output", ANSWER, answered],
    ]);
  });

  test("a blocked request: nothing of it was passed on, and the text is kept for the dispute", async () => {
    verifies("content.blocked");
    const text = `My key is ${KEY}, keep it safe.`;
    const call = await house.ask(await house.agent("redacted"), text, more);
    expect(call.status).toBe(400);
    expect(await house.kept(call.id, "retained")).toBeNull();
    expect(await house.kept(call.id, "blocked")).toEqual([["input", MESSAGE, text]]);
    const { json } = await house.read("owner", call.id);
    const [content] = json.data;
    expect(content.event_id).toBe(JSON.parse(call.text).error.event_id);
    expect(Date.parse(content.expires_at) - Date.parse(content.created_at)).toBe(DAY_MS);
    expect(await house.inClear(KEY)).toEqual([]);
  });

  test("the arguments of a tool call, with the answer they stand in", async () => {
    verifies("content.as-the-profile-says");
    const given = ['{"card":"', CARD, '","flowers":"tulips"}'];
    house.provider.always(callsTools([{ name: "look_up", arguments: given }]));
    const call = await house.ask(await house.agent("redacted"), "Buy me some tulips.", more);
    expect(call.status).toBe(200);
    const texts = (await house.kept(call.id, "retained"))?.filter(([stage]) => stage === "output") ?? [];
    expect(JSON.stringify(texts)).toContain(stream ? '\\"card\\":\\"[pii' : "[pii");
    expect(JSON.stringify(texts)).not.toContain(CARD);
    expect(JSON.stringify(await house.kept(call.id, "blocked"))).toContain(CARD);
  });

  test("an answer that is refused by the provider is kept as it was passed on", async () => {
    house.provider.always(fails(400, { body: { error: { message: `The card ${CARD} is no good.` } } }));
    const call = await house.ask(await house.agent("redacted"), "Buy me some tulips.", more);
    expect(call.status).toBe(400);
    expect(JSON.stringify(await house.kept(call.id, "retained"))).toContain(`The card ${LABEL} is no good.`);
  });
});

describe("what is bound, and for how long", () => {
  test("the record has keyed hashes of what was withheld: they are of the text, however it is spaced", async () => {
    verifies("content.bound");
    house.provider.always(says("Done."));
    const text = `Pay  with\n${CARD} for the tulips.`;
    const call = await house.ask(await house.agent("none"), text);
    const { content_hmac } = (await house.record(call.id)).call ?? {};
    const hash = await house.contentHash();
    const hmac = hash.of(comparableForm(`Pay with ${CARD} for the tulips. `));
    expect(content_hmac).toEqual({ key_id: hash.keyId, texts: [{ stage: "input", param: MESSAGE, hmac }] });
  });

  test("nothing of it stands in clear in any file", async () => {
    verifies("content.sealed");
    const needles = ["the orchids of Sumatra", "the roses of Ispahan"];
    house.provider.always(says(`${answered} And ${needles[1]}.`));
    const call = await house.ask(await house.agent("full"), `${asked} And ${needles[0]}.`);
    expect(JSON.stringify(await house.kept(call.id, "retained"))).toContain("orchids");
    for (const needle of [...needles, CARD]) expect(await house.inClear(needle)).toEqual([]);
  });

  test("as many days as the profile says; what has expired is gone at once, and deleted at the next start", async () => {
    verifies("content.expires");
    house.provider.always(says("Done."));
    const call = await house.ask(await house.agent("full", 7), asked);
    const { json } = await house.read("owner", call.id);
    const kept = json.data.find(({ purpose }: { purpose: string }) => purpose === "retained");
    expect(Date.parse(kept.expires_at) - Date.parse(kept.created_at)).toBe(7 * DAY_MS);
    house.database((db) =>
      db.run("UPDATE kept_content SET expires_at = ? WHERE call_id = ?", [Date.now() - 1, call.id]),
    );
    expect((await house.read("owner", call.id)).status).toBe(404);
    const count = () =>
      house.database((db) => db.query("SELECT count(*) AS n FROM kept_content WHERE call_id = ?").get(call.id));
    expect(count()).toEqual({ n: 2 });
    await house.house.hub.restart();
    // Beside its first calls, not before them.
    for (let looks = 0; looks < 400 && Object(count()).n > 0; looks += 1) await Bun.sleep(50);
    expect(count()).toEqual({ n: 0 });
    expect((await house.house.hub.cli("audit", "verify")).code).toBe(0);
  });
});

describe("who may", () => {
  test("its owner, reviewers and administrators read it, each time on record; to others it does not exist", async () => {
    verifies("content.rights", "content.reads-recorded");
    house.provider.always(says("Done."));
    const token = await house.agent("full");
    const call = await house.ask(token, asked);
    for (const who of ["owner", "ann", "root"] as const) {
      const { status, json } = await house.read(who, call.id);
      expect([who, status, json.call_id]).toEqual([who, 200, call.id]);
      const reads = (await house.house.records()).filter(
        ({ kind, subject }) => kind === "content.read" && subject === call.id,
      );
      expect(reads.at(-1)).toMatchObject({ actor: { user_id: house.house.id(who) } });
      expect(JSON.stringify(reads)).not.toContain("tulips");
    }
    for (const who of ["stranger", "sponsor", "auditor"] as const) {
      expect([who, (await house.read(who, call.id)).status]).toEqual([who, 404]);
      expect([who, (await house.house.as(who, "DELETE", `/calls/${call.id}/content`)).status]).toEqual([who, 404]);
    }
    for (const method of ["GET", "DELETE"]) {
      const response = await house.house.hub.fetch(`/api/calls/${call.id}/content`, { method, token });
      expect(response.status).toBe(403);
    }
    const reads = (await house.house.records()).filter(
      ({ kind, subject }) => kind === "content.read" && subject === call.id,
    );
    expect(reads).toHaveLength(3);
  });

  test("its owner and administrators delete it; the record stays", async () => {
    verifies("content.rights");
    house.provider.always(says("Done."));
    const call = await house.ask(await house.agent("full"), asked);
    const remove = (who: "ann" | "owner" | "root") => house.house.as(who, "DELETE", `/calls/${call.id}/content`);
    expect((await remove("ann")).json.error.code).toBe("insufficient_scope");
    const { json } = await remove("owner");
    expect(json).toEqual({ object: "call.content.removed", call_id: call.id, removed: 2 });
    expect((await house.read("owner", call.id)).status).toBe(404);
    expect((await remove("root")).status).toBe(404);
    expect((await house.house.records()).at(-1)).toMatchObject({ kind: "content.delete", subject: call.id });
    expect((await house.record(call.id)).call?.content_hmac?.texts).toHaveLength(1);
  });

  test("ids that are none answer alike", async () => {
    for (const id of ["x", "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a", "'; DROP TABLE kept_content --"]) {
      expect((await house.read("root", encodeURIComponent(id))).status).toBe(404);
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
];
const prose = fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(" "));

test("whatever is said, what is kept as redacted is what the provider and the client got", async () => {
  verifies("content.as-passed-on");
  const token = await house.agent("redacted");
  await fc.assert(
    fc.asyncProperty(
      prose,
      prose,
      prose,
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      async (first, second, answer, size, stream) => {
        house.provider.always(says(answer.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? []));
        const messages = [
          { role: "system", content: first },
          { role: "user", content: [{ type: "text", text: second }] },
        ];
        const json = { model: "fake-model", messages, stream };
        const response = await house.house.hub.fetch("/v1/chat/completions", { token, json });
        const text = await response.text();
        expect([response.status, text.includes(CARD)]).toEqual([200, false]);
        const kept = (await house.kept(response.headers.get("x-request-id") ?? "", "retained")) ?? [];
        const sent = house.provider.requests.at(-1)?.body ?? {};
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
  const token = await house.agent("full");
  house.provider.always(says("Done."));
  house.database((db) => db.run("ALTER TABLE kept_content RENAME TO kept_elsewhere"));
  try {
    for (const stream of [false, true]) expect((await house.ask(token, asked, { stream })).status).toBe(200);
    expect((await house.ask(token, KEY)).status).toBe(400);
    const line = await house.house.hub.log("content.keep_failed");
    expect(JSON.stringify(line)).not.toContain("tulips");
  } finally {
    house.database((db) => db.run("ALTER TABLE kept_elsewhere RENAME TO kept_content"));
  }
  const call = await house.ask(token, asked);
  expect(await house.kept(call.id, "retained")).not.toBeNull();
});
