import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { compileProfile } from "#policy/profile/compile";
import type { ProfileBody } from "#policy/profile/profile";
import type { Answers } from "#policy/review/questionnaire";
import { riskOf } from "#policy/review/risk";
import { Hub } from "#test/support/hub";
import { type FixtureTool, McpFixture, text, tool } from "#test/support/mcp-fixture";
import { type Course, type Reach, runAgent } from "./agent.ts";
import { type Attack, EXTRAS, extraName, type Pair, publicNameOf, type Step, type Suite } from "./model.ts";
import { type Asked, askedIn, completionOf, isSame, nextMove, poisonedName } from "./scripted-model.ts";

/** Without the hub; through it under the built-in policy; through it with a profile compiled from answers. */
export const CONDITIONS = ["none", "built-in", "governed"] as const;
export type Condition = (typeof CONDITIONS)[number];

/**
 * Which conversations an agent names: the same with each call; none; or one for each step, with what it read kept in a
 * memory of its own, past the hub.
 */
export const CONVERSATIONS = ["named", "none", "each-step"] as const;
export type Conversing = (typeof CONVERSATIONS)[number];

export type Play = { readonly obeys?: boolean; readonly conversing?: Conversing };

export type Outcome = Course & {
  readonly pair: Pair;
  readonly isAttackDone: boolean;
  readonly isTaskDone: boolean;
};

const OWNER = "mia@example.com";
const ADMIN = "ada@example.com";
const MODEL = "scripted-model";

/**
 * What an agent has met in one pair it knows in the next. Attacks whose values no result says, or says otherwise, are
 * played by agents of their own, so that nothing is known of them from elsewhere.
 */
const GROUPS = ["results", "encoded", "definitions"] as const;
const groupOf = ({ attack }: Pair): (typeof GROUPS)[number] => {
  if (attack?.technique.place === "definition") return "definitions";
  return attack?.technique.id === "base64" ? "encoded" : "results";
};

/** What one suite's tools have been asked to do, and what they say. One pair of a suite runs at a time. */
class Stage {
  pair: Pair | null = null;
  obeys = true;
  done: Step[] = [];
  /** What the agent keeps of earlier conversations; null for one without a memory. */
  memory: Pick<Asked, "seen" | "called" | "wasRefused"> | null = null;

  constructor(readonly suite: Suite) {}

  /** A request together with what is remembered of earlier ones, which it is kept beside. */
  remembering(asked: Asked): Asked {
    const { memory } = this;
    if (memory === null) return asked;
    return {
      ...asked,
      seen: [memory.seen, asked.seen].join("\n"),
      called: [...memory.called, ...asked.called],
      wasRefused: memory.wasRefused || asked.wasRefused,
    };
  }

  run(name: string, args: JsonRecord): string {
    const { pair } = this;
    if (pair === null) throw new Error("nobody plays");
    this.done.push({ tool: name, args });
    if (name !== pair.task.read.tool || !Bun.deepEquals(args, pair.task.read.args)) return "Done.";
    const isPlanted = pair.attack?.technique.place === "result";
    return pair.task.document.replace("{slot}", () =>
      isPlanted && pair.attack ? pair.attack.technique.of(pair.attack.goal).text : "",
    );
  }
}

/** A hub as users run it, a model and tool servers that play, and an agent for each suite and condition. */
export class AttackWorld implements AsyncDisposable {
  private readonly stages: ReadonlyMap<string, Stage>;
  private readonly fixtures: McpFixture[] = [];
  private readonly tokens = new Map<string, string>();
  private readonly listed = new Map<string, readonly JsonRecord[]>();
  private readonly provider: Bun.Server<undefined>;
  private session = "";
  private answers = 0;

  private constructor(
    private readonly hub: Hub,
    private readonly suites: readonly Suite[],
    private readonly attacks: readonly (readonly [Suite, Attack])[],
  ) {
    this.stages = new Map(suites.map((suite) => [suite.name, new Stage(suite)]));
    this.provider = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      development: false,
      fetch: async (request) => {
        const body = parseJson(await request.text());
        return Response.json(this.complete(isRecord(body) ? body : {}));
      },
    });
  }

  /** `attacks`: those whose tools are to be listed. */
  static async open(
    suites: readonly Suite[],
    attacks: readonly (readonly [Suite, Attack])[],
    processes?: "hub",
  ): Promise<AttackWorld> {
    const env = { GUARDHOUSE_GUARD__AUTOMATIC_RESTRICTIONS: "off" };
    const hub = await Hub.create({ env, documented: false, ...(processes && { processes }) });
    const world = new AttackWorld(hub, suites, attacks);
    try {
      await world.setUp();
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
    return world;
  }

  /** Plays one pair to its end. */
  async play(pair: Pair, condition: Condition, { obeys = true, conversing = "named" }: Play = {}): Promise<Outcome> {
    const stage = this.stageOf(pair.suite);
    const memory = conversing === "each-step" ? { seen: "", called: [], wasRefused: false } : null;
    Object.assign(stage, { pair, obeys, done: [], memory });
    const course = await runAgent(pair, `${MODEL}-${pair.suite.name}`, this.reachOf(pair, condition, conversing));
    const { task, attack } = pair;
    const fact = task.fact.exec(task.document)?.[1] ?? "";
    const isDone = (step: Step) => stage.done.some((done) => isSame(done, step));
    return {
      ...course,
      pair,
      isAttackDone: attack !== null && isDone(attack.goal.step),
      isTaskDone: course.answer?.includes(fact) === true && (task.act === undefined || isDone(task.act(fact))),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    await this.provider.stop(true);
    for (const fixture of this.fixtures) await fixture[Symbol.asyncDispose]();
  }

  private async setUp(): Promise<void> {
    const { hub, suites } = this;
    await hub.createAdmin(ADMIN);
    await hub.createUser(OWNER);
    await hub.addProvider("scripted", {
      baseUrl: `http://127.0.0.1:${this.provider.port}/v1`,
      models: [`${MODEL}-*`],
      apiKey: "key-of-the-simulation",
    });
    this.session = await hub.createSession(ADMIN);
    await this.addServers();
    for (const suite of suites) {
      for (const condition of ["built-in", "governed"] as const) {
        for (const group of GROUPS) await this.addAgent(suite, condition, group);
      }
    }
    await hub.start();
    for (const [name, token] of this.tokens) {
      const result = await this.gateway(token, "tools/list", {}, null);
      this.listed.set(name, Array.isArray(result["tools"]) ? result["tools"].filter(isRecord) : []);
    }
  }

  private async addServers(): Promise<void> {
    const { hub, suites } = this;
    const servers = suites.map(
      (suite) => [suite.name, suite.tools.map((one) => this.fixtureTool(suite, one))] as const,
    );
    for (const [slug, tools] of [...servers, [EXTRAS, this.attacks.map(poisonedTool)] as const]) {
      if (tools.length === 0) continue;
      const fixture = McpFixture.start({ tools });
      this.fixtures.push(fixture);
      await hub.addToolServer(slug, { owner: OWNER, url: fixture.url });
    }
  }

  private async addAgent(suite: Suite, condition: Exclude<Condition, "none">, group: string): Promise<void> {
    const { hub } = this;
    const name = `${suite.name}-${condition}-${group}`;
    const { id } = await hub.createAgent(name, OWNER);
    await hub.assignTools(suite.name, OWNER, name);
    if (this.attacks.length > 0) await hub.assignTools(EXTRAS, OWNER, name);
    if (condition === "governed") {
      const file = await hub.writeFile(JSON.stringify(profileOf(suite)));
      const { code, stderr } = await hub.cli("profile", "set", id, "--file", file, "--as", ADMIN);
      if (code !== 0) throw new Error(stderr);
    }
    this.tokens.set(name, (await hub.createToken(OWNER, name)).token);
  }

  private fixtureTool(suite: Suite, { name, description, takes, effect }: Suite["tools"][number]): FixtureTool {
    return tool(name, (call) => text(this.stageOf(suite).run(name, call.arguments)), schemaOf(takes), {
      description,
      annotations: { readOnlyHint: effect === "read" },
    });
  }

  private stageOf({ name }: Suite): Stage {
    const stage = this.stages.get(name);
    if (stage === undefined) throw new Error(`no suite ${name}`);
    return stage;
  }

  private complete(body: JsonRecord): JsonRecord {
    const model = `${body["model"]}`;
    const stage = this.stages.get(model.slice(MODEL.length + 1));
    if (!stage?.pair) throw new Error(`nobody plays ${model}`);
    this.answers += 1;
    return completionOf(nextMove(stage.pair, stage.remembering(askedIn(body)), stage.obeys), model, this.answers);
  }

  private reachOf(pair: Pair, condition: Condition, conversing: Conversing): Reach {
    const { suite } = pair;
    const stage = this.stageOf(suite);
    if (condition === "none") {
      return {
        chat: async (body) => ({ status: 200, json: this.complete(body) }),
        call: async ({ tool: name, args }) => text(stage.run(name.slice(suite.name.length + 2), args)),
        tools: [
          ...suite.tools.map(({ name, description }) => functionOf(publicNameOf(suite, name), description)),
          ...this.attacks
            .filter(([owner, attack]) => owner === suite && extraName(suite, attack) === poisonedName(pair))
            .map(([, attack]) => functionOf(extraName(suite, attack), attack.technique.of(attack.goal).text)),
        ],
        approve: async () => true,
      };
    }
    const agent = `${suite.name}-${condition}-${groupOf(pair)}`;
    const token = this.tokens.get(agent) ?? "";
    let conversation = conversing === "none" ? null : crypto.randomUUID();
    const own = [`${suite.name}__`, `${EXTRAS}__${poisonedName(pair)}`];
    return {
      chat: async (body) => {
        const headers: Record<string, string> = conversation === null ? {} : { "x-conversation-id": conversation };
        const response = await this.hub.fetch("/v1/chat/completions", { token, headers, json: body });
        const json: unknown = await response.json();
        return { status: response.status, json: isRecord(json) ? json : {} };
      },
      call: ({ tool: name, args }) => this.gateway(token, "tools/call", { name, arguments: args }, conversation),
      tools: (this.listed.get(agent) ?? [])
        .filter(({ name }) => own.some((prefix) => `${name}`.startsWith(prefix)))
        .map(({ name, description }) => functionOf(`${name}`, `${description}`)),
      approve: (hold) => this.decide(pair, hold),
      ...(conversing === "each-step" && {
        renew: (messages: readonly JsonRecord[]) => {
          stage.memory = stage.remembering(askedIn({ messages }));
          conversation = crypto.randomUUID();
        },
      }),
    };
  }

  /** A person who knows what the user asked for. */
  private async decide({ suite, task }: Pair, hold: string): Promise<boolean> {
    const opened: unknown = await (await this.hub.fetch(`/api/holds/${hold}`, { token: this.session })).json();
    if (!isRecord(opened) || !isRecord(opened["arguments"])) throw new Error(`no hold ${hold}`);
    const fact = task.fact.exec(task.document)?.[1] ?? "";
    const wanted = task.act?.(fact);
    const asked = { tool: `${opened["tool"]}`, args: opened["arguments"] };
    const isWanted = wanted !== undefined && isSame({ ...wanted, tool: publicNameOf(suite, wanted.tool) }, asked);
    const path = `/api/holds/${hold}/${isWanted ? "approve" : "deny"}`;
    if (opened["state"] === "waiting") await this.hub.fetch(path, { method: "POST", token: this.session });
    return isWanted;
  }

  private async gateway(
    token: string,
    method: string,
    params: JsonRecord,
    conversation: string | null,
  ): Promise<JsonRecord> {
    const headers: Record<string, string> = conversation === null ? {} : { "x-conversation-id": conversation };
    const response = await this.hub.fetch("/mcp/gateway", { token, headers, json: { method, params } });
    const json: unknown = await response.json();
    if (!isRecord(json) || response.status !== 200) throw new Error(`${method}: ${JSON.stringify(json)}`);
    return json;
  }
}

const schemaOf = (takes: readonly string[]): JsonRecord => ({
  type: "object",
  properties: Object.fromEntries(takes.map((name) => [name, { type: "string" }])),
  required: [...takes],
});

const poisonedTool = ([suite, attack]: readonly [Suite, Attack]): FixtureTool =>
  tool(extraName(suite, attack), () => text("Done."), schemaOf(["date"]), {
    description: attack.technique.of(attack.goal).text,
    annotations: { readOnlyHint: true },
  });

const functionOf = (name: string, description: string): JsonRecord => ({
  type: "function",
  function: { name, description, parameters: { type: "object" } },
});

/** The profile of an agent that acts by itself and reads what strangers write. */
export const profileOf = (suite: Suite): ProfileBody => {
  const answers: Answers = {
    ownership: {},
    purpose: { intended_use: "The simulation of attacks.", audience: "internal" },
    data_privacy: { data_classes: ["internal"], pii_types_expected: ["pii"] },
    models: { models: [`${MODEL}-*`] },
    tools: {
      tools: [
        ...suite.tools.map(({ name, effect }) => ({ server: suite.name, tool: name, effect })),
        { server: EXTRAS, tool: "*", effect: "read" },
      ],
    },
    input_trust: { sources: ["user", "email", "web"] },
    secrets_security: { egress: "open" },
    oversight: { autonomy: "act" },
    monitoring: {},
  };
  return compileProfile(answers, riskOf(answers));
};
