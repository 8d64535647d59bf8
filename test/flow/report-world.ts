import type { Database } from "bun:sqlite";
import { beside } from "#test/support/database";
import { ChatWorld, type ChatWorldOptions } from "./chat-world";

/** A key: blocked in what is asked. */
export const KEY = ["AKIA", "Q3EGRIVZTAX4RMRF"].join("");

/** Somebody with tokens of their own; two of them are of agents. */
export type Reporter = {
  readonly email: string;
  readonly id: string;
  readonly token: string;
  readonly agent: string;
  readonly agentToken: string;
  readonly sibling: string;
  readonly siblingToken: string;
};

export type Answered = {
  readonly status: number;
  readonly json: ReturnType<typeof JSON.parse>;
  readonly headers: Headers;
};

/** A hub whose callers report what it judges. */
export class ReportWorld implements AsyncDisposable {
  #people = 0;

  private constructor(readonly world: ChatWorld) {}

  static async open(options: ChatWorldOptions = {}): Promise<ReportWorld> {
    return new ReportWorld(await ChatWorld.open(options));
  }

  /** Somebody who has reported nothing yet. */
  async reporter(): Promise<Reporter> {
    this.#people += 1;
    const { hub } = this.world;
    const email = `reporter-${this.#people}@example.com`;
    const { id } = await hub.createUser(email);
    const agent = await hub.createAgent("helper", email);
    const sibling = await hub.createAgent("sibling", email);
    return {
      ...{ email, id, agent: agent.id, sibling: sibling.id },
      token: (await hub.createToken(email)).token,
      agentToken: (await hub.createToken(email, "helper")).token,
      siblingToken: (await hub.createToken(email, "sibling")).token,
    };
  }

  /** The event of a blocked call. */
  async blocked(token: string, text = `My key is ${KEY}, keep it safe.`): Promise<string> {
    const response = await this.world.ask(text, { token });
    const { error } = await response.json();
    if (response.status !== 400) throw new Error("nothing was blocked");
    return error.event_id;
  }

  /** The event of a call in which something was redacted. */
  async redacted(token: string, text: string): Promise<string> {
    const response = await this.world.ask(text, { token });
    await response.body?.cancel();
    const event = response.headers.get("x-guard-event-id");
    if (response.status !== 200 || event === null) throw new Error("nothing was redacted");
    return event;
  }

  dispute(token: string, json: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
    return this.send("/v1/guard/disputes", { token, json, headers });
  }

  miss(token: string, json: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
    return this.send("/v1/guard/miss-reports", { token, json, headers });
  }

  /** One of the reports, or all; `rest` follows the address of the list. */
  get(token: string, rest = ""): Promise<Answered> {
    return this.send(`/v1/guard/miss-reports${rest}`, { token });
  }

  withdraw(token: string, id: string): Promise<Answered> {
    return this.send(`/v1/guard/miss-reports/${id}`, { method: "DELETE", token });
  }

  /** The hub's database, beside the running hub. */
  database<T>(work: (db: Database) => T): T {
    return beside(this.world.hub, work);
  }

  private async send(path: string, request: Parameters<ChatWorld["hub"]["fetch"]>[1]): Promise<Answered> {
    const response = await this.world.hub.fetch(path, request);
    return { status: response.status, json: await response.json(), headers: response.headers };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world[Symbol.asyncDispose]();
  }
}
