import { afterAll, beforeAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { JsonRecord } from "#core/json/json";
import { verifies } from "#test/support/verifies";
import { EnforcementWorld, limitsOf, toolsOf } from "./enforcement-world";
import { ADMIN } from "./restricted-world";
import { prompt, toolCall } from "./verdict-source-world";

let world: EnforcementWorld;
let claude = "";
beforeAll(async () => {
  world = await EnforcementWorld.open();
  claude = await secretOf("claude");
});
afterAll(() => world[Symbol.asyncDispose]());

const secretOf = async (name: string, ...flags: readonly string[]): Promise<string> => {
  const line = ["hook", "source", "add", name, "--kind", "anthropic", "--agent", world.agent, ...flags];
  const { secret } = Object((await world.world.hub.cli(...line)).json());
  names.set(secret, name);
  return secret;
};
const names = new Map<string, string>();

let messages = 0;
/** Takes seconds to scan and a moment to read: many addresses. */
const LONG = Array.from({ length: 500_000 }, (_, at) => `a${at}@b${at % 97}.co`).join(" ");

const ask = async (
  frame: JsonRecord,
  secret = claude,
): Promise<{ readonly action: string; readonly deny_reason?: string }> => {
  messages += 1;
  const [id, at, body] = [`m${messages}`, new Date(), JSON.stringify(frame)];
  const response = await world.world.hub.fetch(`/v1/guard/hooks/anthropic?source=${names.get(secret)}`, {
    method: "POST",
    body,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
      "webhook-signature": new Webhook(secret).sign(id, at, body),
    },
  });
  expect(response.status).toBe(200);
  return response.json();
};

test("the agent's profile says which models and tools a source's calls may use, and how many there may be", async () => {
  verifies("verdicts.sources");
  await world.govern({
    models: { allow: ["claude-*"], deny: [], max_output_tokens: null },
    tools: toolsOf({ default: "deny", allow: ["read_file"] }),
  });
  expect(await ask(prompt("Hello there"))).toEqual({ action: "allow" });
  expect((await ask(prompt("Hello there", { model: "gpt-5" }))).action).toBe("deny");
  expect((await ask(toolCall({ text: "Hello there" }))).action).toBe("deny");
  await world.govern({ tools: toolsOf({ require_human: ["send_mail"] }) });
  const held = await ask(toolCall({ text: "Hello there" }));
  expect(held.action).toBe("deny");
  expect(held.deny_reason).toContain("waits for a person");
  await world.govern({ limits: limitsOf({ requests_per_day: 1 }) });
  const actions = [await ask(prompt("Hello there")), await ask(prompt("Hello there"))].map(({ action }) => action);
  expect(actions).toContain("deny");
});

test("what a tool call does on its machine is held against the profile's commands and files", async () => {
  verifies("local.commands");
  const lists = { default: "allow" as const, allow: [], ask: [], deny: [] };
  const calls = (tool_name: string, input: unknown) => ({
    ...toolCall({}),
    messages: [{ role: "assistant", content: [{ type: "tool_use", id: "t", tool_name, input }] }],
  });
  await world.govern({
    commands: { ...lists, ask: ["git push *"], deny: ["rm *"], hosts: null, other_hosts: "deny" as const },
    files: { read: { ...lists, deny: ["/etc/**"] }, write: lists },
  });
  expect((await ask(calls("Bash", { command: "ls" }))).action).toBe("allow");
  for (const [tool, input] of [
    ["Bash", { command: "rm -rf /" }],
    ["Bash", '{"command":"rm -rf /"}'],
    ["Bash", { command: "git push" }],
    ["Read", { file_path: "/etc/shadow" }],
  ] as const) {
    const answer = await ask(calls(tool, input));
    expect([tool, input, answer.action]).toEqual([tool, input, "deny"]);
    expect(answer.deny_reason).toMatch(/commands\.|files\./);
  }
});

test("what could not be looked at in time passes where the profile fails open, and is recorded as unscanned", async () => {
  verifies("verdicts.in-time");
  await world.govern({ fail_mode: "open" });
  const hasty = await secretOf("hasty", "--budget-ms", "500");
  expect(await ask(prompt(LONG), hasty)).toEqual({ action: "allow" });
  const records = await world.world.records("hook.anthropic");
  const unscanned = records.flatMap(({ call }) => call.coverage.input.unscanned);
  expect(unscanned).toContainEqual({ param: "body", reason: "timeout" });
});

test("without its body read, under a kill switch or of a denied tool nothing passes for being late", async () => {
  verifies("verdicts.in-time");
  const { hub } = world.world;
  await world.govern({
    fail_mode: "open",
    tools: toolsOf({ default: "deny", allow: ["look_up", "pay"], require_human: ["pay"] }),
  });
  const hurried = await secretOf("hurried", "--budget-ms", "500");
  expect((await ask(toolCall({ text: LONG }), hurried)).action).toBe("deny");
  const use = (tool_name: string) => [
    { role: "assistant", content: [{ type: "tool_use", tool_name, input: { long: LONG } }] },
  ];
  expect((await ask(toolCall({}, [], { messages: use("pay") }), hurried)).action).toBe("deny");
  expect(await ask(toolCall({}, [], { messages: use("look_up") }), hurried)).toEqual({ action: "allow" });
  // So many turns take several times as long to be read.
  const rushed = await secretOf("rushed", "--budget-ms", "100");
  const messages = Array.from({ length: 900_000 }, (_, at) => ({ role: "user", content: `Turn ${at}` }));
  const unread = await ask(prompt("", { messages }), rushed);
  expect(unread).toMatchObject({ action: "deny", deny_reason: expect.stringContaining("in time") });
  const key = await hub.createSession(ADMIN);
  const json = { level: "agent", target: world.agent, reason: "drill" };
  const { id } = await (await hub.fetch("/api/killswitch", { token: key, json })).json();
  for (const frame of [prompt("Hello there"), prompt(LONG)]) expect((await ask(frame, hurried)).action).toBe("deny");
  await hub.fetch(`/api/killswitch/${id}/lift`, { token: key, json: { reason: "over" } });
  expect(await ask(prompt("Hello there"))).toEqual({ action: "allow" });
}, 60_000);

test("what cannot be redacted is denied or passes as the source says, whatever the profile has", async () => {
  verifies("verdicts.all-or-nothing");
  const strict = await secretOf("strict", "--redact", "deny");
  const lenient = await secretOf("lenient", "--redact", "allow");
  const card = prompt("card 4539 1488 0343 6467");
  for (const redact of ["deny", "allow"] as const) {
    await world.govern({ hooks: { redact, offline_minutes: 0 } });
    expect([redact, (await ask(card, strict)).action]).toEqual([redact, "deny"]);
    expect([redact, (await ask(card, lenient)).action]).toEqual([redact, "allow"]);
  }
});

test("what only a tool or a document has said does not become what another tool is given", async () => {
  verifies("verdicts.sources");
  await world.govern({ tools: toolsOf({ effects: { send_mail: "send" }, tainted_arguments: "block" }) });
  const iban = "mallory@evil.example.com";
  const said = (part: object) => [
    { role: "user", content: [{ type: "text", text: "Summarize it and send it to the right one." }, part] },
  ];
  const call = (part: object) => ask(toolCall({ to: iban }, said(part)));
  expect((await call({ type: "text", text: `To ${iban}` })).action).toBe("allow");
  expect((await call({ type: "tool_result", tool_use_id: "t", content: `To ${iban}` })).action).toBe("deny");
  expect((await call({ type: "attachment", file_name: "a.txt", text: `To ${iban}` })).action).toBe("deny");
});
