import type { Answers } from "#policy/review/questionnaire";
import { answers } from "#test/support/answers";
import type { HubOptions } from "#test/support/hub";
import { World } from "#test/support/world";

const PEOPLE = {
  owner: "member",
  sponsor: "member",
  stranger: "member",
  ann: "reviewer",
  bob: "reviewer",
  root: "admin",
  auditor: "auditor",
} as const;
export type Who = keyof typeof PEOPLE;

/** What `/api` answered. */
export type Answer = { readonly status: number; readonly json: ReturnType<typeof JSON.parse> };

/** A hub with everybody Agent Review takes: an owner, a sponsor, two reviewers, an administrator, and others. */
export class ReviewWorld extends World {
  #names = 0;

  static override async open(options: HubOptions = {}): Promise<ReviewWorld> {
    const people = entriesOf(PEOPLE).map(([who, role]) => [who, { role, session: true }] as const);
    return new ReviewWorld(await World.made({ ...options, seeds: { users: Object.fromEntries(people) } }));
  }

  email(who: Who): string {
    return emailOf(who);
  }

  id(who: Who): string {
    return this.userOf(who).id;
  }

  /** Answers that can be submitted: with a sponsor. */
  answers(more: Partial<Answers> = {}): Answers {
    return answers({ ownership: { sponsor: emailOf("sponsor") }, ...more });
  }

  /** `path` follows `/api`. */
  async as(
    who: Who,
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const sent = body === undefined ? {} : { json: body };
    const response = await this.hub.fetch(`/api${path}`, { method, headers, token: this.userOf(who).session, ...sent });
    return { status: response.status, json: await response.json() };
  }

  decide(who: Who, review: string, decision: string, content_hash: string, comment?: string): Promise<Answer> {
    return this.as(who, "POST", `/reviews/${review}/decisions`, { decision, content_hash, comment: comment ?? null });
  }

  /** Registers one; its id. */
  async agent(who: Who): Promise<string> {
    this.#names += 1;
    const { status, json } = await this.as(who, "POST", "/agents", { name: `agent-${this.#names}` });
    if (status !== 201) throw new Error(`no agent: ${JSON.stringify(json)}`);
    return json.id;
  }

  async submitted(who: Who, more: Partial<Answers> = {}, by: Who = who): Promise<{ agent: string; review: Review }> {
    const agent = await this.agent(who);
    const given = { answers: this.answers(more), submit: true };
    const { status, json } = await this.as(by, "POST", `/agents/${agent}/reviews`, given);
    if (status !== 201) throw new Error(`not submitted: ${JSON.stringify(json)}`);
    return { agent, review: json };
  }

  /** An agent of a low tier with its first profile; its id. */
  async approved(who: Who): Promise<string> {
    const { agent, review } = await this.submitted(who);
    const { json } = await this.decide("ann", review.id, "approve", review.content_hash);
    if (json.status !== "approved") throw new Error(`not approved: ${JSON.stringify(json)}`);
    return agent;
  }

  async token(who: Who, agent: string): Promise<string> {
    return (await this.hub.createToken(emailOf(who), agent)).token;
  }

  /** One call as that agent. */
  async chat(who: Who, agent: string, model: string): Promise<Answer> {
    const json = { model, messages: [{ role: "user", content: "Hello" }] };
    const response = await this.hub.fetch("/v1/chat/completions", { token: await this.token(who, agent), json });
    return { status: response.status, json: await response.json() };
  }

  /** Waits for a value that comes a moment later. */
  async eventually<T>(look: () => Promise<T | null>, withinMs = 60_000): Promise<T> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const found = await look();
      if (found !== null) return found;
      if (performance.now() > deadline) throw new Error("it never came");
      await Bun.sleep(50);
    }
  }

  /** Changes of governance, oldest first. */
  async records(): Promise<
    { kind: string; subject: string; actor: object; detail: Readonly<Record<string, unknown>> }[]
  > {
    const rows: unknown = (await this.hub.cli("audit", "tail", "-n", "1000")).json();
    if (!Array.isArray(rows)) throw new Error("no records");
    return rows
      .filter(({ change }) => change !== undefined)
      .map(({ kind, actor, change }) => ({ kind, actor, subject: change.subject_id, detail: change.detail }))
      .reverse();
  }
}

type Review = { readonly id: string; readonly content_hash: string; readonly [field: string]: unknown };

const emailOf = (who: Who): string => `${who}@example.com`;

const entriesOf = <K extends string, V>(record: Readonly<Record<K, V>>): [K, V][] => {
  const keys = Object.keys(record).filter((key): key is K => key in record);
  return keys.map((key) => [key, record[key]]);
};
