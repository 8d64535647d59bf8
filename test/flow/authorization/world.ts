import { createHash, randomBytes } from "node:crypto";
import { isRecord } from "#core/json/json";
import { systemIds } from "#platform/ids";
import { Browser } from "#test/flow/browser";
import type { Answer, Who } from "#test/flow/review-world";
import { TuningWorld } from "#test/flow/tuning-world";
import { beside } from "#test/support/database";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import type { Name, PersonName, Thing } from "./rules";

const KEY = ["AKIA", "Q3EGRIVZTAX4RMRF"].join("");
const CALLBACK = "http://127.0.0.1:7777/callback";
const PASSWORD = "correct horse battery";
const OLD = "old@example.com";
const GONE = "gone@example.com";
const ANALYST = "analyst@example.com";
const AN_HOUR_MS = 3_600_000;
const FILES = { name: "files__send", arguments: { to: "ann" } };

/** A hub in which one of everything belongs to somebody, and all who may or may not have to do with it. */
export class AuthorizationWorld implements AsyncDisposable {
  readonly things = new Map<Thing, string>();
  readonly keys = new Map<Name, string>();
  /** The session key of an administrator who is disabled. */
  gone = "";

  private constructor(
    private readonly tuning: TuningWorld,
    private readonly fixture: McpFixture,
    /** An administrator whose sign-in is an hour old. */
    readonly stale: Browser,
  ) {}

  static async open(): Promise<AuthorizationWorld> {
    const fixture = McpFixture.start({ tools: [tool("send", () => text("sent"))] });
    const tuning = await TuningWorld.open();
    const world = new AuthorizationWorld(tuning, fixture, new Browser(tuning.people.hub));
    await world.admit();
    await world.fill();
    await world.age();
    return world;
  }

  get hub() {
    return this.tuning.people.hub;
  }

  /** Changes of governance there are on record, and by whom. */
  changes() {
    return this.tuning.people.records();
  }

  /** Everybody gets a key. */
  private async admit(): Promise<void> {
    const { people } = this.tuning;
    const who = { owner: "owner", stranger: "stranger", reviewer: "ann", auditor: "auditor", admin: "root" } as const;
    for (const [name, one] of Object.entries(who)) {
      if (isPerson(name)) this.keys.set(name, (await this.session(people.email(one))).key);
    }
    await this.hub.createUser(ANALYST, "--role", "analyst");
    this.keys.set("analyst", (await this.session(ANALYST)).key);
    const gone = await this.hub.createUser(GONE, "--role", "admin");
    this.gone = (await this.session(GONE)).key;
    await this.made("root", "PATCH", `/users/${gone.id}`, { state: "disabled" });
    this.keys.set("stranger's token", (await this.hub.createToken(people.email("stranger"))).token);
    const { link } = await this.made("root", "POST", "/users", { email: OLD, role: "admin" });
    await this.enter(this.stale, link, OLD);
  }

  private async fill(): Promise<void> {
    const { tuning, things, keys } = this;
    const { people } = tuning;
    const agent = await tuning.agent("owner");
    keys.set("owner's token", agent.human);
    keys.set("agent's token", agent.token);
    things.set("agent", agent.id);
    things.set("governed", await people.approved("owner"));
    things.set("rule", await tuning.applied(agent));
    things.set("suggestion", await tuning.suggested(agent));
    things.set("ownSuggestion", await tuning.suggested(agent));
    things.set("review", (await people.submitted("owner")).review.id);
    await this.hold();
    await this.report(agent.human);
    things.set("token", (await this.hub.createToken(people.email("owner"))).id);
    things.set("user", (await this.hub.createUser("other@example.com")).id);
    await this.operate();
    await this.connect();
    // A link that signs somebody in ends what they were signed in with.
    keys.set("owner", (await this.session(people.email("owner"))).key);
    things.set("session", (await this.session(people.email("owner"))).id);
  }

  /** An agent that is held back, and a call of its that waits for a person. */
  private async hold(): Promise<void> {
    const { people } = this.tuning;
    const id = await people.agent("owner");
    const owner = people.email("owner");
    const server = await this.hub.addToolServer("files", { owner, url: this.fixture.url });
    await this.hub.assignTools("files", owner, id);
    const restriction = {
      kind: "human_approval",
      params: { tools: [FILES.name] },
      reason: "A test.",
      expires_in: "1h",
    };
    const made = await this.made("root", "POST", `/agents/${id}/restrictions`, restriction);
    const json = { method: "tools/call", params: FILES };
    const answer = await (
      await this.hub.fetch("/mcp/gateway", { token: await people.token("owner", id), json })
    ).json();
    this.things.set("restricted", id);
    this.things.set("server", server.id);
    this.things.set("restriction", made.id);
    this.things.set("hold", answer._meta["guardhouse/guard"].hold_id);
  }

  /** A call that was blocked, and what its caller says of that. */
  private async report(token: string): Promise<void> {
    const messages = [{ role: "user", content: `My key is ${KEY}, keep it safe.` }];
    const blocked = await this.hub.fetch("/v1/chat/completions", {
      token,
      json: { model: "guardhouse/echo", messages },
    });
    const { event_id } = (await blocked.json()).error;
    const call = await this.tuning.people.eventually(async () => {
      const { status, json } = await this.tuning.people.as("owner", "GET", `/calls/${event_id}`);
      return status === 200 ? json : null;
    });
    const made = await this.hub.fetch("/v1/guard/disputes", { token, json: { event_id } });
    this.things.set("call", call.call_id);
    this.things.set("report", (await made.json()).miss_report_id);
  }

  /** A program that the owner let in. */
  private async connect(): Promise<void> {
    const { people } = this.tuning;
    const browser = new Browser(this.hub);
    const { link } = await this.made("root", "POST", `/users/${people.id("owner")}/invitation`);
    await this.enter(browser, link, people.email("owner"));
    const registered = await this.hub.fetch("/api/auth/oauth2/register", { json: { redirect_uris: [CALLBACK] } });
    const { client_id } = await registered.json();
    const challenge = createHash("sha256").update(randomBytes(32).toString("base64url")).digest("base64url");
    const query = new URLSearchParams({
      ...{ response_type: "code", client_id, redirect_uri: CALLBACK, scope: "mcp:tools" },
      ...{ code_challenge: challenge, code_challenge_method: "S256", resource: `${this.hub.url}/mcp/gateway` },
    }).toString();
    await browser.send(`/api/auth/oauth2/authorize?${query}`);
    const said = await browser.send("/api/auth/oauth2/consent", { json: { query, accept: true, tools: ["*"] } });
    if (said.status !== 200) throw new Error(`not let in: ${await said.text()}`);
    this.things.set("client", client_id);
  }

  /** What administrators look after. */
  private async operate(): Promise<void> {
    await this.hub.addProvider("spare", { baseUrl: "http://127.0.0.1:1/v1", models: ["spare-*"] });
    const { data } = await this.made("root", "GET", "/providers");
    this.things.set("provider", data.find(({ name }: { name: string }) => name === "spare").id);
    const view = { screen: "calls", name: "Refused", query: "decision=refused", is_shared: false };
    this.things.set("view", (await this.made("owner", "PUT", "/views", view)).id);
    const hook = { url: "https://hooks.invalid/", events: ["webhook.test"] };
    const webhook = await this.made("root", "POST", "/webhooks", hook);
    this.things.set("webhook", webhook.id);
    const source = await this.made("root", "POST", "/hook-sources", { name: "claude", kind: "anthropic" });
    this.things.set("hookSource", source.id);
    this.things.set("delivery", (await this.made("root", "POST", `/webhooks/${webhook.id}/test`)).id);
    const rule = await this.made("root", "POST", "/alert-rules", { kind: "drift", name: "Drift" });
    this.things.set("alertRule", rule.id);
    const chat = { name: "chat", kind: "slack", url: "https://hooks.invalid/" };
    this.things.set("alertDestination", (await this.made("root", "POST", "/alert-destinations", chat)).id);
    const silence = { until: new Date(Date.now() + 3_600_000).toISOString(), reason: "A test." };
    this.things.set("alertSilence", (await this.made("root", "POST", "/alert-silences", silence)).id);
    await this.alert();
    const stop = { level: "model", target: "none-*", reason: "A test." };
    this.things.set("killswitch", (await this.made("root", "POST", "/killswitch", stop)).id);
    const entry = { name: "com.example/files", description: "Files", version: "1.0.0" };
    const imported = await this.made("root", "POST", "/registry/imports", { document: entry });
    this.things.set("serverProposal", imported.proposed[0].id);
    const { revision } = await this.made("root", "GET", "/policy");
    const changes = [{ type: "pii.credit_card", origins: ["user"], thresholds: { flag: 0.5 } }];
    const wanted = { base_revision: revision, changes, reason: "A test." };
    this.things.set("proposal", (await this.made("root", "PUT", "/policy", wanted)).id);
    await this.made("root", "POST", "/backups");
    const backup = await this.tuning.people.eventually(async () => {
      const { json } = await this.tuning.people.as("root", "GET", "/backups");
      return json.data[0]?.name ?? null;
    });
    this.things.set("backup", backup);
  }

  /** One that is over. */
  private async alert(): Promise<void> {
    const id = systemIds();
    const times = { since: 1, fired_at: 2, clear_since: 3, told_at: 2, resolved_at: Date.now() };
    const measured = { value: 0, peak: 1, threshold: 0, window_seconds: 60 };
    const about = { rule_id: "drift", rule_name: "Drift", kind: "drift", subject: "", label: null } as const;
    const alert = { id, ...about, ...measured, ...times, severity: "warning", state: "resolved" } as const;
    await this.tuning.store.alerts.save([alert], []);
    this.things.set("alert", id);
  }

  private async age(): Promise<void> {
    beside(this.hub, (db) =>
      db.run("UPDATE auth_session SET created_at = created_at - ?1, confirmed_at = confirmed_at - ?1", [AN_HOUR_MS]),
    );
  }

  private async session(email: string): Promise<{ key: string; id: string }> {
    const made: unknown = (await this.hub.cli("session", "create", email)).json();
    if (!isRecord(made)) throw new Error(`no session for ${email}`);
    return { key: `${made["key"]}`, id: `${made["id"]}` };
  }

  private async enter(browser: Browser, link: string, email: string): Promise<void> {
    const token = /#(.+)$/.exec(link)?.[1] ?? "";
    await browser.send("/api/auth/invitation/accept", { json: { token, password: PASSWORD } });
    await browser.signIn(email, PASSWORD);
    if ((await browser.me()) !== email) throw new Error(`${email} is not signed in`);
  }

  private async made(who: Who, method: string, path: string, body?: object): Promise<Answer["json"]> {
    const { status, json } = await this.tuning.people.as(who, method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    return json;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tuning[Symbol.asyncDispose]();
    await this.fixture[Symbol.asyncDispose]();
  }
}

const isPerson = (name: string): name is PersonName => name in PERSONS;
const PERSONS = { owner: 1, stranger: 1, analyst: 1, auditor: 1, reviewer: 1, admin: 1 } satisfies Record<
  PersonName,
  1
>;
