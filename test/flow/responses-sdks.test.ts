import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent, tool as agentTool, OpenAIResponsesModel, Runner } from "@openai/agents";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { PERSONAL } from "#test/scan/samples";
import { verifies } from "#test/support/verifies";
import { MODEL } from "./chat-world";
import { outputText, ResponsesWorld, responds } from "./responses-world";

let world: ResponsesWorld;
beforeAll(async () => {
  world = await ResponsesWorld.open({ env: { GUARDHOUSE_UPSTREAM__RETRIES: "0" } });
});
afterAll(() => world[Symbol.asyncDispose]());

const EMAIL = PERSONAL.email;
const CALL = {
  ...{ type: "function_call", id: "fc_1", call_id: "call_1", status: "completed" },
  ...{ name: "get_weather", arguments: '{"city":"Paris"}' },
};
const REASONING = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABh" };
type City = { readonly city: string };
const CITY = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
  additionalProperties: true as const,
};
const weather = async ({ city }: City) => `Mild in ${city}, says ${EMAIL}.`;

/** Two calls: one that calls the tool, one that answers. What the provider was sent with the second. */
const scripted = () => world.provider.next(responds([REASONING, CALL]), responds([outputText("It is mild.")]));
const expectRound = () => {
  const { input } = Object(world.provider.lastCall.body);
  expect(input).toMatchObject([
    { role: "user" },
    { type: "reasoning", encrypted_content: "gAAAAABh" },
    { type: "function_call", call_id: "call_1", name: "get_weather" },
    { type: "function_call_output", call_id: "call_1" },
  ]);
  expect(JSON.stringify(input)).not.toContain(EMAIL);
};

describe("Vercel's AI SDK, whose default is Responses", () => {
  test("runs a tool and answers", async () => {
    verifies("responses.sdks");
    const openai = createOpenAI({ baseURL: `${world.hub.url}/v1`, apiKey: world.token });
    scripted();
    const { text } = await generateText({
      model: openai(MODEL),
      prompt: "Weather in Paris?",
      tools: { get_weather: tool({ description: "Weather", inputSchema: jsonSchema<City>(CITY), execute: weather }) },
      stopWhen: stepCountIs(3),
      // Else the SDK sends references to items in place of them.
      providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
    });
    expect(text).toBe("It is mild.");
    expectRound();
  });
});

describe("OpenAI's Agents SDK, whose default is Responses", () => {
  test("runs a tool and answers", async () => {
    verifies("responses.sdks");
    scripted();
    const agent = new Agent({
      name: "Weather",
      instructions: "Be brief.",
      model: new OpenAIResponsesModel(world.client(), MODEL),
      tools: [
        agentTool({
          name: "get_weather",
          description: "Weather",
          parameters: CITY,
          strict: false,
          execute: (given: unknown) => weather({ city: String(Object(given).city) }),
        }),
      ],
    });
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "Weather in Paris?");
    expect(finalOutput).toBe("It is mild.");
    expectRound();
  });
});
