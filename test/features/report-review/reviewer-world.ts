import { Elysia } from "elysia";
import { Auditor } from "#audit/auditor";
import { reportReview } from "#features/report-review/feature";
import { Dispatcher } from "#guard/dispatcher";
import { OpenCalls } from "#guard/open-calls";
import { Scanner } from "#guard/scanner";
import { sessionAuth } from "#http/auth/session";
import { errors } from "#http/errors";
import { QueryChecks } from "#http/openapi/query-check";
import { partsOf } from "#hub/feature";
import { JobRunner } from "#hub/job-runner";
import { stores } from "#hub/stores";
import type { AuditRecord } from "#model/audit";
import type { HubEvent } from "#model/event";
import type { User } from "#model/person";
import { type Report, reportPurpose, sentContent } from "#model/report";
import type { Person, Session } from "#model/session";
import { systemIds } from "#platform/ids";
import { openSecret, sealSecret } from "#platform/sealing";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import type { SqliteStore } from "#store/sqlite/index";
import { QUIET } from "#test/guard/call-fixture";
import { someRecord } from "#test/store/records";
import { Breaker } from "#upstream/breaker";
import { NO_CREDENTIAL } from "#upstream/credentials/header-credential";
import { ProviderUpstream } from "#upstream/provider-upstream";
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
export class ReviewerWorld implements AsyncDisposable {
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
    const openCalls = new OpenCalls();
    this.beat = setInterval(() => openCalls.tick(performance.now()), 10);
    const dispatcher = new Dispatcher({
      ...{ retries: 0, retryBaseMs: 1, maxConcurrent: 100, random: () => 0.5 },
      sleep: async () => {},
    });
    if (options.url !== null) dispatcher.replace(["judges", "others"].map((name) => this.provider(name)));
    const clock = () => this.now;
    const policy = compilePolicy(DEFAULT_POLICY, 1, DETECTORS);
    const auditor = new Auditor(store.audit, QUIET);
    const web = new Elysia().use(errors(QUIET, () => []));
    const parts = partsOf(
      {
        ...{ store, now: clock, ids: systemIds, log: QUIET, bodyBytes: 100_000 },
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
        unseal: (purpose: string, sealed: string) => openSecret(KEY, purpose, sealed),
        scanner: new Scanner(policy, new Uint8Array(32), 0),
        policyInForce: () => policy,
        ...{ dispatcher, openCalls, auditor },
        writeRecord: (line: string) => auditor.writeLine(line),
        assertAcceptingWork: () => auditor.assertAcceptingWork(),
        onChanged: async () => {},
        policyResolver: { stopOf: () => null },
        emit: async ({ type }: HubEvent) => void this.told.push(type),
        suggestionMaker: {
          suggest: async ({ id }: Report) => {
            if (this.stop) throw this.stop;
            this.suggested.push(id);
            return null;
          },
        },
        auth: sessionAuth({
          authenticate: (key) => this.people.get(key) ?? null,
          isToken: () => false,
          onRefused: () => {},
          now: Date.now,
          queries: new QueryChecks(() => web.routes),
        }),
      },
      [stores, reportReview],
    );
    for (const routes of reportReview.routes(parts)) web.use(routes);
    this.web = web;
    this.jobs = new JobRunner({
      ...{ jobs: store.jobs, handlers: [parts.reportReview], worker: options.worker ?? "w1", log: QUIET },
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
    const upstream = new ProviderUpstream({
      ...{
        name,
        baseUrl: `${url}${name === "judges" ? "" : "/others"}`,
        kind: "openai",
        aliases: {},
        credential: NO_CREDENTIAL,
        breaker: new Breaker({ now: () => this.now }),
        firstByteMs: 60_000,
        answerBytes: 1_048_576,
      },
      reachability: new Reachability(60_000, () => this.now),
    });
    const apis = new Set(["chat"] as const);
    return { name, models: name === "judges" ? ["*"] : [], priority: name === "judges" ? 1 : 2, apis, upstream };
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
  fingerprint: null,
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
