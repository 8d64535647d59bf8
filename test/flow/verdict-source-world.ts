import { Webhook } from "standardwebhooks";
import type { JsonRecord } from "#core/json/json";
import { ChatWorld, type ChatWorldOptions } from "./chat-world";

export const ADMIN = "root@example.com";
export const ADA = "ada@example.com";
export const OWNER = "olga@example.com";

export type Source = { readonly id: string; readonly name: string; readonly secret: string; readonly url: string };

type Asking = Pick<Source, "secret"> & Partial<Pick<Source, "url">>;

/** What was entered in the system, if anything was. */
const pathOf = ({ url }: Asking): string => {
  if (url === undefined) return "/v1/guard/hooks/anthropic";
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
};

type Sent = { readonly id?: string; readonly at?: Date; readonly path?: string; readonly signature?: string };

/** A hub with an administrator, somebody who uses Claude, and an agent of somebody else's that stands for her seats. */
export class SourceWorld {
  #messages = 0;

  private constructor(
    readonly world: ChatWorld,
    readonly agent: { readonly id: string; readonly name: string },
  ) {}

  static async open(options: ChatWorldOptions = {}): Promise<SourceWorld> {
    const world = await ChatWorld.open(options);
    const { hub } = world;
    await hub.createAdmin(ADMIN);
    for (const email of [ADA, OWNER]) await hub.createUser(email);
    return new SourceWorld(world, await hub.createAgent("Claude seats", OWNER));
  }

  get hub() {
    return this.world.hub;
  }

  async source(name: string, ...flags: readonly string[]): Promise<Source> {
    const kind = flags.includes("--kind") ? [] : ["--kind", "anthropic"];
    const made = await this.hub.cli("hook", "source", "add", name, ...kind, "--agent", this.agent.id, ...flags);
    if (made.code !== 0) throw new Error(made.stderr);
    return Object(made.json());
  }

  /** Sends a frame as an independent implementation of Standard Webhooks signs it. */
  async send(source: Asking, frame: unknown, sent: Sent = {}): Promise<Response> {
    this.#messages += 1;
    const { id = `msg_${this.#messages}`, at = new Date(), path = pathOf(source) } = sent;
    const body = typeof frame === "string" ? frame : JSON.stringify(frame);
    const signature = sent.signature ?? new Webhook(source.secret).sign(id, at, body);
    return this.hub.fetch(path, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
        "webhook-signature": signature,
      },
    });
  }

  async ask(source: Asking, frame: unknown, sent: Sent = {}) {
    const response = await this.send(source, frame, sent);
    return { response, status: response.status, answer: await response.json() };
  }

  session(email: string): Promise<string> {
    return this.hub.createSession(email);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }
}

/** A conversation on its way to a model, whose last message is the text. */
export const prompt = (text: string, more: JsonRecord = {}): JsonRecord => ({
  type: "prompt",
  request_id: "req_1",
  tenant_id: "tenant_1",
  actor: { type: "user", id: "user_01ABC", email_address: ADA },
  source: { application: "claude-ai" },
  session_id: "conversation-1",
  model: "claude-opus-4-6",
  messages: [{ role: "user", content: [{ type: "text", text }] }],
  ...more,
});

/** The tool calls of a model's answer. */
export const toolCall = (input: JsonRecord, before: readonly JsonRecord[] = [], more: JsonRecord = {}): JsonRecord => ({
  ...prompt("", more),
  type: "tool_call",
  messages: [
    ...before,
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "t1", tool_name: "send_mail", input }],
    },
  ],
  ...more,
});
