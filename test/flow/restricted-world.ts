import { type FixtureTool, text, tool } from "#test/support/mcp-fixture";
import { World, type WorldOptions } from "#test/support/world";

export const ADMIN = "ada@example.com";
export const EVE = "eve@example.com";
export const BOB = "bob@example.com";
export const MODEL = "fake-model";

/** What an answer's JSON holds, as tests read it. */
export type Answer = { readonly status: number; readonly json: ReturnType<typeof JSON.parse> };

type RestrictedWorldOptions = Omit<WorldOptions, "seeds"> & { readonly tools?: readonly FixtureTool[] };

const READ = tool("read", () => text("It says hello."));

/** A hub with an agent of Eve's that chats and calls tools, and people who may stop it. */
export class RestrictedWorld extends World {
  readonly provider = this.providerOf("fake");
  readonly fixture = this.toolServerOf("files").fixture;
  /** Gateway tokens: of the agent, and Eve's own. */
  readonly tokens = { agent: this.tokenOf("helper"), eve: this.tokenOf("eve") };
  readonly ids = {
    agent: this.agentOf("helper").id,
    eve: this.userOf("eve").id,
    server: this.toolServerOf("files").id,
  };

  static override async open({ tools = [READ], ...options }: RestrictedWorldOptions = {}): Promise<RestrictedWorld> {
    const seeds = {
      users: { ada: { role: "admin" }, eve: {}, bob: {} },
      agents: { helper: { owner: "eve" } },
      tokens: { helper: { user: "eve", agent: "helper" }, eve: { user: "eve" } },
      providers: { fake: { models: ["fake-*"] } },
      toolServers: { files: { owner: "eve", tools, agents: ["helper"] } },
    };
    return new RestrictedWorld(await World.made({ ...options, seeds }));
  }

  async session(email: string): Promise<string> {
    return Object(await this.hub.cli("session", "create", email).then((result) => result.json())).key;
  }

  /** `path` follows `/api`. */
  async api(key: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const json = body === undefined ? {} : { json: body };
    const response = await this.hub.fetch(`/api${path}`, { method, token: key, ...json });
    return { status: response.status, json: await response.json() };
  }

  /** Restricts the agent; the restriction as the hub shows it. */
  async restrict(key: string, kind: string, more: object = {}): Promise<Answer["json"]> {
    const body = { kind, reason: "a test", expires_in: "1h", ...more };
    const { status, json } = await this.api(key, "POST", `/agents/${this.ids.agent}/restrictions`, body);
    if (status !== 201) throw new Error(`${kind} was not set: ${JSON.stringify(json)}`);
    return json;
  }

  async lift(key: string, { id }: { id: string }): Promise<Answer> {
    const path = `/agents/${this.ids.agent}/restrictions/${id}/lift`;
    return this.api(key, "POST", path, { reason: "the test is over" });
  }

  ask(more: object = {}, token = this.tokens.agent): Promise<Response> {
    const messages = [{ role: "user", content: "Hello there" }];
    return this.hub.fetch("/v1/chat/completions", { token, json: { model: MODEL, messages, ...more } });
  }

  /** Status and error code of one chat completion. */
  async chat(more: object = {}, token = this.tokens.agent): Promise<[number, string | null]> {
    const response = await this.ask(more, token);
    return outcomeOf(response.status, await response.text());
  }

  /** The same of a probe. */
  async scan(token = this.tokens.agent): Promise<[number, string | null]> {
    const response = await this.hub.fetch("/v1/guard/scan", { token, json: { text: "Hello there" } });
    return outcomeOf(response.status, await response.text());
  }

  /** Calls the tool, in the minimal dialect. */
  async call(name = "files__read", args: object = {}, token = this.tokens.agent): Promise<Answer> {
    const json = { method: "tools/call", params: { name, arguments: args } };
    const response = await this.hub.fetch("/mcp/gateway", { token, json });
    return { status: response.status, json: await response.json() };
  }

  /** The newest audit records of a kind, newest first. */
  async records(kind: string): Promise<Answer["json"][]> {
    const all = (await this.hub.cli("audit", "tail", "-n", "2000")).json();
    return Array.isArray(all) ? all.filter((record) => record.kind === kind) : [];
  }
}

const outcomeOf = (status: number, body: string): [number, string | null] => [
  status,
  status === 200 ? null : JSON.parse(body).error.code,
];

/** Looks until it is so, or for a minute if not said otherwise. */
export const until = async (is: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await is())) {
    if (performance.now() > deadline) throw new Error("it never came to that");
    await Bun.sleep(20);
  }
};
