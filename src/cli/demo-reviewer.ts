/**
 * A scripted stand-in for a model that reviews reports, on the OpenAI wire: it finds every report to be right, canaries
 * excepted, whose right answer it can tell by what they are about. For the demo, which has no key and no network.
 */
export const REVIEWER_MODEL = "demo/reviewer";

export type ScriptedReviewer = { readonly baseUrl: string; stop(): void };

/** What a careful reader would say of examples, and of what is none. */
const verdictOn = (prompt: string): { verdict: string; confidence: number; reasoning: string } =>
  /tutorial|made-up/i.test(prompt)
    ? { verdict: "false_positive", confidence: 0.93, reasoning: "The text says itself that the key is made up." }
    : { verdict: "true_positive", confidence: 0.9, reasoning: "The text does what the scanner says." };

const messagesIn = (body: unknown): string => JSON.stringify(body);

export const startReviewer = (): ScriptedReviewer => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (new URL(request.url).pathname.endsWith("/models")) {
        return Response.json({ object: "list", data: [{ id: REVIEWER_MODEL, object: "model" }] });
      }
      const content = JSON.stringify(verdictOn(messagesIn(await request.json())));
      const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
      const usage = { prompt_tokens: 400, completion_tokens: 40, total_tokens: 440 };
      return Response.json({ id: "demo", object: "chat.completion", model: REVIEWER_MODEL, choices, usage });
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, stop: () => void server.stop(true) };
};
