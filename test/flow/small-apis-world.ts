import OpenAI, { type ClientOptions } from "openai";
import type { AuditRecord, CallFacts } from "#model/audit";
import { type Reply, sends } from "#test/support/fake-provider";
import { World, type WorldOptions } from "#test/support/world";

/** Its token ids are known, and the provider serves it. */
export const EMBEDDING_MODEL = "text-embedding-3-small";
export const COMPLETION_MODEL = "davinci-002";
/** Looks like a key of Amazon's, and opens nothing. */
export const KEY = ["AKIA", "Q3EGRIVZTAX4RMRF"].join("");
export const MAIL = "jane.doe@example.net";

export const json = (body: unknown, style = {}): Reply =>
  sends([JSON.stringify(body)], { contentType: "application/json", ...style });

/** A hub with a user, an agent of theirs, and a provider of embeddings and completions. Redacts e-mail addresses, and blocks keys in answers too. */
export class SmallApisWorld extends World {
  readonly provider = this.providerOf("fake");
  readonly token = this.tokenOf("eve");

  static override async open(options: Omit<WorldOptions, "seeds"> = {}): Promise<SmallApisWorld> {
    const seeds = {
      users: { eve: {} },
      agents: { helper: { owner: "eve" } },
      tokens: { eve: { user: "eve" }, helper: { user: "eve", agent: "helper" } },
      providers: { fake: { models: ["text-embedding-*", "davinci-*", "fake-*"] } },
    };
    const rules = [{ type: "secret.aws_access_key", origins: ["output"], thresholds: { block: 0.5 } }];
    const env = { GUARDHOUSE_GUARD__ACTIONS: "pii.email=redact", GUARDHOUSE_GUARD__RULES: JSON.stringify(rules) };
    return new SmallApisWorld(await World.made({ ...options, seeds, env }));
  }

  client(options: ClientOptions = {}): OpenAI {
    return new OpenAI({ baseURL: `${this.hub.url}/v1`, apiKey: this.token, maxRetries: 0, ...options });
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.hub.fetch(path, { token: this.token, json: body, headers });
  }

  /** What the provider was sent last. */
  get received() {
    return this.provider.lastCall.body;
  }

  /** The final record of a call. */
  async recordOf(callId: string | null): Promise<AuditRecord & { readonly call: CallFacts }> {
    const { json: parsed } = await this.hub.cli("audit", "tail", "-n", "1000");
    const records: unknown = parsed();
    const own = Array.isArray(records) ? records.find((one) => one.call_id === callId && one.phase === "final") : null;
    if (!own) throw new Error(`no final record of ${callId}`);
    return own;
  }
}
