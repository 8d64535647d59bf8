/** A provider of OpenAI's Responses that keeps what it answered. Its ids are `resp_KEPT…`, so that a leak is seen. */
export class KeepingProvider implements Disposable {
  readonly kept = new Map<string, Kept>();
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly search: string;
    readonly body: Body;
  }[] = [];
  readonly #server;
  /** Of the messages it answers from now on. */
  itemId = "msg_out0";
  #said = "Good morning.";

  constructor(private readonly name: string) {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      fetch: (request) => this.#answer(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/v1`;
  }

  get last(): KeepingProvider["requests"][number] {
    const last = this.requests.at(-1);
    if (!last) throw new Error(`${this.name} was not asked`);
    return last;
  }

  /** What it says from now on. */
  says(text: string): void {
    this.#said = text;
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const path = pathname.replace(/^\/v1/, "");
    const { method } = request;
    const text = await request.text();
    const body: Body = text === "" ? {} : JSON.parse(text);
    this.requests.push({ method, path, search, body });
    if (method === "POST" && path === "/responses") return this.#create(body);
    const [, id = "", rest = ""] = /^\/responses\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const kept = this.kept.get(id);
    if (!kept) return failure(404, `Response with id '${id}' not found.`);
    if (method === "DELETE") {
      this.kept.delete(id);
      return Response.json({ id, object: "response.deleted", deleted: true });
    }
    if (rest === "cancel") return Response.json(Object.assign(kept.response, { status: "cancelled" }));
    if (rest === "input_items") {
      const data = kept.input;
      return Response.json({ object: "list", data, first_id: "msg_in0", last_id: "msg_in0", has_more: false });
    }
    // A response in the background is done the second time it is asked for.
    const { response } = kept;
    const shown = { ...response };
    if (response["status"] === "queued") Object.assign(response, this.#done());
    const query = new URLSearchParams(search);
    if (query.get("stream") === "true") return told(response, Number(query.get("starting_after") ?? -1));
    return Response.json(shown);
  }

  #create(body: Body): Response {
    const { previous_response_id: previous = null, model, input, background, store, stream } = body;
    if (typeof previous === "string" && !this.kept.has(previous)) {
      return failure(400, `Previous response with id '${previous}' not found.`);
    }
    const id = `resp_KEPT${this.name}${this.kept.size}`;
    const isQueued = background === true;
    const response: Body = {
      ...{ id, object: "response", created_at: 1_793_610_600, status: isQueued ? "queued" : "completed", error: null },
      ...{ incomplete_details: null, instructions: null, metadata: {}, model, output: isQueued ? [] : this.#output() },
      ...{ parallel_tool_calls: true, previous_response_id: previous, temperature: 1, tool_choice: "auto", tools: [] },
      ...{ top_p: 1, background: isQueued, usage: isQueued ? null : USAGE },
    };
    const items =
      typeof input === "string"
        ? [{ id: "msg_in0", type: "message", role: "user", content: [{ type: "input_text", text: input }] }]
        : input;
    if (store !== false) this.kept.set(id, { response, input: items });
    if (stream === true && isQueued) return told(Object.assign(response, this.#done()), -1);
    return stream === true ? streamed(response) : Response.json(response);
  }

  #done(): Body {
    return { status: "completed", output: this.#output(), usage: USAGE };
  }

  #output(): readonly Body[] {
    const content = [{ type: "output_text", text: this.#said, annotations: [] }];
    return [{ id: this.itemId, type: "message", role: "assistant", status: "completed", content }];
  }
}

type Body = Record<string, unknown>;
type Kept = { readonly response: Body; readonly input: unknown };

const USAGE = { input_tokens: 11, output_tokens: 4, total_tokens: 15 };

const failure = (status: number, message: string): Response =>
  Response.json({ error: { message, type: "invalid_request_error", param: null, code: null } }, { status });

const streamed = (response: Body): Response => {
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const events = [
    { type: "response.created", response: begun },
    { type: "response.queued", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.completed", response },
  ];
  return sent(events, -1);
};

const sent = (events: readonly Body[], after: number): Response => {
  const text = events.map(
    (event, sequence_number) => `event: ${event["type"]}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
  return new Response(text.slice(after + 1).join(""), { headers: { "content-type": "text/event-stream" } });
};

/** A stream that a client of it may leave and come back to: the events of a response with one message. */
const told = (response: Body, after: number): Response => {
  const [item] = itemsOf(response);
  const [part] = item?.content ?? [];
  if (!item || !part) throw new Error("this response has no message");
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const deltas = (part.text.match(/[\s\S]{1,4}/g) ?? []).map((delta) => ({
    type: "response.output_text.delta",
    ...place,
    delta,
    logprobs: [],
  }));
  const events = [
    ...["created", "queued", "in_progress"].map((name) => ({ type: `response.${name}`, response: begun })),
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...deltas,
    { type: "response.output_text.done", ...place, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return sent(events, after);
};

type Message = { readonly id: string; readonly content: readonly { readonly text: string }[] };

const itemsOf = ({ output }: Body): readonly Message[] => (Array.isArray(output) ? output : []);
