import { setDefaultTimeout } from "bun:test";
import OpenAI from "openai";
import { FAMILIES, presetRules } from "#policy/profile/presets";
import type { ProfileBody } from "#policy/profile/profile";
import type { FakeProvider } from "#test/support/fake-provider";
import { type CallRecord, Streamed } from "./chat-world";
import { ADMIN, EVE, MODEL, RestrictedWorld, until } from "./restricted-world";

// A hub that starts while two other suites run takes its time.
setDefaultTimeout(120_000);

type Options = Parameters<typeof RestrictedWorld.open>[0];
type Detectors = ProfileBody["detectors"];
export type Family = keyof Detectors;
export type Rule = Detectors[Family]["rules"][number];

/** A profile that allows everything and finds what the baseline finds, but for what is said. */
export const profileOf = (more: Partial<ProfileBody> = {}): ProfileBody => ({
  risk_tier: "low",
  mode: "enforce",
  preset: "custom",
  fail_mode: "closed",
  detectors: detectorsOf(),
  models: { allow: ["*"], deny: [], max_output_tokens: null },
  tools: toolsOf(),
  data: { classes: [], regions: [], store_content: "none", retention_days: 1 },
  limits: limitsOf(),
  egress: { url_allow: null, urls: "allow", images: "allow" },
  streaming: { hold_back_chars: 16 },
  block_response: "error",
  disclosure: null,
  tunable: { max_threshold_delta: 0 },
  ...more,
});

/** The baseline's rules, and those given instead of a family's. */
export const detectorsOf = (rules: Partial<Record<Family, readonly Rule[]>> = {}): Detectors => {
  const family = (name: Family) => ({
    enabled: true,
    mode: "enforce" as const,
    monitor_until: null,
    rules: [...(rules[name] ?? presetRules(name, "balanced"))],
  });
  const [pii, secrets, prompt_injection, tools, custom] = FAMILIES.map(family);
  if (!(pii && secrets && prompt_injection && tools && custom)) throw new Error("a family is missing");
  return { pii, secrets, prompt_injection, tools, custom };
};

/** No rules at all: whatever is done about a text then comes from somewhere else. */
export const LOOSE: Partial<Record<Family, readonly Rule[]>> = {
  pii: [],
  secrets: [],
  prompt_injection: [],
  tools: [],
  custom: [],
};

export const toolsOf = (more: Partial<ProfileBody["tools"]> = {}): ProfileBody["tools"] => ({
  default: "allow",
  allow: [],
  effects: {},
  require_human: [],
  tainted_arguments: "allow",
  max_calls_per_conversation: null,
  ...more,
});

export const limitsOf = (more: Partial<ProfileBody["limits"]> = {}): ProfileBody["limits"] => ({
  requests_per_minute: null,
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
  concurrent: null,
  calls_per_conversation: null,
  ...more,
});

type Asking = { readonly conversation?: string; readonly token?: string; readonly signal?: AbortSignal };

/** An answer with its body read: JSON, whatever the status. */
export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly json: ReturnType<typeof JSON.parse>;
};

/** A hub with an agent of Eve's under a profile that the test writes. */
export class EnforcementWorld implements AsyncDisposable {
  private constructor(
    readonly world: RestrictedWorld,
    readonly agent: string,
    /** The agent's. */
    readonly token: string,
  ) {}

  /** What the tests do to it would have the hub restrict it by itself. */
  static async open({ env, ...options }: Options = {}): Promise<EnforcementWorld> {
    const quiet = { GUARDHOUSE_GUARD__AUTOMATIC_RESTRICTIONS: "off", ...env };
    const world = await RestrictedWorld.open({ ...options, env: quiet });
    return new EnforcementWorld(world, world.ids.agent, world.tokens.agent);
  }

  /** The same hub with a further agent of Eve's: one that has used nothing yet. */
  async another(): Promise<EnforcementWorld> {
    const { hub } = this.world;
    const name = `agent-${performance.now()}`;
    const { id } = await hub.createAgent(name, EVE);
    await hub.assignTools("files", EVE, name);
    const { token } = await hub.createToken(EVE, name);
    return new EnforcementWorld(this.world, id, token);
  }

  get provider(): FakeProvider {
    return this.world.provider;
  }

  /** Puts a profile in force and waits until the running hub holds the agent to it; its version. */
  async govern(more: Partial<ProfileBody> = {}): Promise<number> {
    const version = await this.publish(more);
    await until(async () => (await this.profile())?.version === version);
    return version;
  }

  /** Waits until the hub knows the agent. */
  ready(): Promise<void> {
    return until(async () => (await this.profile()) !== null);
  }

  private async profile(): Promise<{ version: number } | null> {
    const { status, json } = await this.get(`/v1/guard/agents/${this.agent}/profile`);
    return status === 200 ? json : null;
  }

  /** The same without waiting. */
  async publish(more: Partial<ProfileBody> = {}): Promise<number> {
    const { hub } = this.world;
    const file = await hub.writeFile(JSON.stringify(profileOf(more)));
    const { code, stderr, json } = await hub.cli("profile", "set", this.agent, "--file", file, "--as", ADMIN);
    if (code !== 0) throw new Error(stderr);
    return Object(json()).version;
  }

  async get(path: string, token = this.token): Promise<Reply> {
    return read(await this.world.hub.fetch(path, { token }));
  }

  /** OpenAI's client as the agent. It does not retry. */
  client(): OpenAI {
    return new OpenAI({ baseURL: `${this.world.hub.url}/v1`, apiKey: this.token, maxRetries: 0 });
  }

  send(body: object, { conversation, token = this.token, signal }: Asking = {}): Promise<Response> {
    const headers: Record<string, string> = conversation === undefined ? {} : { "x-conversation-id": conversation };
    const json = { model: MODEL, messages: [{ role: "user", content: "Hello there" }], ...body };
    return this.world.hub.fetch("/v1/chat/completions", { token, headers, json, ...(signal ? { signal } : {}) });
  }

  /** One whole chat completion. */
  async chat(body: object | string = {}, asking?: Asking): Promise<Reply> {
    return read(await this.send(bodyOf(body), asking));
  }

  /** The same, streamed, read to its end. */
  async stream(body: object | string = {}, asking?: Asking): Promise<Streamed> {
    const response = await this.send({ ...bodyOf(body), stream: true }, asking);
    return new Streamed(response, await response.text());
  }

  /** Status and error code on both roads: a refusal before the provider is the same on each. */
  async both(body: object = {}): Promise<[number, string | null][]> {
    const streamed = await this.send({ ...body, stream: true });
    const text = await streamed.text();
    const second = streamed.status === 200 ? null : JSON.parse(text).error.code;
    return [codeOf(await this.chat(body)), [streamed.status, second]];
  }

  /** One call of another API of models. */
  async post(path: string, json: object): Promise<Reply> {
    return read(await this.world.hub.fetch(path, { token: this.token, json }));
  }

  async scan(text: string, origin = "user"): Promise<Reply> {
    const json = { text, origin };
    return read(await this.world.hub.fetch("/v1/guard/scan", { token: this.token, json }));
  }

  /** One call through the tool gateway, in the minimal dialect. */
  async call(name: string, args: object = {}, { conversation }: Asking = {}): Promise<Reply> {
    const headers: Record<string, string> = conversation === undefined ? {} : { "x-conversation-id": conversation };
    const json = { method: "tools/call", params: { name, arguments: args } };
    return read(await this.world.hub.fetch("/mcp/gateway", { token: this.token, headers, json }));
  }

  /** Names of the tools it is listed, without the hub's own. */
  async tools(): Promise<string[]> {
    const json = { method: "tools/list" };
    const { json: body } = await read(await this.world.hub.fetch("/mcp/gateway", { token: this.token, json }));
    const names: string[] = body.tools.map(({ name }: { name: string }) => name);
    return names.filter((name) => !name.startsWith("guardhouse__")).sort();
  }

  /** The final record of the call this answered. */
  async record({ headers }: { readonly headers: Headers }): Promise<CallRecord> {
    const id = headers.get("x-request-id");
    const found: CallRecord[] = [];
    await until(async () => {
      const all = (await this.world.hub.cli("audit", "tail", "-n", "500")).json();
      if (Array.isArray(all)) found.push(...all.filter(({ call_id, phase }) => call_id === id && phase === "final"));
      return found.length > 0;
    });
    const [record] = found;
    if (!record) throw new Error("no record");
    return record;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world[Symbol.asyncDispose]();
  }
}

/** Status and error code of an answer. */
export const codeOf = ({ status, json }: Reply): [number, string | null] => [status, json.error?.code ?? null];

const bodyOf = (body: object | string): object =>
  typeof body === "string" ? { messages: [{ role: "user", content: body }] } : body;

const read = async (response: Response): Promise<Reply> => ({
  status: response.status,
  headers: response.headers,
  json: JSON.parse(await response.text()),
});
