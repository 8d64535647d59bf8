import { World } from "#test/support/world";
import { MODEL, PROVIDER_KEY } from "./chat-world";

/** Served by a provider that speaks Messages; the world's other one speaks OpenAI's APIs. */
export const CLAUDE = "claude-fake";

/** Whose token a client has: of a caller who may, of an agent with a limit of one call a minute, of a stopped agent. */
export type Caller = "eve" | "limited" | "stopped";

/** A hub with what stops calls, for clients that are to show it. Keys are blocked in answers too, and e-mail addresses redacted. */
export class ClientsWorld extends World {
  readonly openai = this.providerOf("openai");
  readonly anthropic = this.providerOf("anthropic");

  static override async open(): Promise<ClientsWorld> {
    const seeds = {
      users: { eve: {}, root: { role: "admin", session: true } },
      agents: { limited: { owner: "eve" }, stopped: { owner: "eve" } },
      tokens: {
        eve: { user: "eve" },
        limited: { user: "eve", agent: "limited" },
        stopped: { user: "eve", agent: "stopped" },
      },
      providers: {
        openai: { models: [MODEL], apiKey: PROVIDER_KEY },
        anthropic: { models: [CLAUDE], apiKey: PROVIDER_KEY, kind: "anthropic" },
      },
    };
    const rules = [{ type: "secret.aws_access_key", origins: ["output"], thresholds: { block: 0.5 } }];
    const env = {
      GUARDHOUSE_GUARD__ACTIONS: "pii.email=redact",
      GUARDHOUSE_GUARD__RULES: JSON.stringify(rules),
      GUARDHOUSE_UPSTREAM__RETRIES: "0",
    };
    const world = new ClientsWorld(await World.made({ seeds, env }));
    await world.#stop();
    return world;
  }

  async #stop(): Promise<void> {
    const { code, stderr } = await this.hub.cli(
      ...["killswitch", "on", "--level", "agent", "--target", this.agentOf("stopped").id, "--reason", "A test."],
    );
    if (code !== 0) throw new Error(stderr);
    const slow = { kind: "rate_limited", params: { requests_per_minute: 1 }, reason: "A test.", expires_in: "1h" };
    const path = `/api/agents/${this.agentOf("limited").id}/restrictions`;
    const { status } = await this.hub.fetch(path, { token: this.userOf("root").session, json: slow });
    if (status !== 201) throw new Error(`the agent was not limited: ${status}`);
  }
}
