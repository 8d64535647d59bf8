import OpenAI from "openai";
import { KeepingProvider } from "#test/support/keeping-provider";
import { World, type WorldOptions } from "#test/support/world";

export const MODEL = "kept-model";

/** A hub with two providers that keep responses, two users and an agent. */
export class StateWorld extends World {
  private constructor(
    parts: Awaited<ReturnType<typeof World.made>>,
    readonly first: KeepingProvider,
    readonly second: KeepingProvider,
  ) {
    super(parts);
  }

  static override async open({ env = {} }: Pick<WorldOptions, "env"> = {}): Promise<StateWorld> {
    const [first, second] = [new KeepingProvider("one"), new KeepingProvider("two")];
    const parts = await World.made({
      seeds: {
        users: { eve: {}, mallory: {} },
        agents: { helper: { owner: "eve" } },
        tokens: { eve: { user: "eve" }, mallory: { user: "mallory" }, helper: { user: "eve", agent: "helper" } },
      },
      env: { GUARDHOUSE_GUARD__ACTIONS: "pii.email=redact", GUARDHOUSE_UPSTREAM__RETRIES: "0", ...env },
      before: async (hub) => {
        await hub.addProvider("one", { baseUrl: first.url, models: ["kept-*"], priority: 1 });
        await hub.addProvider("two", { baseUrl: second.url, models: ["kept-*", "other-*"], priority: 2 });
      },
    });
    return new StateWorld(parts, first, second);
  }

  client(token = "eve"): OpenAI {
    return new OpenAI({ baseURL: `${this.hub.url}/v1`, apiKey: this.tokenOf(token), maxRetries: 0 });
  }

  /** The final record of the call that this answered. */
  async recordOf(response: Pick<Response, "headers">): Promise<unknown> {
    const id = response.headers.get("x-request-id");
    for (;;) {
      const records: unknown = (await this.hub.cli("audit", "tail", "-n", "50")).json();
      const found = Array.isArray(records) ? records.find((one) => one.call_id === id && one.phase === "final") : null;
      if (found) return found;
      await Bun.sleep(20);
    }
  }

  /** How many final records the call has that this answered. */
  async finalsOf(response: Pick<Response, "headers">): Promise<number> {
    const id = response.headers.get("x-request-id");
    const records: unknown = (await this.hub.cli("audit", "tail", "-n", "50")).json();
    return Array.isArray(records)
      ? records.filter((one) => one.call_id === id && one.phase === "final").length
      : Number.NaN;
  }

  /** A call by hand: status, body and text. */
  async call(method: string, path: string, { token = "eve", json }: { token?: string; json?: object } = {}) {
    const asked = { token: this.tokenOf(token), method, ...(json && { json: { model: MODEL, ...json } }) };
    const response = await this.hub.fetch(path, asked);
    const text = await response.text();
    return { status: response.status, response, text, body: JSON.parse(text) };
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.first[Symbol.dispose]();
    this.second[Symbol.dispose]();
  }
}
