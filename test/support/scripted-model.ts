/** A model that has its client's shell run command after command, in the API that the client speaks. */
export class ScriptedModel implements AsyncDisposable {
  /** What clients asked for, in order. */
  readonly asked: string[] = [];
  readonly #server;

  constructor(private readonly commands: readonly string[]) {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 60,
      fetch: (request) => this.#answer(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.asked.push(`${request.method} ${pathname}`);
    const body = request.method === "POST" ? await request.text() : "";
    if (pathname.endsWith("/messages")) return this.#messages(body);
    if (pathname.endsWith("/responses")) return this.#responses(body);
    if (pathname.endsWith("/chat/completions")) return this.#chat(body);
    if (pathname.includes(":streamGenerateContent")) return this.#gemini(body);
    return Response.json({ data: [], models: [] });
  }

  /** The next command; null when all were asked for, and for requests without a shell. */
  #next(body: string, results: RegExp, tools: RegExp): string | null {
    if (!tools.test(body)) return null;
    return this.commands[[...body.matchAll(results)].length] ?? null;
  }

  #messages(body: string): Response {
    const next = this.#next(body, /"type":"tool_result"/g, /"name":"Bash"/);
    const block =
      next === null ? { type: "text", text: "" } : { type: "tool_use", id: id("toolu"), name: "Bash", input: {} };
    const delta =
      next === null
        ? { type: "text_delta", text: "Done." }
        : { type: "input_json_delta", partial_json: JSON.stringify({ command: next, description: "x" }) };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id: id("msg"),
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage,
    };
    if (!body.includes('"stream":true')) {
      return Response.json({ ...message, content: [{ type: "text", text: "Done." }], stop_reason: "end_turn" });
    }
    return events([
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: next === null ? "end_turn" : "tool_use" }, usage },
      { type: "message_stop" },
    ]);
  }

  #responses(body: string): Response {
    const next = this.#next(body, /"type":"(?:function|custom_tool|local_shell)_call_output"/g, /exec_command|shell/);
    const name = /"name":"(exec_command|shell_command|shell)"/.exec(body)?.[1] ?? "shell";
    const given = {
      exec_command: { cmd: next },
      shell_command: { command: next },
      shell: { command: ["bash", "-lc", next] },
    };
    const item =
      next === null
        ? {
            type: "message",
            id: id("msg"),
            role: "assistant",
            content: [{ type: "output_text", text: "Done.", annotations: [] }],
          }
        : {
            ...{ type: "function_call", id: id("fc"), call_id: id("call"), name },
            arguments: JSON.stringify(given[name === "exec_command" || name === "shell_command" ? name : "shell"]),
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const response = { id: id("resp"), object: "response", status: "completed", output: [item], usage };
    return events([
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ]);
  }

  #chat(body: string): Response {
    const next = this.#next(body, /"role":"tool"/g, /"name":"bash"/);
    const call = {
      index: 0,
      id: id("call"),
      type: "function",
      function: { name: "bash", arguments: JSON.stringify({ command: next, description: "x" }) },
    };
    const chunk = (delta: object, finish_reason: string | null) => ({
      ...{ id: "c", object: "chat.completion.chunk", created: 1, model: "m" },
      choices: [{ index: 0, delta, finish_reason }],
    });
    const delta = next === null ? { role: "assistant", content: "Done." } : { role: "assistant", tool_calls: [call] };
    const last = chunk({}, next === null ? "stop" : "tool_calls");
    return events(
      [chunk(delta, null), { ...last, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }],
      "[DONE]",
    );
  }

  #gemini(body: string): Response {
    const next = this.#next(body, /"functionResponse"/g, /run_shell_command/);
    const part =
      next === null
        ? { text: "Done." }
        : { functionCall: { id: id("call"), name: "run_shell_command", args: { command: next } } };
    const candidates = [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }];
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return new Response(`data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`, SSE);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.stop(true);
  }
}

const SSE = { headers: { "content-type": "text/event-stream" } };

const events = (all: readonly object[], last?: string): Response => {
  const text = all.map(
    (event) => `${"type" in event ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
  );
  return new Response(text.join("") + (last === undefined ? "" : `data: ${last}\n\n`), SSE);
};

const id = (kind: string): string => `${kind}_${crypto.randomUUID().replaceAll("-", "")}`;
