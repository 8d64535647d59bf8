import Anthropic, { type ClientOptions } from "@anthropic-ai/sdk";
import { World } from "#test/support/world";
import { type AskOptions, ChatWorld, type ChatWorldOptions, dataOf, MODEL, PROVIDER_KEY } from "./chat-world";

export const VERSION = "2023-06-01";

/** One event of a streamed message, as tests read it. */
export type MessageEvent = { readonly type: string; readonly [field: string]: unknown };

/** A hub whose provider speaks Anthropic's API. */
export class MessagesWorld extends ChatWorld {
  static override async open({ env, ...options }: ChatWorldOptions = {}): Promise<MessagesWorld> {
    const seeds = {
      users: { eve: {} },
      tokens: { eve: { user: "eve" } },
      providers: { fake: { models: ["fake-*"], apiKey: PROVIDER_KEY, kind: "anthropic" } },
    };
    const redacting = { GUARDHOUSE_GUARD__ACTIONS: "pii.email=redact", ...env };
    return new MessagesWorld(await World.made({ ...options, seeds, env: redacting }));
  }

  /** Anthropic's client, pointed at the hub. It does not retry unless told to. */
  anthropic(options: ClientOptions = {}): Anthropic {
    return new Anthropic({ baseURL: this.hub.url, apiKey: this.token, maxRetries: 0, ...options });
  }

  /** One Messages call: a body, or a text as the user's only message. */
  async send(body: string | object, { path = "/v1/messages", headers, token }: SendOptions = {}): Promise<Response> {
    const json = typeof body === "string" ? { messages: [{ role: "user", content: body }] } : body;
    return this.hub.fetch(path, {
      headers: { "x-api-key": token ?? this.token, "anthropic-version": VERSION, ...headers },
      json: { model: MODEL, max_tokens: 64, ...json },
    });
  }

  /** The same, streamed, read to its end. */
  async sendStreamed(body: string | object = "Hello there", options: SendOptions = {}): Promise<StreamedMessage> {
    const json = typeof body === "string" ? { messages: [{ role: "user", content: body }] } : body;
    const response = await this.send({ ...json, stream: true }, options);
    return new StreamedMessage(response, await response.text());
  }
}

export type SendOptions = Pick<AskOptions, "headers" | "token"> & { readonly path?: string };

export class StreamedMessage {
  constructor(
    readonly response: Response,
    readonly text: string,
  ) {}

  get events(): MessageEvent[] {
    return dataOf(this.text).map((data) => JSON.parse(data));
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** All that a field of the deltas says, joined. */
  said(field: string): string {
    return this.events
      .flatMap(({ delta }) => (isFields(delta) && typeof delta[field] === "string" ? [delta[field]] : []))
      .join("");
  }
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
