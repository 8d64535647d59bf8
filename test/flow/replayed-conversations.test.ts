import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ChatCompletionMessage, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { sha256Hex } from "#platform/hash";
import { presetRules } from "#policy/profile/presets";
import { SECRETS } from "#test/scan/samples";
import { callsTools, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { detectorsOf, EnforcementWorld } from "./enforcement-world";
import { MODEL } from "./restricted-world";

const TURNS = 20;
const MAILS = ["mia@home.example", "Jane.Doe@acme-corp.com", "sam@example.com", "li@uni.example"];
const CARDS = ["4539 1488 0343 6467", "4916-3384-5087-1230", "4539148803436467"];
const KEYS = [SECRETS.awsAccessKey, SECRETS.github];
const VALUES = [...MAILS, ...CARDS, ...KEYS];

const redacting = {
  detectors: detectorsOf({
    pii: [...presetRules("pii", "balanced"), { type: "pii.email", thresholds: { flag: 0.3, redact: 0.5 } }],
  }),
};

let world: EnforcementWorld;
beforeAll(async () => {
  world = await EnforcementWorld.open();
  await world.govern(redacting);
});
afterAll(() => world[Symbol.asyncDispose]());

const nth = (list: readonly string[], at: number): string => list[at % list.length] ?? "";
const pieces = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
/** Of a call's body, all up to the end of its messages: what a provider can have kept. */
const upToMessages = (body: string): string => body.slice(0, body.lastIndexOf("]"));

/** A client that sends its whole conversation at every turn, and what the provider got of it. */
class Client {
  readonly history: ChatCompletionMessageParam[];
  private before = "";

  constructor(
    private readonly world: EnforcementWorld,
    private readonly conversation: string,
    preface = "",
  ) {
    this.history = [{ role: "system", content: `${preface}You work for ${nth(MAILS, 0)}.` }];
  }

  /** One call; the provider must find in it what it got at the last one, to the byte. */
  private async ask(turn: number): Promise<ChatCompletionMessage> {
    const { completions } = this.world.client().chat;
    const asked = { model: MODEL, messages: this.history };
    const options = { headers: { "x-conversation-id": this.conversation } };
    const completion =
      turn % 2 === 0
        ? await completions.create(asked, options)
        : await completions.stream(asked, options).finalChatCompletion();
    const { text } = this.world.provider.lastCall;
    const { before } = this;
    expect([turn, sha256Hex(text.slice(0, before.length))]).toEqual([turn, sha256Hex(before)]);
    this.before = upToMessages(text);
    const message = completion.choices[0]?.message;
    if (!message) throw new Error("no answer");
    const { role, content, tool_calls } = message;
    this.history.push({ role, content, ...(tool_calls && { tool_calls }) });
    return message;
  }

  /** A question, at some turns a tool call and its result, and an answer: all with values in them. */
  async turn(turn: number): Promise<void> {
    const [mail, card, key] = [nth(MAILS, turn), nth(CARDS, turn), nth(KEYS, turn)];
    const { provider } = this.world;
    this.history.push({ role: "user", content: `${turn}: what of ${mail} and the card ${card}?` });
    if (turn % 3 === 0) {
      const args = JSON.stringify({ to: nth(MAILS, turn + 1), cards: [card, Number(CARDS[2])] });
      provider.next(callsTools([{ name: "find", arguments: pieces(args, 5), id: `call_${turn}` }]));
      const { tool_calls = [] } = await this.ask(turn);
      const content = JSON.stringify({ owner: nth(MAILS, turn + 2), note: `It is ${key}.`, card: Number(CARDS[2]) });
      for (const { id } of tool_calls) this.history.push({ role: "tool", tool_call_id: id, content });
    }
    provider.next(
      says(pieces(`It is of ${nth(MAILS, turn + 3)}, her note ${key}; the card ${card} is valid.`, 1 + turn)),
    );
    await this.ask(turn);
  }

  /** Leaves out what is old, as clients do when a conversation grows too long. */
  compact(): void {
    this.history.splice(1, this.history.length - 7);
    this.before = "";
  }
}

const messagesOf = (body: string): string[] => {
  const { messages } = JSON.parse(body);
  return Array.isArray(messages) ? messages.map((message) => JSON.stringify(message)) : [];
};

test("a conversation that is sent again has the same bytes redacted to the same bytes, after a restart too", async () => {
  verifies("scan.labels", "scan.replay");
  const { provider } = world;
  const first = provider.calls.length;
  const client = new Client(world, "replayed");
  for (let turn = 0; turn < TURNS; turn += 1) {
    if (turn === TURNS / 2) await world.world.hub.restart();
    if (turn === TURNS - 4) client.compact();
    await client.turn(turn);
  }
  const calls = provider.calls.slice(first).map(({ text }) => text);
  const all = [...calls, JSON.stringify(client.history.filter(({ role }) => role === "assistant"))].join("\n");
  for (const value of VALUES) expect([value, all.includes(value)]).toEqual([value, false]);
  // One label a value: two of the cards are one, written in two ways.
  const labels = (type: string) => new Set(all.match(new RegExp(`\\[${type}:\\w+\\]`, "g")));
  expect(labels("pii\\.email").size).toBe(MAILS.length);
  expect(labels("pii\\.credit_card").size).toBe(CARDS.length - 1);
  expect(labels("secret\\.\\w+").size).toBe(KEYS.length);
  // After the compaction, what was left of the messages is as it was before.
  const sent = new Set(calls.slice(0, -4).flatMap(messagesOf));
  const kept = messagesOf(calls.at(-1) ?? "").slice(0, 7);
  expect(kept.filter((message) => !sent.has(message))).toEqual([]);
});

const monitoring = { ...redacting, mode: "monitor" as const };
/** Nothing is said about personal data any more. */
const allowing = { detectors: detectorsOf({ pii: [] }) };

test.each([
  ["short", ""],
  ["long, scanned on other threads", "The shelf by the window is full of books about tulips. ".repeat(600)],
])(
  "what a provider got stays the same when the policy changes in the middle of a conversation: %s",
  async (_, text) => {
    verifies("scan.earlier-decisions");
    const agent = await world.another();
    await agent.govern(redacting);
    const { provider } = agent;
    const first = provider.calls.length;
    const client = new Client(agent, "governed-anew", text);
    const changes = new Map<number, Parameters<EnforcementWorld["govern"]>[0]>([
      [5, monitoring],
      [9, redacting],
      [12, allowing],
      [16, redacting],
    ]);
    for (let turn = 0; turn < TURNS; turn += 1) {
      const change = changes.get(turn);
      if (change) await agent.govern(change);
      await client.turn(turn);
    }
    // What was said under each policy is as that policy had it.
    const { messages = [] } = provider.lastCall.body;
    const asked = messages.flatMap(({ content }) => /^(\d+): what of (.*) and the card/.exec(String(content)) ?? []);
    const isClear = Array.from({ length: TURNS }, (_, turn) => MAILS.includes(asked[turn * 3 + 2] ?? ""));
    expect(isClear).toEqual(Array.from({ length: TURNS }, (_, turn) => [5, 6, 7, 8, 12, 13, 14, 15].includes(turn)));
    expect(provider.calls.length - first).toBe(TURNS + Math.ceil(TURNS / 3));
  },
);

test("the record of a call says what an earlier decision did", async () => {
  verifies("scan.earlier-decisions");
  const agent = await world.another();
  const history = [{ role: "user", content: `I am ${nth(MAILS, 0)}.` }];
  const ask = async (conversation: string) => {
    agent.provider.next(says("Yes."));
    const answer = await agent.chat({ messages: history }, { conversation });
    return { action: (await agent.record(answer)).call.action, flags: (await agent.record(answer)).call.flags };
  };
  await agent.govern(redacting);
  expect(await ask("redacted-first")).toMatchObject({ action: "redact", flags: [{ action: "redact" }] });
  await agent.govern(monitoring);
  const by = { type: "pii.email", layer: "conversation", rule: "pii.email" };
  expect(await ask("redacted-first")).toMatchObject({ action: "redact", flags: [{ ...by, action: "redact" }] });
  expect(await ask("passed-first")).toMatchObject({ action: "flag" });
  await agent.govern(redacting);
  const flag = { ...by, action: "flag", would: "redact" };
  expect(await ask("passed-first")).toMatchObject({ action: "flag", flags: [flag] });
  // Another conversation, or another's of the same name, is decided by what holds now.
  expect(await ask("begun-later")).toMatchObject({ action: "redact" });
  const other = await world.another();
  await other.govern(redacting);
  other.provider.next(says("Yes."));
  const answer = await other.chat({ messages: history }, { conversation: "passed-first" });
  expect((await other.record(answer)).call.action).toBe("redact");
});

test("a block applies, whatever was decided earlier", async () => {
  verifies("scan.earlier-decisions");
  const agent = await world.another();
  const asked = { messages: [{ role: "user", content: `Use ${nth(KEYS, 0)}.` }] };
  await agent.govern(monitoring);
  agent.provider.next(says("Yes."));
  expect((await agent.chat(asked, { conversation: "blocked-later" })).status).toBe(200);
  await agent.govern(redacting);
  const { status, json } = await agent.chat(asked, { conversation: "blocked-later" });
  expect([status, json.error.code]).toEqual([400, "content_filter"]);
});

test("labels of one agent reveal nothing about another's", async () => {
  verifies("scan.labels");
  const other = await world.another();
  await other.govern(redacting);
  const asked = `Write to ${nth(MAILS, 0)}.`;
  const seen: unknown[] = [];
  for (const agent of [world, other]) {
    world.provider.next(says("Yes."));
    await agent.chat(asked);
    seen.push(world.provider.lastCall.body.messages?.[0]?.content);
  }
  expect(seen[0]).toMatch(/^Write to \[pii\.email:\w{6}\]\.$/);
  expect(seen[1]).toMatch(/^Write to \[pii\.email:\w{6}\]\.$/);
  expect(seen[1]).not.toBe(seen[0]);
});
