import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { MODEL_APIS, SPOKEN } from "#model/model-api";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL } from "./chat-world";

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const messageAt = async (path: string, method = "POST"): Promise<string> => {
  const response = await world.hub.fetch(path, { token: world.token, method, ...(method === "POST" && { json: {} }) });
  expect([path, response.status, response.headers.get("x-should-retry")]).toEqual([path, 404, "false"]);
  const body = await response.json();
  expect(body.error).toMatchObject({ code: "unknown_url", type: "invalid_request_error", param: null });
  return body.error.message;
};

describe("an API that is not offered", () => {
  const HELP: readonly (readonly [path: string, words: readonly string[]])[] = [
    ["/v1/responses/resp_1/other", ["Responses API", "/openapi.json"]],
    ["/v1/conversations", ["Conversations that the provider keeps", "/v1/responses"]],
    ["/v1/moderations", ["another base URL", "Chat Completions, Responses, Messages, Embeddings and Completions"]],
    ["/v1/images/generations", ["another base URL"]],
    ["/v1/audio/speech", ["another base URL"]],
    ["/v1/files", ["another base URL"]],
    ["/v1/batches", ["another base URL"]],
    ["/v1/realtime/sessions", ["another base URL"]],
    ["/v1/vector_stores", ["another base URL"]],
    ["/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21", ["Azure addresses", "api-key header"]],
    ["/v1beta/models/gemini:generateContent", ["Gemini's API"]],
    ["/api/chat", ["Ollama's own API"]],
    ["/api/tags", ["Ollama's own API"]],
    ["/chat/completions", ["/v1 is missing"]],
    ["/v1/v1/chat/completions", ["/v1 twice"]],
    ["/v1/nothing", MODEL_APIS.map((api) => SPOKEN[api].path)],
  ];
  test.each(HELP)("%s: a 404 that says what helps", async (path, words) => {
    verifies("route.not-offered", "route.unknown");
    const message = await messageAt(path);
    for (const word of words) expect(message).toContain(word);
    expect(message.length).toBeLessThan(620);
  });

  test("lists without /v1, asked for with GET", async () => {
    verifies("route.not-offered");
    for (const path of ["/api/tags", "/v1beta/models", "/v1/responses/resp_1/other"]) {
      expect(await messageAt(path, "GET")).toContain("docs/clients.md");
    }
  });

  test("batches of messages, in the shape of Anthropic's API", async () => {
    verifies("route.not-offered");
    const response = await world.hub.fetch("/v1/messages/batches", { headers: { "x-api-key": world.token }, json: {} });
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([404, "false"]);
    const id = response.headers.get("request-id");
    expect(id).toBe(response.headers.get("x-request-id"));
    expect(await response.json()).toEqual({
      type: "error",
      error: { type: "not_found_error", message: expect.stringContaining("batches are not served") },
      request_id: id,
    });
  });
});

describe("clients", () => {
  test("Anthropic's: a model that only another API serves is named so", async () => {
    verifies("route.not-offered");
    const client = new Anthropic({ baseURL: world.hub.url, apiKey: world.token, maxRetries: 3 });
    const messages = [{ role: "user" as const, content: "Hi" }];
    const error = await client.messages.create({ model: MODEL, max_tokens: 9, messages }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(error).toMatchObject({ error: { error: { type: "not_found_error" } } });
    expect(String(error)).toContain("it is by: chat");
  });
});
