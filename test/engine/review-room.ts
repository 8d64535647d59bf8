import { Elysia } from "elysia";
import { assembleReportDesk } from "#assembly/report-desk";
import type { AuditRecord } from "#core/audit";
import type { User } from "#core/person";
import type { Report } from "#core/report";
import { reportPurpose, sentContent } from "#core/report-content";
import { DEFAULT_POLICY } from "#core/scan/defaults";
import { DETECTORS } from "#core/scan/detectors/index";
import { compilePolicy } from "#core/scan/policy";
import type { Person, Session } from "#core/session";
import { Auditor } from "#engine/auditor";
import { Dispatcher } from "#engine/dispatcher";
import { Heartbeat } from "#engine/heartbeat";
import { JobRunner } from "#engine/job-runner";
import { Scanner } from "#engine/scanner";
import { errors } from "#http/errors";
import { signedInPerson } from "#http/person";
import { QueryChecks } from "#http/query-check";
import { systemIds } from "#platform/ids";
import { openSecret, sealSecret } from "#platform/sealing";
import type { SqliteStore } from "#store/sqlite/index";
import { QUIET } from "#test/engine/room";
import { someRecord } from "#test/store/records";
import { OpenAiUpstream } from "#upstream/openai";
import { Reachability } from "#upstream/reachability";

export const MODEL = "judge-1";
export const START = 1_750_000_000_000;
/** The master key. */
export const KEY = new Uint8Array(32).fill(7);

export type Options = {
  /** Of the provider the reviewer is asked at; null for a hub without a reviewer. */
  readonly url: string | null;
  readonly provider?: string | null;
  readonly timeoutMs?: number;
  readonly dailyBudget?: number;
  readonly model?: string;
  readonly worker?: string;
};

/** A hub's reviewing of reports over a real store, without the rest of the hub. Its clock stands until it is moved. */
export class ReviewRoom implements AsyncDisposable {
  now = START;
  /** Reports that were found to ask for a change. */
  readonly suggested: string[] = [];
  readonly told: string[] = [];
  stop: Error | null = null;
  readonly jobs: JobRunner;
  private readonly web: { handle(request: Request): Promise<Response> };
  private readonly beat: ReturnType<typeof setInterval>;

  constructor(
    readonly store: SqliteStore,
    private readonly options: Options,
  ) {
    const heartbeat = new Heartbeat();
    this.beat = setInterval(() => heartbeat.beat(performance.now()), 10);
    const dispatcher = new Dispatcher({
      ...{ retries: 0, retryBaseMs: 1, maxConcurrent: 100, random: () => 0.5 },
      sleep: async () => {},
    });
    if (options.url !== null) dispatcher.replace(["judges", "others"].map((name) => this.provider(name)));
    const clock = () => this.now;
    const policy = compilePolicy(DEFAULT_POLICY, 1, DETECTORS);
    const { handler, routes } = assembleReportDesk(
      {
        ...{ store, clock, ids: systemIds, log: QUIET, limits: { bodyBytes: 100_000 } },
        reviewer:
          options.url === null
            ? null
            : {
                model: options.model ?? MODEL,
                provider: options.provider ?? null,
                timeoutMs: options.timeoutMs ?? 5_000,
                dailyBudget: options.dailyBudget ?? 1_000,
              },
        nonce: () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex"),
        tools: { unseal: (purpose, sealed) => openSecret(KEY, purpose, sealed) },
        scanner: new Scanner(policy, new Uint8Array(32), 0),
      },
      {
        ...{ dispatcher, heartbeat, auditor: new Auditor(store.audit, QUIET) },
        governor: { stopOf: () => null },
        emit: async ({ type }) => void this.told.push(type),
        suggestions: {
          suggest: async ({ id }) => {
            if (this.stop) throw this.stop;
            this.suggested.push(id);
            return null;
          },
        },
        door: signedInPerson({
          authenticate: (key) => this.people.get(key) ?? null,
          isToken: () => false,
          onRefused: () => {},
          now: Date.now,
          queries: new QueryChecks(() => []),
        }),
      },
    );
    this.web = new Elysia().use(errors(QUIET, () => [])).use(routes);
    this.jobs = new JobRunner({
      ...{ jobs: store.jobs, handlers: [handler], worker: options.worker ?? "w1", log: QUIET },
      now: clock,
    });
  }

  private readonly people = new Map<string, Person>();

  /** Somebody who is signed in; their address and their key are their name. */
  async person(name: string, role: User["role"]): Promise<User> {
    const user: User = {
      id: systemIds(),
      email: `${name}@example.com`,
      name,
      role,
      state: "active",
      created_at: START,
    };
    await this.store.users.create(user, null, someRecord());
    this.people.set(name, { user, session: { ...sessionOf({ id: name, user_id: user.id }), confirmed_at: null } });
    return user;
  }

  private async reporter(id: string): Promise<void> {
    if ((await this.store.users.list()).some((user) => user.id === id)) return;
    const user = {
      id,
      email: `${id}@example.com`,
      name: null,
      role: "member",
      state: "active",
      created_at: START,
    } as const;
    await this.store.users.create(user, null, someRecord());
  }

  /** Posts a report, as the guard's endpoint does, and queues its review. */
  async report(content: string | null, more: Partial<Report> = {}): Promise<string> {
    const id = systemIds();
    const sealed =
      content === null ? null : sealSecret(KEY, reportPurpose(id), JSON.stringify(sentContent(content, null)));
    const report: Report = {
      ...REPORT,
      id,
      event_id: systemIds(),
      sealed_content: sealed,
      created_at: this.now,
      ...more,
    };
    await this.reporter(report.user_id);
    const job = { id: systemIds(), kind: "report.review", ref: id, run_at: this.now, attempts: 0 } as const;
    const opened = await this.store.reports.open(report, { most: 1_000, since: 0 }, job, someRecord());
    if (opened.kind !== "created") throw new Error("not created");
    return id;
  }

  async byId(id: string): Promise<Report> {
    const report = await this.store.reports.byId(id);
    if (!report) throw new Error("no such report");
    return report;
  }

  /** Posts one and reviews it. */
  async reviewed(content: string | null, more: Partial<Report> = {}): Promise<Report> {
    const id = await this.report(content, more);
    await this.jobs.tick();
    return this.byId(id);
  }

  async api(who: string, method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${who}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.web.handle(new Request(`http://localhost/api${path}`, { method, headers, ...sent }));
    const text = await response.text();
    const json: ReturnType<typeof JSON.parse> = text.startsWith("{") ? JSON.parse(text) : { text };
    return { status: response.status, json };
  }

  /** Of a kind, oldest first. */
  async records(kind: string): Promise<AuditRecord[]> {
    const found: AuditRecord[] = [];
    for await (const { body } of this.store.audit.read({})) {
      const record: AuditRecord = JSON.parse(body);
      if (record.kind === kind) found.push(record);
    }
    return found;
  }

  private provider(name: string) {
    const { url } = this.options;
    const upstream = new OpenAiUpstream({
      ...{
        name,
        baseUrl: `${url}${name === "judges" ? "" : "/others"}`,
        apiKey: null,
        firstByteMs: 60_000,
        answerBytes: 1_048_576,
      },
      reachability: new Reachability(60_000, () => this.now),
    });
    return { name, models: name === "judges" ? ["*"] : [], priority: name === "judges" ? 1 : 2, upstream };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.jobs.stop();
    clearInterval(this.beat);
  }
}

const sessionOf = ({ id, user_id }: Pick<Session, "id" | "user_id">): Session => ({
  ...{ id, user_id, hash: "", state: "active" },
  ...{ expires_at: Number.MAX_SAFE_INTEGER, created_at: START },
});

const REPORT: Report = {
  id: "",
  direction: "false_positive",
  status: "submitted",
  user_id: "u1",
  token_id: null,
  agent_id: null,
  event_id: null,
  flag_types: [],
  user_reason: null,
  severity_estimate: null,
  reporter_confidence: null,
  conversation_id: null,
  share_content: true,
  questionnaire_section: "input_trust",
  sealed_content: null,
  llm_verdict: null,
  llm_confidence: null,
  llm_reasoning: null,
  tuning_suggestion_id: null,
  decision: null,
  decided_by: null,
  decided_at: null,
  created_at: START,
  updated_at: START,
  closed_at: null,
  revision: 1,
};
