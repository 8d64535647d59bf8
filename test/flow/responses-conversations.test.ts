import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sha256Hex } from "#platform/hash";
import { presetRules } from "#policy/profile/presets";
import { eventually } from "#test/support/eventually";
import { numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { MODEL } from "./chat-world";
import { CARD, ContentWorld } from "./content-world";
import { detectorsOf, EnforcementWorld } from "./enforcement-world";
import { outputText, responds } from "./responses-world";

const MAILS = ["mia@home.example", "Jane.Doe@acme-corp.com", "sam@example.com"];
const nth = (at: number): string => MAILS[at % MAILS.length] ?? "";

const redacting = {
  detectors: detectorsOf({
    pii: [...presetRules("pii", "balanced"), { type: "pii.email", thresholds: { flag: 0.3, redact: 0.5 } }],
  }),
};

describe("a conversation that is sent again", () => {
  let world: EnforcementWorld;
  beforeAll(async () => {
    world = await EnforcementWorld.open();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("has the same bytes for its provider, when the policy changes in its midst too", async () => {
    verifies("responses.replay");
    await world.govern(redacting);
    const input: object[] = [];
    const { provider, token } = world;
    const sent: string[] = [];
    /** One call; what its provider got at the last one must stand at its begin. */
    const ask = async (answer: object) => {
      provider.next(responds([answer]));
      const headers = { session_id: "replayed" };
      const json = { model: MODEL, instructions: `You work for ${nth(0)}.`, input };
      const response = await world.world.hub.fetch("/v1/responses", { token, headers, json });
      expect(response.status).toBe(200);
      const { text } = provider.lastCall;
      const before = sent.at(-1) ?? "";
      expect(sha256Hex(text.slice(0, before.length))).toBe(sha256Hex(before));
      sent.push(text.slice(0, text.lastIndexOf("]")));
      const { output } = await response.json();
      input.push(...output);
    };
    for (let turn = 0; turn < 8; turn += 1) {
      if (turn === 3) await world.govern({ ...redacting, mode: "monitor" });
      if (turn === 6) await world.govern(redacting);
      input.push({ role: "user", content: [{ type: "input_text", text: `${turn}: who is ${nth(turn)}?` }] });
      const given = JSON.stringify({ q: nth(turn + 1) });
      await ask({ type: "function_call", id: `fc_${turn}`, call_id: `c${turn}`, name: "find", arguments: given });
      const output = JSON.stringify({ owner: nth(turn + 2), at: turn });
      input.push({ type: "function_call_output", call_id: `c${turn}`, output });
      await ask(outputText(`It is ${nth(turn)}.`));
    }
    const [first = "", last = ""] = [sent[5], sent.at(-1)];
    expect(MAILS.filter((mail) => first.includes(mail))).toEqual([]);
    // What was said while it was only watched stays as it was.
    expect(last).toContain(`3: who is ${nth(3)}?`);
    expect(last).not.toContain(`6: who is ${nth(6)}?`);
  });
});

describe("what is kept of a call", () => {
  let world: ContentWorld;
  beforeAll(async () => {
    world = await ContentWorld.open();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("is what was said, without what the response repeats of its request", async () => {
    verifies("responses.kept");
    const token = await world.agent("redacted");
    const instructions = "You sell tulips and nothing else.";
    const tools = [
      { type: "function", name: "look_up", description: "Looks up flowers", parameters: {}, strict: false },
    ];
    world.provider.next(responds([outputText(`I have paid with ${CARD}.`)], { instructions, tools }));
    const json = { model: MODEL, instructions, tools, input: `Pay with ${CARD} for the tulips.` };
    const response = await world.world.hub.fetch("/v1/responses", { token, json });
    expect(response.status).toBe(200);
    const id = response.headers.get("x-request-id") ?? "";
    expect(JSON.parse(numbered(JSON.stringify(await world.kept(id, "retained"))))).toEqual([
      ["input", "model", MODEL],
      ["input", "instructions", instructions],
      ["input", "tools[0].name", "look_up"],
      ["input", "tools[0].description", "Looks up flowers"],
      ["input", "input", "Pay with [pii.credit_card:1] for the tulips."],
      ["output", "output[0].content[0].text", "I have paid with [pii.credit_card:1]."],
    ]);
    expect(await world.kept(id, "blocked")).toEqual([
      ["input", "input", json.input],
      ["output", "output[0].content[0].text", `I have paid with ${CARD}.`],
    ]);
    const { call } = await world.record(id);
    const said = `I have paid with ${CARD}.`;
    expect(call?.coverage.output.chars).toBeGreaterThanOrEqual(said.length);
    expect(call?.coverage.output.chars).toBeLessThan(said.length + instructions.length);
    // Once its record is in the index of calls.
    const page = async () => JSON.stringify((await world.world.as("owner", "GET", `/calls/${id}`)).json);
    await eventually(page, expect.stringContaining('"responses.create"'));
  });
});
