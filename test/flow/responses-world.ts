import { type Reply, sends } from "#test/support/fake-provider";
import { type AskOptions, ChatWorld, type ChatWorldOptions, dataOf, MODEL } from "./chat-world";

/** A hub whose provider speaks OpenAI's Responses. */
export class ResponsesWorld extends ChatWorld {
  static override async open(options: ChatWorldOptions = {}): Promise<ResponsesWorld> {
    return new ResponsesWorld(await ChatWorld.chatMade(options));
  }

  /** One call: a body, or a text as the whole input. */
  send(body: string | object, { path = "/v1/responses", headers, token = this.token }: SendOptions = {}) {
    const json = typeof body === "string" ? { input: body } : body;
    return this.hub.fetch(path, { token, ...(headers && { headers }), json: { model: MODEL, ...json } });
  }

  /** The same, streamed, read to its end. */
  async sendStreamed(body: string | object = "Hello there", options: SendOptions = {}): Promise<StreamedResponse> {
    const json = typeof body === "string" ? { input: body } : body;
    const response = await this.send({ ...json, stream: true }, options);
    return new StreamedResponse(response, await response.text());
  }
}

/** One event of a streamed response, as tests read it. */
export type ResponseEvent = { readonly type: string; readonly [field: string]: unknown };

export class StreamedResponse {
  constructor(
    readonly response: Response,
    readonly text: string,
  ) {}

  get events(): ResponseEvent[] {
    return dataOf(this.text).map((data) => JSON.parse(data));
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** All that the deltas of a type say, joined. */
  said(type: string): string {
    return this.events.flatMap((event) => (event.type === type ? [String(event["delta"])] : [])).join("");
  }
}

export type SendOptions = Pick<AskOptions, "headers" | "token"> & { readonly path?: string };

/** A whole response as OpenAI gives one. */
export const wholeResponse = (output: readonly object[], fields: object = {}) => ({
  id: "resp_0123",
  object: "response",
  created_at: 1_793_610_600,
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: MODEL,
  output,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  usage: {
    input_tokens: 11,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  },
  ...fields,
});

export const outputText = (text: string, fields: object = {}) => ({
  ...{ id: "msg_0123", type: "message", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [], ...fields }],
});

/** A provider's whole answer: items, or a body. */
export const responds = (output: readonly object[], fields: object = {}): Reply =>
  answersJson(wholeResponse(output, fields));

export const answersJson = (body: object): Reply => sends([JSON.stringify(body)], { contentType: "application/json" });
