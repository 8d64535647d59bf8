import { proposalOf } from "#features/tuning/suggestion-maker";
import { systemIds } from "#platform/ids";
import type { TuningChange, TuningMatch } from "#policy/tuning/rule";
import type { Suggestion } from "#policy/tuning/suggestion";
import { openSqliteStore, type SqliteStore } from "#store/sqlite/index";
import { REPORT } from "#test/store/looped";
import { someRecord } from "#test/store/records";
import { type Answer, ReviewWorld, type Who } from "./review-world";

/** A card number no golden sample has: the baseline redacts it in what users say. */
export const CARD = "4929 1753 0864 2719";
export const NEIGHBOUR = "4539 1488 0343 6467";

export type Agent = { readonly id: string; readonly owner: Who; readonly token: string; readonly human: string };

/** A hub whose suggestions come from the test: made in its store beside it, as a review would make them. */
export class TuningWorld implements AsyncDisposable {
  #texts = 0;

  /** The card's hash as the hub keeps it: keyed with a key of its own. */
  cardHash = "";

  private constructor(
    readonly people: ReviewWorld,
    readonly store: SqliteStore,
  ) {}

  static async open(): Promise<TuningWorld> {
    const people = await ReviewWorld.open();
    const store = await openSqliteStore({ dataDir: people.hub.dataDir, durability: "normal", writer: "inline" });
    const world = new TuningWorld(people, store);
    world.cardHash = await world.hashAsKept();
    return world;
  }

  /** An agent with a token of its own, and one of its owner. */
  async agent(owner: Who = "owner"): Promise<Agent> {
    const { people } = this;
    const id = await people.agent(owner);
    const human = await people.hub.createToken(people.email(owner));
    return { id, owner, token: await people.token(owner, id), human: human.token };
  }

  /** Read off a suggestion that was sent with the value itself. */
  private async hashAsKept(): Promise<string> {
    const { id, human } = await this.agent("sponsor");
    const wanted = { match: { types: ["pii"], value: { text: CARD, of: "match" } }, change: { op: "allow" } };
    const { json } = await this.guard(human, "POST", `/agents/${id}/tuning`, wanted);
    const suggestion = await this.store.suggestions.byId(json.id);
    const hash = suggestion?.match.value?.hash;
    if (hash === undefined) throw new Error(`no hash was kept: ${JSON.stringify(json)}`);
    return hash;
  }

  /** A suggestion that one card number is let pass, unless something else is said. */
  async suggested({ id: agent_id, owner }: Agent, more: Partial<Suggestion> = {}): Promise<string> {
    const match: TuningMatch = {
      types: ["pii.credit_card"],
      origins: ["user"],
      value: { hash: this.cardHash, of: "match" },
    };
    const change: TuningChange = { op: "allow" };
    const suggestion: Suggestion = {
      ...proposalOf({
        id: systemIds(),
        agent_id,
        user_id: this.people.id(owner),
        report_ids: [],
        kind: "value_exception",
        effect: "loosen",
        change,
        match,
        rationale: "One card number is a published example.",
        impact: { window_days: 14, decisions: 3, would_change: 1, would_release_confirmed: 0, coverage: 1 },
        base_revision: (await this.store.policies.latest())?.revision ?? 0,
        created_by: null,
        created_at: Date.now(),
        rule_id: null,
      }),
      ...more,
    };
    await this.store.suggestions.create(suggestion, someRecord());
    return suggestion.id;
  }

  /** Asked for by the agent's owner. */
  async asked(agent: Agent, more: Partial<Suggestion> = {}): Promise<string> {
    const id = await this.suggested(agent, more);
    const { status, json } = await this.guard(agent.human, "POST", `/tuning/${id}/request-approval`, {});
    if (status !== 202) throw new Error(`not asked for: ${JSON.stringify(json)}`);
    return id;
  }

  async approved(agent: Agent, more: Partial<Suggestion> = {}): Promise<string> {
    const id = await this.asked(agent, more);
    const { status, json } = await this.people.as("ann", "POST", `/tuning/${id}/approve`, {});
    if (status !== 200) throw new Error(`not approved: ${JSON.stringify(json)}`);
    return id;
  }

  /** In force; the rule's id. */
  async applied(agent: Agent, more: Partial<Suggestion> = {}): Promise<string> {
    const id = await this.approved(agent, more);
    const { status, json } = await this.guard(agent.human, "POST", `/tuning/${id}/apply`, {});
    if (status !== 200) throw new Error(`not applied: ${JSON.stringify(json)}`);
    return json.rule.id;
  }

  /** A confirmed report of the user's; its id. */
  async report(who: Who): Promise<string> {
    const id = systemIds();
    const report = {
      ...REPORT,
      id,
      user_id: this.people.id(who),
      token_id: null,
      agent_id: null,
      event_id: systemIds(),
    };
    await this.store.reports.open(report, { most: 100, since: 0 }, null, someRecord());
    return id;
  }

  /** `path` follows `/v1/guard`. */
  async guard(
    token: string,
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const sent = body === undefined ? {} : { json: body };
    const response = await this.people.hub.fetch(`/v1/guard${path}`, { method, token, headers, ...sent });
    return { status: response.status, json: await response.json() };
  }

  /** What a probe with that token says of a card number: in a text of its own, so that no verdict is remembered. */
  async actionOn(token: string, card = CARD): Promise<string> {
    this.#texts += 1;
    const { json } = await this.guard(token, "POST", "/scan", { text: `No. ${this.#texts}: my card is ${card}.` });
    const flag = json.flags.find(({ type }: { type: string }) => type === "pii.credit_card");
    return flag?.action ?? "none";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    await this.people[Symbol.asyncDispose]();
  }
}

export const codeOf = ({ status, json }: Answer): [number, string | null] => [status, json?.error?.code ?? null];
