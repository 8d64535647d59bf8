import { GuardError } from "#core/errors";
import { isRecord, parseJson } from "#core/json/json";
import type { PrincipalCache } from "#identity/principal-cache";
import type { Agent } from "#model/agent";
import type { AuditRecord } from "#model/audit";
import { decisionOf } from "#model/call-entry";
import { type Actor, changeRecord } from "#model/change";
import { APPLICATION_NAME, DEFAULT_BUDGET_MS, type HookSource, SOURCE_NAME } from "#model/hook-source";
import type { User } from "#model/person";
import type { SourceKind } from "#model/verdict";
import { type Clock, timestamp } from "#platform/clock";
import { rotatedSecrets, sealExpiring } from "#platform/expiring-secrets";
import { type Ids, isUuid } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import { newSigningSecret } from "#platform/signing-secret";
import { signingKey } from "#platform/standard-webhooks";
import type { CallIndex } from "#store/call-index-port";
import type { HookSourceStore } from "#store/hook-source-port";
import type { AgentStore, UserStore } from "#store/port";
import type { AskHub } from "#upstream/outbound-port";
import { type KnownSource, type SourceBook, secretPurpose } from "./book";
import { NOBODY, SourceCallers } from "./callers";
import type {
  HookSourceActivity,
  HookSourceRotation,
  HookSourceTest,
  HookSourceView,
  IssuedHookSource,
  NewHookSource,
  SeenHookSource,
} from "./schema";
import { SOURCE_PATHS, testFrameOf } from "./test-frame";

const MAX_SOURCES = 50;
const USUAL_GRACE_S = 3_600;
const DAY_MS = 86_400_000;
/** How long the call index is asked, in milliseconds. */
const PATIENCE_MS = 200;

type IssueToken = (
  by: Actor,
  wanted: { readonly user: User; readonly agent: Agent | null; readonly name: string; readonly lifetimeMs: null },
) => Promise<{ readonly token: { readonly id: string }; readonly secret: string }>;

export type SourceServiceNeeds = {
  readonly store: HookSourceStore;
  readonly book: SourceBook;
  readonly users: Pick<UserStore, "byId" | "ofRoles">;
  readonly agents: Pick<AgentStore, "byId">;
  readonly principals: PrincipalCache;
  readonly calls: Pick<CallIndex, "search" | "values">;
  readonly issueToken: IssueToken;
  readonly revokeToken: (by: Actor, id: string) => Promise<unknown>;
  readonly ask: AskHub;
  readonly publicUrl: () => string;
  readonly sealing: Sealing;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Hook sources, for administrators. Every change writes its audit record in the same step; secrets are in none. */
export class SourceService {
  constructor(private readonly deps: SourceServiceNeeds) {}

  /** Those of the configuration first, each with what came from it. */
  async list(): Promise<SeenHookSource[]> {
    const rows = await this.deps.store.list();
    const stored = this.deps.book.known(rows);
    const configured = this.deps.book.all.filter(({ given_by }) => given_by === "configuration");
    return Promise.all(
      [...configured, ...stored].map(async (source) => ({
        ...this.view(source),
        activity: await this.activityOf(source),
      })),
    );
  }

  /** Throws `invalid_value`, `not_found`, `already_exists`; `state_conflict` when there are too many. */
  async add(by: Actor, wanted: NewHookSource): Promise<IssuedHookSource> {
    const { store, ids, now, book } = this.deps;
    const { name, kind, applications = {}, redact = "deny", budget_ms = DEFAULT_BUDGET_MS[kind] } = wanted;
    mustBeNamed("name", SOURCE_NAME, name);
    for (const application of Object.keys(applications)) mustBeNamed("applications", APPLICATION_NAME, application);
    const agent = await this.agent(wanted.agent_id ?? null, "agent_id");
    for (const id of Object.values(applications)) await this.agent(id, "applications");
    const user = await this.user(wanted.user_id ?? agent?.owner_id ?? by.user_id);
    if (book.all.some((one) => one.name === name)) throw taken();
    const id = ids();
    const made = await this.secretFor(by, { id, name, kind, user, agent }, wanted.secret ?? null);
    const source: HookSource = {
      ...{ id, name, kind, user_id: user.id, agent_id: agent?.id ?? null },
      settings: { applications, redact, budget_ms },
      sealed_secrets: made.sealed,
      token_id: made.token_id,
      created_by: by.user_id,
      created_at: now(),
    };
    const detail = { name, kind, user_id: user.id, agent_id: source.agent_id, ...source.settings };
    const outcome = await store.add(source, this.record(by, "add", id, detail), MAX_SOURCES);
    if (outcome !== "done" && made.token_id !== null) await this.deps.revokeToken(by, made.token_id);
    if (outcome === "taken") throw taken();
    if (outcome === "full") {
      throw new GuardError("state_conflict", `The limit of ${MAX_SOURCES} sources is reached. Remove one first.`);
    }
    return { ...this.viewOf(source), secret: made.shown };
  }

  /** A new secret; the old one is accepted until the grace is over. Throws `not_found`, `invalid_value`, `state_conflict`. */
  async rotate(
    by: Actor,
    idOrName: string,
    { grace = USUAL_GRACE_S, secret }: HookSourceRotation,
  ): Promise<IssuedHookSource> {
    const { store, now, sealing } = this.deps;
    const source = await this.stored(idOrName);
    if (source.kind === "litellm") {
      throw new GuardError("state_conflict", "Rotate the gateway token of this source, under Settings, Keys.");
    }
    const next = secret === undefined ? newSecretOf(source.kind) : goodSecret(source.kind, secret);
    const purpose = secretPurpose(source.id);
    const ends = now() + grace * 1_000;
    const secrets = rotatedSecrets({ purpose, sealed: source.sealed_secrets }, next, ends, sealing);
    const record = this.record(by, "rotate", source.id, { name: source.name, old_ends_at: timestamp(ends) });
    if (!(await store.replaceSecrets(source, secrets, record))) throw noSource();
    return { ...this.viewOf({ ...source, sealed_secrets: secrets }), secret: secret === undefined ? next : null };
  }

  /** With its secrets, and its gateway token where it has one. Throws `not_found`, `state_conflict`. */
  async remove(by: Actor, idOrName: string): Promise<HookSourceView> {
    const source = await this.stored(idOrName);
    const { id, name, kind, token_id } = source;
    // First: a source that is gone with its token left could not be removed again.
    if (token_id !== null) await this.deps.revokeToken(by, token_id);
    if (!(await this.deps.store.remove(id, this.record(by, "remove", id, { name, kind })))) throw noSource();
    return this.viewOf(source);
  }

  /** Sends a frame, as the source would, to the hub's public address. Throws `not_found`, `state_conflict`. */
  async test(idOrName: string): Promise<HookSourceTest> {
    const { ids, now, ask } = this.deps;
    const source = await this.known(idOrName);
    const [secret] = source.secrets();
    const frame = secret === undefined ? null : testFrameOf(source.kind, { secret, id: ids(), now: now() });
    if (frame === null) {
      throw new GuardError("state_conflict", "The hub does not keep what this source asks with. Test it from there.");
    }
    const url = this.urlOf(source, frame.path);
    const begun = performance.now();
    const asked = await ask(url, { headers: frame.headers, body: frame.body });
    const ms = Math.round((performance.now() - begun) * 10) / 10;
    const said = parseJson(asked.text);
    const answer = asked.status === 200 ? answerIn(said) : null;
    return {
      object: "hook_source_test",
      ...{ ok: answer !== null, url, status: asked.status, answer, ms, call_id: asked.requestId },
      problem: answer === null ? (asked.error ?? problemIn(said)) : null,
    };
  }

  private async secretFor(
    by: Actor,
    { id, name, kind, user, agent }: Pick<HookSource, "id" | "name" | "kind"> & { user: User; agent: Agent | null },
    given: string | null,
  ): Promise<{ readonly sealed: string[]; readonly token_id: string | null; readonly shown: string | null }> {
    if (kind === "litellm") {
      if (given !== null) {
        throw new GuardError("invalid_value", "LiteLLM asks with a gateway token, which the hub makes.", {
          param: "secret",
        });
      }
      const { token, secret } = await this.deps.issueToken(by, {
        user,
        agent,
        name: `Hook source ${name}`,
        lifetimeMs: null,
      });
      return { sealed: [], token_id: token.id, shown: secret };
    }
    const secret = given === null ? newSecretOf(kind) : goodSecret(kind, given);
    const sealed = sealExpiring(secretPurpose(id), secret, null, this.deps.sealing);
    return { sealed: [sealed], token_id: null, shown: given === null ? secret : null };
  }

  private viewOf(row: HookSource): HookSourceView {
    const [source] = this.deps.book.known([row]);
    if (source === undefined) throw taken();
    return this.view(source);
  }

  private view(source: KnownSource): HookSourceView {
    const { id, name, kind, settings, given_by, created_at } = source;
    const { principals } = this.deps;
    const callers = new SourceCallers(principals);
    const user = callers.userOf(source);
    const agent = callers.agentNamed(source.agent, user);
    const named = (one: string) => callers.agentNamed(one, user);
    const applications = Object.entries(settings.applications).flatMap(([application, one]) => {
      const found = named(one);
      return found === null ? [] : [[application, { id: found.id, name: found.name }] as const];
    });
    return {
      object: "hook_source",
      ...{ id, name, kind, user: user?.email ?? null, agent: agent?.name ?? null, agent_id: agent?.id ?? null },
      ...{ applications: Object.fromEntries(applications), redact: settings.redact, budget_ms: settings.budget_ms },
      ...{ url: this.urlOf(source, SOURCE_PATHS[kind]), given_by, secrets: source.secrets().length },
      problem: problemOf(callers, source),
      created_at: created_at === null ? null : timestamp(created_at),
    };
  }

  /** What is entered in the system. Where several of a kind sign, each says which it is. */
  private urlOf({ name, kind }: KnownSource, path: string): string {
    const base = `${this.deps.publicUrl()}${path}`;
    return kind === "litellm" || kind === "copilot-studio" ? base : `${base}?source=${encodeURIComponent(name)}`;
  }

  private async activityOf({ id, token_id }: KnownSource): Promise<HookSourceActivity> {
    const { calls, now } = this.deps;
    const own = { token_id: token_id ?? id };
    const all = { scope: null, patienceMs: PATIENCE_MS };
    const [{ rows }, { values }] = await Promise.all([
      calls.search({ filter: own, ...all, before: null, limit: 1 }),
      calls.values({ filter: { ...own, since: now() - DAY_MS }, ...all, by: "decision", order: "calls", most: 20 }),
    ]);
    return {
      last: rows[0] === undefined ? null : lastOf(parseJson(rows[0].body)),
      decisions: values.map(({ value, sum }) => ({ decision: value, calls: sum.calls })),
    };
  }

  private async known(idOrName: string): Promise<KnownSource> {
    const rows = this.deps.book.known(await this.deps.store.list());
    const configured = this.deps.book.all.filter(({ given_by }) => given_by === "configuration");
    const found = [...configured, ...rows].find(({ id, name }) => id === idOrName.toLowerCase() || name === idOrName);
    if (found) return found;
    throw noSource();
  }

  private async stored(idOrName: string): Promise<HookSource> {
    const known = await this.known(idOrName);
    const row = (await this.deps.store.list()).find(({ id }) => id === known.id);
    if (row) return row;
    throw new GuardError("state_conflict", "This source is in the configuration file. Change it there.");
  }

  private async agent(id: string | null, param: string): Promise<Agent | null> {
    if (id === null) return null;
    const agent = isUuid(id) ? await this.deps.agents.byId(id.toLowerCase()) : null;
    if (!agent) throw new GuardError("not_found", "There is no such agent.", { param });
    if (agent.lifecycle === "retired") throw new GuardError("state_conflict", "This agent is retired.", { param });
    return agent;
  }

  /** The oldest administrator where nobody is named: at the command line nobody is signed in. */
  private async user(id: string | null): Promise<User> {
    const { users } = this.deps;
    const user = id === null ? await oldestAdmin(users) : await users.byId(id.toLowerCase());
    if (!user) throw new GuardError("not_found", "There is no such user.", { param: "user_id" });
    if (user.state !== "active") throw new GuardError("state_conflict", "The user is disabled.", { param: "user_id" });
    return user;
  }

  private record(by: Actor, what: string, id: string, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind: `hook_source.${what}`, by, subject: "hook_source", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const oldestAdmin = async (users: Pick<UserStore, "ofRoles">): Promise<User | null> => {
  const active = (await users.ofRoles(["admin"])).filter(({ state }) => state === "active");
  return active.toSorted((one, other) => one.created_at - other.created_at)[0] ?? null;
};

/** Throws `invalid_value`. */
const mustBeNamed = (param: string, pattern: string, name: string): void => {
  if (new RegExp(pattern).test(name)) return;
  throw new GuardError("invalid_value", `The ${param} must match ${pattern}`, { param });
};

/** Signed frames have a key of 32 bytes; what is sent as it is has as many characters as other secrets of the hub. */
const newSecretOf = (kind: SourceKind): string =>
  kind === "copilot-studio" ? newSigningSecret().slice("whsec_".length).replaceAll(/[+/=]/g, "") : newSigningSecret();

/** Throws `invalid_value`. Nothing of the secret is in it. */
const goodSecret = (kind: SourceKind, given: string): string => {
  const secret = given.trim();
  const isGood = kind === "copilot-studio" ? /^[!-~]{16,256}$/.test(secret) : signingKey(secret) !== null;
  if (isGood) return secret;
  const form =
    kind === "copilot-studio" ? "16 to 256 characters without spaces" : "whsec_ and 16 bytes or more in base64";
  throw new GuardError("invalid_value", `A secret of this kind of source is ${form}.`, { param: "secret" });
};

const problemOf = (callers: SourceCallers, source: KnownSource): string | null => {
  if (source.token_id === null && source.secrets().length === 0) return "It has no secret: nothing of it is let in.";
  const found = callers.callerOf(source, NOBODY);
  return found === null ? "There is no such user: nothing of it is let in." : (found.refusal?.message ?? null);
};

/** What we wrote ourselves, read back. */
const lastOf = (value: unknown): HookSourceActivity["last"] => {
  if (!isRecord(value)) return null;
  const { at, call_id, call } = value as AuditRecord;
  return { at, call_id, decision: decisionOf(value as AuditRecord), ms: call?.ms.total ?? 0 };
};

const answerIn = (said: unknown): "allow" | "deny" | null => {
  if (!isRecord(said)) return null;
  if (said["action"] === "allow" || said["blockAction"] === false) return "allow";
  return said["action"] === "deny" || said["blockAction"] === true ? "deny" : null;
};

/** The hub's own words, as its errors have them; whatever else answers there is not shown. */
const problemIn = (said: unknown): string => {
  const error = isRecord(said) ? said["error"] : null;
  const code = isRecord(error) ? error["code"] : null;
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : "no_verdict";
};

const taken = (): GuardError =>
  new GuardError("already_exists", "There is already a source of that name. Choose another name.", { param: "name" });

const noSource = (): GuardError => new GuardError("not_found", "There is no such source.", { param: "id" });
