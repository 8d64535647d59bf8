import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { isRecord } from "#core/json/json";
import { Browser } from "#test/flow/browser";
import { beside } from "#test/support/database";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const ADA = "ada@example.org";
const PASSWORD = "correct horse battery";
const ENV = { GUARDHOUSE_ADMIN_EMAIL: ADA, GUARDHOUSE_ADMIN_PASSWORD: PASSWORD };
const MINUTE_MS = 60_000;
/** Nobody has it. */
const ID = "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a";

let hub: Hub;
beforeAll(async () => {
  hub = await Hub.started({ env: ENV });
});
afterAll(() => hub[Symbol.asyncDispose]());

const signedIn = async (): Promise<Browser> => {
  const browser = new Browser(hub);
  await browser.signIn(ADA, PASSWORD);
  return browser;
};

/** Time passes for all browser sessions there are. */
const age = (ms: number): void => {
  beside(hub, (db) =>
    db.run("UPDATE auth_session SET created_at = created_at - ?1, confirmed_at = confirmed_at - ?1", [ms]),
  );
};

const codeOf = async (answer: Response): Promise<[number, unknown]> => {
  const body: unknown = await answer.json();
  const error = isRecord(body) ? body["error"] : null;
  return [answer.status, isRecord(error) ? error["code"] : null];
};

/** Everything that creates a credential, or proves who sends. */
const ACTS: readonly (readonly [method: string, path: string, json: object])[] = [
  ["POST", "/api/users", { email: "new@example.org", role: "member" }],
  ["PATCH", `/api/users/${ID}`, { role: "admin" }],
  ["POST", `/api/users/${ID}/invitation`, {}],
  ["POST", "/api/webhooks", { url: "https://hooks.example.org/", events: ["*"] }],
  ["POST", `/api/webhooks/${ID}/rotate`, {}],
  ["PATCH", `/api/webhooks/${ID}`, { active: false }],
  ["PATCH", `/api/providers/${ID}`, { priority: 1 }],
];

const REFUSED: [number, unknown] = [403, "fresh_session_required"];

test("creating credentials takes a session confirmed within ten minutes; the rest of the session goes on", async () => {
  verifies("session.fresh");
  const ada = await signedIn();
  for (const [method, path, json] of ACTS) {
    const [status] = await codeOf(await ada.send(path, { method, json }));
    expect([path, status]).not.toEqual([path, 403]);
  }
  age(9 * MINUTE_MS);
  const made = await ada.send("/api/users", { json: { email: "b@example.org", role: "member" } });
  expect(made.status).toBe(201);
  age(2 * MINUTE_MS);
  for (const [method, path, json] of ACTS) {
    expect([path, ...(await codeOf(await ada.send(path, { method, json })))]).toEqual([path, ...REFUSED]);
  }
  expect(await ada.me()).toBe(ADA);
  expect((await ada.send("/api/users")).status).toBe(200);
  expect((await ada.send("/api/webhooks")).status).toBe(200);
  // Nobody is told that they would only have to confirm: who may not, may not.
  await hub.cli("user", "invite", "carl@example.org", "--role", "auditor");
  const key = Object((await hub.cli("session", "create", "carl@example.org")).json()).key;
  const denied = await hub.fetch("/api/users", { token: key, json: { email: "c@example.org", role: "admin" } });
  expect(await codeOf(denied)).toEqual([403, "insufficient_scope"]);
});

test("the password makes it fresh again, and only this session", async () => {
  verifies("session.fresh");
  const [here, there] = [await signedIn(), await signedIn()];
  age(11 * MINUTE_MS);
  const invite = { json: { email: "d@example.org", role: "member" } };
  expect(await codeOf(await here.send("/api/users", invite))).toEqual(REFUSED);
  const cookie = here.cookie;
  expect((await here.send("/api/me/confirm", { json: { password: PASSWORD } })).status).toBe(204);
  expect(here.cookie).toBe(cookie);
  const me: unknown = await (await here.send("/api/me")).json();
  const session = isRecord(me) && isRecord(me["session"]) ? me["session"] : {};
  expect(Date.parse(String(session["fresh_until"]))).toBeGreaterThan(Date.now() + 9 * MINUTE_MS);
  expect((await here.send("/api/users", invite)).status).toBe(201);
  expect(await codeOf(await there.send("/api/users", invite))).toEqual(REFUSED);
  age(11 * MINUTE_MS);
  expect(await codeOf(await here.send("/api/users", invite))).toEqual(REFUSED);
  const foreign = await here.send("/api/me/confirm", {
    json: { password: PASSWORD },
    headers: { origin: "http://evil.test" },
  });
  expect(await codeOf(foreign)).toEqual([403, "origin_not_allowed"]);
});

test("every address that hands out credentials, or says where things are sent, asks for it, and no other does", async () => {
  verifies("session.fresh");
  const document: unknown = await (await hub.fetch("/openapi.json")).json();
  const paths = isRecord(document) && isRecord(document["paths"]) ? document["paths"] : {};
  const fresh = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).flatMap(([method, told]) =>
      isRecord(told) && told["x-fresh"] === true ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  expect(fresh.toSorted()).toEqual([
    "GET /api/backups/{name}",
    "PATCH /api/alert-destinations/{id}",
    "PATCH /api/providers/{id}",
    "PATCH /api/users/{id}",
    "PATCH /api/webhooks/{id}",
    "POST /api/alert-destinations",
    "POST /api/hook-sources",
    "POST /api/hook-sources/{id}/rotate",
    "POST /api/policy/proposals/{id}/approve",
    "POST /api/policy/restore",
    "POST /api/providers",
    // What a proposal's approval makes, calls are sent to.
    "POST /api/registry/imports",
    "POST /api/registry/proposals/{id}/approve",
    "POST /api/registry/proposals/{id}/reject",
    "POST /api/tokens",
    "POST /api/tokens/{id}/enable",
    "POST /api/tokens/{id}/rotate",
    "POST /api/users",
    "POST /api/users/{id}/invitation",
    "POST /api/webhooks",
    "POST /api/webhooks/{id}/rotate",
    "PUT /api/policy",
  ]);
});

test("a key made at the machine is fresh for all its life", async () => {
  verifies("session.fresh");
  const key = Object((await hub.cli("session", "create", ADA)).json()).key;
  beside(hub, (db) => db.run("UPDATE session SET created_at = created_at - ?1", [60 * MINUTE_MS]));
  await hub.restart();
  const made = await hub.fetch("/api/users", { token: key, json: { email: "e@example.org", role: "member" } });
  expect(made.status).toBe(201);
  const me: unknown = await (await hub.fetch("/api/me", { token: key })).json();
  expect(me).toMatchObject({ session: { fresh_until: null } });
});

/** How many wrong guesses were looked at: five, and more only where each took longer than the pause before it. */
const guessedUntilRefused = async (guess: (at: number) => Promise<Response>): Promise<number> => {
  const answers: [number, unknown][] = [];
  while (answers.length < 20 && answers.at(-1)?.[0] !== 429) answers.push(await codeOf(await guess(answers.length)));
  const looked = answers.slice(0, -1);
  expect(looked.length).toBeGreaterThanOrEqual(5);
  expect(looked).toEqual(looked.map(() => [400, "invalid_value"]));
  expect(answers.at(-1)).toEqual([429, "rate_limit_exceeded"]);
  return looked.length;
};

test("a wrong password confirms nothing, is on record, and is guessed as slowly as at sign-in", async () => {
  verifies("session.fresh", "sign-in.backoff");
  await using other = await Hub.started({ env: ENV });
  const ada = new Browser(other);
  await ada.signIn(ADA, PASSWORD);
  const wrong = await guessedUntilRefused((at) =>
    ada.send("/api/me/confirm", { json: { password: `wrong horse battery ${at}` } }),
  );
  // The same count as at the sign-in: no second chance there.
  expect((await new Browser(other).signIn(ADA, PASSWORD)).status).toBe(429);
  const { stdout } = await other.cli("audit", "tail", "-n", "100");
  expect(stdout.match(/"session\.confirm_failed"/g)).toHaveLength(wrong);
  expect(stdout).not.toContain("wrong horse");
});

test("password change is throttled like sign-in", async () => {
  verifies("sign-in.backoff", "sign-in.password-change");
  await using other = await Hub.started({ env: ENV });
  const ada = new Browser(other);
  await ada.signIn(ADA, PASSWORD);
  const guess = (at: number) =>
    ada.send("/api/me/password", {
      json: { current_password: `wrong horse battery ${at}`, new_password: "another horse battery" },
    });
  await guessedUntilRefused(guess);
});
