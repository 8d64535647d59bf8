import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { verifies } from "#test/support/verifies";
import { ADMIN, prompt, type Source, SourceWorld, toolCall } from "./verdict-source-world";

const KEY = "AKIAJLWGWBQ6RF4XWVRF";
const CARD = "4539 1488 0343 6467";
const PATH = "/v1/guard/hooks/anthropic";

let world: SourceWorld;
let claude: Source;
beforeAll(async () => {
  world = await SourceWorld.open();
  claude = await world.source("claude");
});
afterAll(() => world[Symbol.asyncDispose]());

const finalOf = async (asked: { readonly response: Response }) => (await world.world.recordsOf(asked.response)).final;

/** Refused frames that are recorded so far. */
const refused = async (): Promise<{ readonly count: number; readonly lines: string }> => {
  const { json } = await world.hub.cli("audit", "tail", "-n", "1000");
  const records = Object.values(Object(json())).filter(
    (record) => Object(record).kind === "auth.refused" && Object(record).change.subject_id === "hook_source",
  );
  const count = records.reduce((sum: number, record) => sum + Object(record).change.detail.count, 0);
  return { count, lines: JSON.stringify(records) };
};

describe("inference hooks", () => {
  test("allow and deny what a person says, each in the audit log", async () => {
    verifies("verdicts.sources");
    const allowed = await world.ask(claude, prompt("Hello there"));
    expect([allowed.status, allowed.answer]).toEqual([200, { action: "allow" }]);
    const final = await finalOf(allowed);
    expect(final).toMatchObject({ kind: "hook.anthropic", outcome: "answered" });
    expect(final.actor).toMatchObject({ via: "source", agent_id: world.agent.id, token_id: claude.id });
    expect(final.call).toMatchObject({ model: "claude-opus-4-6", conversation_id: "conversation-1" });

    const denied = await world.ask(claude, prompt(`Deploy with ${KEY}`));
    expect(denied.answer).toMatchObject({ action: "deny" });
    const blocked = await finalOf(denied);
    const { deny_reason, reference_id } = denied.answer;
    expect(blocked).toMatchObject({ outcome: "blocked_input", call: { event_id: reference_id, action: "block" } });
    expect(deny_reason).toContain("secret.aws_access_key");
    expect(deny_reason).toEndWith(`/calls/${blocked.call_id}`);
    expect(deny_reason.length).toBeLessThanOrEqual(500);
    expect(reference_id).toMatch(/^[A-Za-z0-9._:/-]{1,50}$/);
    expect(JSON.stringify(denied.answer)).not.toContain(KEY);
  });

  test("read documents, results of tools and what the model was given, and nothing twice", async () => {
    verifies("verdicts.sources");
    const ask = (part: object, role = "user") =>
      world.ask(claude, prompt("", { messages: [{ role, content: [part] }] }));
    for (const part of [
      { type: "attachment", file_name: "notes.txt", media_type: "text/plain", size_bytes: 9, text: `key ${KEY}` },
      { type: "tool_result", tool_use_id: "t", tool_name: "read", content: `key ${KEY}` },
      { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: `key ${KEY}` }] },
      { type: "tool_use", id: "t", tool_name: "write", input: { text: `key ${KEY}` } },
    ]) {
      expect((await ask(part)).answer.action).toBe("deny");
    }
    expect(
      (await world.ask(claude, prompt("", { messages: [{ role: "user", content: `key ${KEY}` }] }))).answer.action,
    ).toBe("deny");
    const messages = Array.from({ length: 20 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: `This is what was said in turn ${at} of a talk.` }],
    }));
    await world.ask(claude, prompt("", { messages: messages.slice(0, 19) }));
    const { input } = (await finalOf(await world.ask(claude, prompt("", { messages })))).call.coverage;
    // With the names of the model and the conversation.
    expect([input.texts, input.cached]).toEqual([22, 21]);
  });

  test("allow what they do not know, and record it as unscanned", async () => {
    verifies("verdicts.unknown-frames");
    const other = await world.ask(claude, { ...prompt(`key ${KEY}`), type: "response" });
    expect(other.answer).toEqual({ action: "allow" });
    expect((await finalOf(other)).call.coverage.input.unscanned).toEqual([{ param: "body", reason: "opaque" }]);
    const content = [
      { type: "hologram", text: "Hi" },
      { type: "text", text: "Hello there", mood: "fine" },
    ];
    const blocks = await world.ask(claude, prompt("", { messages: [{ role: "user", content }], weather: "fair" }));
    expect(blocks.answer).toEqual({ action: "allow" });
    expect((await finalOf(blocks)).call.coverage.input).toMatchObject({
      texts: 3,
      unscanned: [{ param: "messages[0].content[0]", reason: "opaque" }],
    });
  });

  test("deny what is no frame although it is signed, and record that", async () => {
    verifies("verdicts.sources");
    for (const [frame, code] of [
      ["{", "invalid_json"],
      ["[]", "invalid_value"],
      [{ type: "prompt", messages: "none" }, "invalid_value"],
    ] as const) {
      const asked = await world.ask(claude, frame);
      expect([asked.status, asked.answer.action]).toEqual([200, "deny"]);
      expect((await finalOf(asked)).call.code).toBe(code);
    }
  });

  test("judge the calls of the last message, and what would be redacted as the source says", async () => {
    verifies("verdicts.sources", "verdicts.all-or-nothing");
    const allowed = await world.ask(claude, toolCall({ to: "ada", text: "Hello there" }));
    expect(allowed.answer).toEqual({ action: "allow" });
    expect((await finalOf(allowed)).call.asked_tools).toMatchObject({ count: 1 });
    const denied = await world.ask(claude, toolCall({ text: `card ${CARD}` }));
    expect(denied.answer.action).toBe("deny");
    expect((await finalOf(denied)).outcome).toBe("blocked_output");
    // Said before: judged when it was said.
    const before = [{ role: "user", content: [{ type: "text", text: `key ${KEY}` }] }];
    expect((await world.ask(claude, toolCall({ text: "Hello there" }, before))).answer.action).toBe("allow");
    const nameless = toolCall({});
    Object.assign(nameless, { messages: [{ role: "assistant", content: [{ type: "tool_use", input: {} }] }] });
    expect((await world.ask(claude, nameless)).answer.action).toBe("deny");

    const lenient = await world.source("lenient", "--redact", "allow");
    const flagged = await world.ask(lenient, prompt(`card ${CARD}`));
    expect(flagged.answer).toEqual({ action: "allow" });
    expect((await finalOf(flagged)).call).toMatchObject({ action: "flag", flags: [{ type: "pii.credit_card" }] });
    expect((await world.ask(lenient, prompt(`key ${KEY}`))).answer.action).toBe("deny");
  });

  test("answer in time: what could not be looked at is denied", async () => {
    verifies("verdicts.in-time");
    const hasty = await world.source("hasty", "--budget-ms", "100");
    const text = Array.from({ length: 400_000 }, (_, at) => `word${at}`).join(" ");
    const begun = performance.now();
    const asked = await world.ask(hasty, prompt(text));
    expect(asked.answer).toMatchObject({ action: "deny" });
    expect(asked.answer.deny_reason).toContain("in time");
    expect((await finalOf(asked)).call.code).toBe("guard_unavailable");
    expect(performance.now() - begun).toBeLessThan(30_000);
  });
});

describe("signatures", () => {
  const wrong = async (
    sent: Parameters<SourceWorld["send"]>[2],
    frame: unknown = prompt("Hello there"),
    source = claude,
  ) => {
    const { status, answer } = await world.ask(source, frame, sent);
    expect([status, answer.error?.code]).toEqual([401, "invalid_api_key"]);
    expect(JSON.stringify(answer)).not.toContain("Hello");
  };

  test("by nobody, of other words, too early or too late let nothing in", async () => {
    verifies("verdicts.signed");
    const before = (await refused()).count;
    const sign = (id: string, at: Date, frame: unknown) =>
      new Webhook(claude.secret).sign(id, at, JSON.stringify(frame));
    const now = new Date();
    const canary = prompt("canary-3f9c Hello there");
    await wrong({}, canary, { ...claude, secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}` });
    await wrong({ id: "a", at: now, signature: sign("a", now, prompt("Other words")) }, canary);
    await wrong({ id: "a", at: now, signature: sign("b", now, canary) }, canary);
    await wrong({ signature: "" }, canary);
    await wrong({ signature: "v1,AAAA" }, canary);
    await wrong({ signature: sign("c", now, canary).replace("v1,", "v2,"), id: "c", at: now }, canary);
    for (const seconds of [-301, 301]) await wrong({ at: new Date(Date.now() + seconds * 1_000) }, canary);
    // Refused before it is parsed.
    await wrong({ signature: sign("d", now, canary) }, "{");
    // Another kind of source has another address.
    await wrong({ path: "/v1/guard/hooks/cursor" }, canary);
    await wrong({ path: `${PATH}?source=nobody` }, canary);
    expect((await world.send(claude, canary, { path: `${PATH}?source=claude` })).status).toBe(200);
    const bare = await world.hub.fetch(PATH, { json: canary });
    expect(bare.status).toBe(401);
    const deadline = performance.now() + 10_000;
    for (;;) {
      const { count, lines } = await refused();
      expect(lines).not.toContain("canary");
      if (count - before === 12) break;
      expect(performance.now()).toBeLessThan(deadline);
      await Bun.sleep(100);
    }
  });

  test("of several secrets one is enough, and of two in a rotation either, until the old one ends", async () => {
    verifies("verdicts.signed", "verdicts.source-settings");
    const other = await world.source("rotated");
    const at = new Date();
    const frame = prompt("Hello there");
    const good = new Webhook(other.secret).sign("m", at, JSON.stringify(frame));
    const bad = good.replace(/,./, (two) => (two === ",A" ? ",B" : ",A"));
    expect((await world.send(other, frame, { id: "m", at, signature: `${bad} ${good}` })).status).toBe(200);
    const rotate = async (grace: string) =>
      Object((await world.hub.cli("hook", "source", "rotate", "rotated", "--grace", grace)).json());
    const next = await rotate("1h");
    expect(next.secrets).toBe(2);
    for (const source of [other, next]) expect((await world.send(source, frame)).status).toBe(200);
    const last = await rotate("0");
    expect([last.secrets, last.secret === next.secret]).toEqual([1, false]);
    expect((await world.send(last, frame)).status).toBe(200);
    for (const source of [other, next]) expect((await world.send(source, frame)).status).not.toBe(200);
  });

  test("of a message that comes again get the same answer, once judged", async () => {
    verifies("verdicts.repeated");
    const frame = prompt(`key ${KEY}`);
    const first = await world.ask(claude, frame, { id: "again" });
    const second = await world.ask(claude, frame, { id: "again", at: new Date(Date.now() - 1_000) });
    expect(second.answer).toEqual(first.answer);
    const id = first.response.headers.get("x-request-id") ?? "";
    expect(second.response.headers.get("x-request-id")).toBe(id);
    const all = await Promise.all(
      Array.from({ length: 5 }, () => world.ask(claude, prompt("Hello"), { id: "at once".replace(" ", "-") })),
    );
    expect(new Set(all.map(({ response }) => response.headers.get("x-request-id"))).size).toBe(1);
    // Other words under the same id are another message.
    const other = await world.ask(claude, prompt("Hello there"), { id: "again" });
    expect(other.answer).toEqual({ action: "allow" });
    expect(other.response.headers.get("x-request-id")).not.toBe(id);
    expect((await world.world.tail()).filter(({ call_id }) => call_id === id)).toHaveLength(1);
    // Nor does an earlier answer outlive a kill switch.
    const key = await world.session(ADMIN);
    const on = await world.hub.fetch("/api/killswitch", {
      token: key,
      json: { level: "agent", target: world.agent.id, reason: "drill" },
    });
    const { id: kill } = await on.json();
    const stopped = await world.ask(claude, prompt("Hello there"), { id: "again" });
    expect(stopped.answer).toMatchObject({ action: "deny" });
    expect(stopped.answer.deny_reason).toContain("drill");
    const off = await world.hub.fetch(`/api/killswitch/${kill}/lift`, { token: key, json: { reason: "over" } });
    expect(off.status).toBe(200);
  });
});

describe("long frames", () => {
  const long = (bytes: number) => {
    const text = Array.from({ length: 1_500 }, (_, at) => `word ${at * 7_919}`).join(" ");
    const count = Math.ceil(bytes / text.length);
    // What was seen before costs a look-up: what is tried here is the length.
    const turn = (at: number) => ({ role: "user", content: [{ type: "text", text: `${at % 8} ${text}` }] });
    return prompt("", { messages: Array.from({ length: count }, (_, at) => turn(at)) });
  };

  test("longer than bodies elsewhere are read, and refused above 64 MiB", async () => {
    verifies("verdicts.sources", "verdicts.in-time");
    const patient = await world.source("patient", "--budget-ms", "60000");
    const asked = await world.ask(patient, long(22_000_000));
    expect(asked.status).toBe(200);
    expect((await finalOf(asked)).outcome).not.toBe("failed");
    const over = await world.send(patient, " ".repeat(67_108_865));
    expect(over.status).toBe(413);
  }, 120_000);
});

test("frames of a network that too much of no source came from are slowed down, and its long ones not read", async () => {
  verifies("verdicts.signed");
  const statuses = new Set<number>();
  for (let at = 0; at < 130; at += 1) statuses.add((await world.send(claude, "{}", { signature: "v1,AAAA" })).status);
  expect(statuses).toEqual(new Set([401, 429]));
  expect((await world.send(claude, prompt("Hello there"))).status).toBe(200);
  expect((await world.send(claude, prompt("word ".repeat(500_000)))).status).toBe(429);
});
