import OpenAI, { type ClientOptions } from "openai";
import type { AuditRecord, CallFacts } from "#model/audit";
import { World, type WorldOptions } from "#test/support/world";

export const USER = "eve@example.com";
/** What the provider is sent as its key. No detector knows its form, so nothing takes it out by accident. */
export const PROVIDER_KEY = "provider-key-for-tests-only";
/** Served by every world's first provider. */
export const MODEL = "fake-model";

export type ChatWorldOptions = Omit<WorldOptions, "seeds">;

export type AskOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly signal?: AbortSignal;
};

/** A call record with its facts. */
export type CallRecord = AuditRecord & { readonly call: CallFacts };
/** The two records of one call; one that was never let through has no `request`. */
export type Records = { readonly request: CallRecord | undefined; readonly final: CallRecord };

/** A hub with one user, one gateway token and one provider: what most calls need. */
export class ChatWorld extends World {
  #conversations = 0;
  readonly provider = this.providerOf("fake");
  readonly token = this.tokenOf("eve");

  /** Redacts e-mail addresses beside what the baseline redacts, unless `env` says otherwise: they are easy to make. */
  static override async open(options: ChatWorldOptions = {}): Promise<ChatWorld> {
    return new ChatWorld(await ChatWorld.chatMade(options));
  }

  /** What such a world is made of. */
  static chatMade({ env, ...options }: ChatWorldOptions): ReturnType<typeof World.made> {
    const seeds = {
      users: { eve: {} },
      tokens: { eve: { user: "eve" } },
      providers: { fake: { models: ["fake-*"], apiKey: PROVIDER_KEY } },
    };
    const redacting = { GUARDHOUSE_GUARD__ACTIONS: "pii.email=redact", ...env };
    return World.made({ ...options, seeds, env: redacting });
  }

  /** OpenAI's client, pointed at the hub. It does not retry unless told to. */
  client(options: ClientOptions = {}): OpenAI {
    return new OpenAI({ baseURL: `${this.hub.url}/v1`, apiKey: this.token, maxRetries: 0, ...options });
  }

  /** One chat-completions call: a body, or a text as the user's only message. */
  ask(body: string | object, { headers = {}, token = this.token, signal }: AskOptions = {}): Promise<Response> {
    const json = typeof body === "string" ? { messages: [{ role: "user", content: body }] } : body;
    return this.hub.fetch("/v1/chat/completions", {
      token,
      headers,
      json: { model: MODEL, ...json },
      ...(signal ? { signal } : {}),
    });
  }

  /** The same, streamed, read to its end. */
  async stream(body: string | object = "Hello there", options: AskOptions = {}): Promise<Streamed> {
    const json = typeof body === "string" ? { messages: [{ role: "user", content: body }] } : body;
    const response = await this.ask({ ...json, stream: true }, options);
    return new Streamed(response, await response.text());
  }

  /** The records of the call this response answered. */
  recordsOf(response: Pick<Response, "headers">): Promise<Records> {
    const id = response.headers.get("x-request-id") ?? "";
    return this.records((record) => record.call_id === id);
  }

  /** A conversation id of its own: finds the records of a call whose answer never came. */
  conversation(): { id: string; headers: Readonly<Record<string, string>>; records: () => Promise<Records> } {
    this.#conversations += 1;
    const id = `conversation-${this.#conversations}`;
    const records = () => this.records(({ call }) => call.conversation_id === id);
    return { id, headers: { "x-conversation-id": id }, records };
  }

  /** Waits for the final record of the newest call in question. */
  async records(wanted: (record: CallRecord) => boolean, withinMs = 60_000): Promise<Records> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const found = (await this.tail()).filter(wanted);
      const final = found.find(({ phase }) => phase === "final");
      if (final) {
        const same = found.filter(({ call_id }) => call_id === final.call_id);
        if (same.length > 2) throw new Error(`${same.length} records of one call`);
        return { final, request: same.find(({ phase }) => phase === "request") };
      }
      if (performance.now() > deadline) throw new Error(`no final record; found: ${JSON.stringify(found)}`);
      await Bun.sleep(10);
    }
  }

  /** The newest call records, newest first. */
  async tail(): Promise<CallRecord[]> {
    const { code, stderr, json } = await this.hub.cli("audit", "tail", "-n", "1000");
    if (code !== 0) throw new Error(stderr);
    const records = json();
    if (!Array.isArray(records)) throw new Error("audit tail gave no list");
    return records.filter(isCallRecord);
  }
}

/** A streamed answer, whole. */
export class Streamed {
  readonly status: number;
  readonly headers: Headers;

  constructor(
    response: Response,
    readonly text: string,
  ) {
    this.status = response.status;
    this.headers = response.headers;
  }

  /** The `data` of every event. */
  get data(): string[] {
    return dataOf(this.text);
  }

  /** The chunks and the error of the stream, parsed. */
  get events(): Event[] {
    return this.data.filter((data) => data !== "[DONE]").map((data) => JSON.parse(data));
  }

  /** All content of one choice, joined. */
  content(choice = 0): string {
    return this.joined("content", choice);
  }

  /** All text of one field of one choice's deltas, joined. */
  joined(field: string, choice = 0): string {
    const deltas = this.events.flatMap(({ choices = [] }) => choices).filter(({ index }) => index === choice);
    return deltas.map(({ delta }) => (typeof delta[field] === "string" ? delta[field] : "")).join("");
  }

  get finishReasons(): (string | null)[] {
    const choices = this.events.flatMap(({ choices = [] }) => choices);
    return choices.flatMap(({ finish_reason }) => finish_reason ?? []);
  }
}

/** One event as tests read it. */
export type Event = {
  readonly choices?: readonly Choice[];
  readonly usage?: unknown;
  readonly error?: { readonly code: string; readonly event_id?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
};
type Choice = {
  readonly index: number;
  readonly delta: Readonly<Record<string, unknown>>;
  readonly finish_reason?: string | null;
  readonly logprobs?: unknown;
};

/** The data of every event in a stream with LF line ends, as our own are and the fake provider's are by default. */
export const dataOf = (text: string): string[] =>
  text
    .split("\n\n")
    .map((event) => event.split("\n").filter((line) => line.startsWith("data: ")))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.slice(6)).join("\n"));

const isCallRecord = (value: unknown): value is CallRecord =>
  typeof value === "object" && value !== null && "call" in value && "call_id" in value;
