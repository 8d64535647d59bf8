import { afterAll, beforeAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { JsonRecord } from "#core/json/json";
import { verifies } from "#test/support/verifies";
import { EnforcementWorld, limitsOf, toolsOf } from "./enforcement-world";
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
  return Object((await world.world.hub.cli(...line)).json()).secret;
};

let messages = 0;
const ask = async (
  frame: JsonRecord,
  secret = claude,
): Promise<{ readonly action: string; readonly deny_reason?: string }> => {
  messages += 1;
  const [id, at, body] = [`m${messages}`, new Date(), JSON.stringify(frame)];
  const response = await world.world.hub.fetch("/v1/guard/hooks/anthropic", {
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
  const hasty = await secretOf("hasty", "--budget-ms", "100");
  const text = Array.from({ length: 400_000 }, (_, at) => `word${at}`).join(" ");
  expect(await ask(prompt(text), hasty)).toEqual({ action: "allow" });
  const records = await world.world.records("hook.anthropic");
  const unscanned = records.flatMap(({ call }) => call.coverage.input.unscanned);
  expect(unscanned).toContainEqual({ param: "body", reason: "timeout" });
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
