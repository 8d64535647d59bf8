import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { fakeAccessKey, type LoopCast } from "./demo-set-up";
import { curlOf, type Station } from "./demo-tour";
import type { CliOutput } from "./output";

/** What one step sent and got. */
export type Step = { readonly title: string; readonly curl: string; readonly status: number; readonly answer: string };

const CHAT = "/v1/chat/completions";
const PATIENCE_MS = 15_000;
const POLL_MS = 100;

/** Blocked, and wrongly: the key is made up, and opens nothing. */
const exampleWith = (key: string): string =>
  `The tutorial shows the made-up access key ${key} so that readers know one.`;

const chat = (content: string) => ({ model: "guardhouse/echo", messages: [{ role: "user", content }] });

/** Plays the loop once: a wrong block is disputed, reviewed, approved and mended, and the mending taken back. */
export class DemoLoop {
  private readonly steps: Step[] = [];
  private readonly example = exampleWith(fakeAccessKey());

  constructor(
    private readonly url: string,
    private readonly cast: LoopCast,
    private readonly out: CliOutput,
  ) {}

  /** Throws an Error that names the step that went otherwise than it should. */
  async play(): Promise<readonly Step[]> {
    const eventId = await this.block();
    const reportId = await this.dispute(eventId);
    const suggestionId = await this.verdict(reportId);
    const rule = await this.approval(suggestionId);
    await this.mended();
    await this.takenBack(rule);
    return this.steps;
  }

  private async block(): Promise<string> {
    const blocked = await this.step("A false positive: the blocked key is an example", 400, {
      path: CHAT,
      token: this.cast.agentToken,
      body: chat(this.example),
    });
    return textIn(recordIn(blocked, "error"), "event_id");
  }

  private async dispute(event_id: string): Promise<string> {
    const body = { event_id, user_reason: "A made-up key.", reporter_confidence: "likely", share_content: true };
    const made = await this.step("The agent disputes the block", 201, {
      path: "/v1/guard/disputes",
      token: this.cast.agentToken,
      body,
    });
    return textIn(made, "miss_report_id");
  }

  private async verdict(reportId: string): Promise<string> {
    const station = { path: `/v1/guard/miss-reports/${reportId}`, token: this.cast.humanToken };
    const isReviewed = (answer: JsonRecord) => typeof answer["tuning_suggestion_id"] === "string";
    const reviewed = await this.step(
      "The reviewer model judged it twice; there is a tuning suggestion",
      200,
      station,
      isReviewed,
    );
    const id = textIn(reviewed, "tuning_suggestion_id");
    await this.step("The suggestion: the narrowest change that avoids the block", 200, {
      path: `/v1/guard/tuning/${id}`,
      token: this.cast.humanToken,
    });
    return id;
  }

  private async approval(id: string): Promise<{ readonly rule: string; readonly agent: string }> {
    const { humanToken, agentToken, reviewerSession } = this.cast;
    const at = (verb: string) => `/v1/guard/tuning/${id}/${verb}`;
    await this.step("An agent cannot apply it", 403, { path: at("apply"), token: agentToken, body: {} });
    await this.step("Nobody can apply it before approval", 409, { path: at("apply"), token: humanToken, body: {} });
    await this.step("The owner requests approval", 202, {
      path: at("request-approval"),
      token: humanToken,
      body: { note: "It blocks our tutorial." },
    });
    await this.step("A reviewer approves", 200, {
      path: `/api/tuning/${id}/approve`,
      token: reviewerSession,
      body: { comment: "Only this value." },
    });
    const applied = await this.step("The owner applies the change", 200, {
      path: at("apply"),
      token: humanToken,
      body: {},
    });
    const rule = recordIn(applied, "rule");
    return { rule: textIn(rule, "id"), agent: textIn(rule, "agent_id") };
  }

  private async mended(): Promise<void> {
    const { agentToken } = this.cast;
    await this.step("The same text now passes", 200, { path: CHAT, token: agentToken, body: chat(this.example) });
    await this.step("Any other key is still blocked", 400, {
      path: CHAT,
      token: agentToken,
      body: chat(exampleWith(fakeAccessKey())),
    });
  }

  private async takenBack({ rule, agent }: { rule: string; agent: string }): Promise<void> {
    const { humanToken, agentToken } = this.cast;
    await this.step("The rule is rolled back", 200, {
      path: `/v1/guard/agents/${agent}/tuning/${rule}`,
      token: humanToken,
      method: "DELETE",
    });
    await this.step("The text is blocked again", 400, { path: CHAT, token: agentToken, body: chat(this.example) });
  }

  private async step(
    title: string,
    status: number,
    wanted: Pick<Station, "path" | "token"> & { readonly body?: JsonRecord; readonly method?: string },
    isDone: (answer: JsonRecord) => boolean = () => true,
  ): Promise<JsonRecord> {
    const station: Asked = { ...wanted, method: wanted.method ?? (wanted.body ? "POST" : "GET") };
    const deadline = performance.now() + PATIENCE_MS;
    let seen = await ask(this.url, station);
    while (!isDone(seen.answer) && performance.now() < deadline) {
      await Bun.sleep(POLL_MS);
      seen = await ask(this.url, station);
    }
    const step: Step = { title, curl: curlLine(this.url, station), status: seen.status, answer: glimpse(seen.answer) };
    this.steps.push(step);
    await this.show(step);
    if (seen.status !== status || !isDone(seen.answer)) {
      throw new Error(`${title}: expected status ${status}, got ${seen.status}: ${step.answer}`);
    }
    return seen.answer;
  }

  private async show({ title, curl, status, answer }: Step): Promise<void> {
    if (this.out.json) return;
    const { paint } = this.out;
    const colour = status < 400 ? paint.good : paint.bad;
    const number = paint.accent(`${this.steps.length}.`);
    await this.out.write(`\n${number} ${paint.strong(title)}\n\n${curl}\n\n   ${colour(String(status))} ${answer}\n`);
  }
}

type Asked = Pick<Station, "path" | "token"> & { readonly body?: JsonRecord; readonly method: string };

const ask = async (
  url: string,
  { path, token, body, method }: Asked,
): Promise<{ status: number; answer: JsonRecord }> => {
  const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const answer = parseJson(await response.text());
  return { status: response.status, answer: isRecord(answer) ? answer : {} };
};

const curlLine = (url: string, { path, token, body, method }: Asked): string => {
  if (body && method === "POST") return curlOf(url, { title: "", stream: false, path, token, body });
  return `curl -s${method === "GET" ? "" : ` -X ${method}`} ${url}${path} -H 'Authorization: Bearer ${token}'`;
};

const MAX_GLIMPSE_LENGTH = 220;
/** What tells most of an answer, in one line. */
const TELLING = ["status", "llm_verdict", "llm_reasoning", "kind", "rationale", "impact", "policy_revision", "message"];

const glimpse = (answer: JsonRecord): string => {
  const told = isRecord(answer["error"]) ? answer["error"] : answer;
  const parts = TELLING.flatMap((key) => (told[key] == null ? [] : [`${key}: ${plain(told[key])}`]));
  const text = parts.length > 0 ? parts.join(" · ") : JSON.stringify(answer);
  return text.length > MAX_GLIMPSE_LENGTH ? `${text.slice(0, MAX_GLIMPSE_LENGTH)}…` : text;
};

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const recordIn = (answer: JsonRecord, key: string): JsonRecord => {
  const inner = answer[key];
  if (isRecord(inner)) return inner;
  throw new Error(`The response has no ${key}`);
};

const textIn = (answer: JsonRecord, key: string): string => {
  const text = answer[key];
  if (typeof text === "string") return text;
  throw new Error(`The response has no ${key}`);
};
