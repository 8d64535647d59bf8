import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { answersResponse, type ItemScript } from "#test/support/response-script";
import { verifies } from "#test/support/verifies";
import { dataOf, MODEL } from "./chat-world";
import { EnforcementWorld, toolsOf } from "./enforcement-world";

setDefaultTimeout(120_000);

let world: EnforcementWorld;
beforeAll(async () => {
  world = await EnforcementWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const SHELL: ItemScript = {
  item: { type: "shell_call", call_id: "c1", status: "completed", action: { commands: ["ls"] } },
};

/** The text of a streamed response, and its events. */
const streamed = async (items: readonly ItemScript[]) => {
  world.provider.next(answersResponse(items));
  const json = { model: MODEL, input: "Hi", stream: true };
  const text = await (await world.world.hub.fetch("/v1/responses", { token: world.token, json })).text();
  return { text, events: dataOf(text).map((data) => JSON.parse(data)) };
};

describe("tool calls of a streamed response", () => {
  test("that the profile does not allow end it, and are not seen", async () => {
    verifies("responses.stream-tools");
    await world.govern({ tools: toolsOf({ default: "deny", allow: ["look_up"] }) });
    for (const [item, name] of [
      [{ tool: "drop_table", arguments: '{"name":"users"}' }, "drop_table"],
      [SHELL, "shell_call"],
    ] as const) {
      const { text, events } = await streamed([{ text: "At once." }, item]);
      expect(events.at(-1)).toMatchObject({ type: "response.incomplete", response: { guardhouse: { guard: {} } } });
      expect(JSON.stringify(events.slice(0, -1))).not.toContain(name);
      expect(text).not.toContain("users");
    }
    const { events } = await streamed([{ tool: "look_up", arguments: "{}" }]);
    expect(events.at(-1)?.type).toBe("response.completed");
  });

  test("that a person has to approve are held", async () => {
    verifies("responses.stream-tools");
    await world.govern({ tools: toolsOf({ require_human: ["look_up", "shell"] }) });
    for (const item of [{ tool: "look_up", arguments: ['{"q":', '"x"}'] }, SHELL]) {
      const { text, events } = await streamed([{ text: "At once." }, item]);
      const { guard } = events.at(-1)?.response.guardhouse ?? {};
      expect(guard).toMatchObject({ action: "hold", hold_state: "waiting" });
      expect(text).not.toContain('"call_id"');
    }
  });
});
