import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp, mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { isRecord, parseJson } from "#core/json/json";
import { Browser } from "#test/flow/browser";
import { ADA, CALLBACK, type Issued, issuedOf, OAuthWorld, PASSWORD, pkce } from "#test/flow/oauth-world";
import { bytesOf } from "#test/support/bytes";
import { verifies } from "#test/support/verifies";

/** Everything of the hub's that opens something at this moment, and what it takes to use it. */
type Keys = {
  readonly client: string;
  readonly issued: Issued;
  readonly code: string;
  readonly verifier: string;
  readonly token: string;
  readonly session: string;
  readonly invitation: string;
  readonly cookie: string;
};

let world: OAuthWorld;
let ada: Browser;
let keys: Keys;
beforeAll(async () => {
  world = await OAuthWorld.open({
    processes: "hub",
    serve: ["--log-level", "debug"],
    env: { GUARDHOUSE_TRUSTED_PROXIES: "127.0.0.0/8" },
  });
  ada = await world.signedIn();
  keys = await everyKey();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const everyKey = async (): Promise<Keys> => {
  const client = await world.register();
  const issued = await issuedOf(await world.refresh(client, (await world.connect(ada, client)).refresh));
  const { verifier, challenge } = pkce();
  const end = await world.decide(ada, world.query(client, challenge));
  const { token } = await world.hub.createToken(ADA);
  const session = (await world.hub.cli("session", "create", ADA)).json();
  const invited: unknown = await (
    await ada.send("/api/users", { json: { email: "new@example.org", role: "member" } })
  ).json();
  return {
    ...{ client, issued, verifier, token, cookie: ada.cookie },
    code: end.searchParams.get("code") ?? "",
    session: isRecord(session) ? `${session["key"]}` : "",
    invitation: /#(.+)$/.exec(isRecord(invited) ? `${invited["link"]}` : "")?.[1] ?? "",
  };
};

/** Everything that stands in a table, also inside of JSON: texts, and bytes as they would be written. */
const textsIn = (value: unknown): string[] => {
  if (value instanceof Uint8Array)
    return [Buffer.from(value).toString("hex"), Buffer.from(value).toString("base64url")];
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(textsIn);
  if (typeof value !== "string") return [];
  const inner = /^[[{"]/.test(value) ? parseJson(value) : undefined;
  return [value, ...(inner === undefined || inner === value ? [] : textsIn(inner))];
};

const storedTexts = (dataDir: string): string[] => {
  const db = new Database(join(dataDir, "guardhouse.db"), { readonly: true });
  try {
    const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const rows = tables.flatMap(({ name }) => db.query<unknown, []>(`SELECT * FROM "${name}"`).all());
    // Shorter than any secret, or with what no secret has in it.
    return [...new Set(rows.flatMap(textsIn))].filter((text) => /^[!-~]{16,512}$/.test(text));
  } finally {
    db.close();
  }
};

/** Each way in that takes a secret: the answer of whoever tries this text there. */
const doorsFor = (text: string, at: number): readonly (readonly [string, () => Promise<Response>])[] => {
  // As if from everywhere, so that nothing is refused for being the hundredth try.
  const headers = { "x-forwarded-for": `203.${at % 200}.${Math.floor(at / 200) % 200}.7` };
  const bearers = [text, `gw-live-${text}`, `gw-at-${text}`, `gw-session-${text}`];
  const cookies = [text, `${text}.${text}`, encodeURIComponent(text)];
  const form = (fields: Record<string, string>) =>
    world.hub.fetch("/api/auth/oauth2/token", {
      ...{ method: "POST", headers },
      body: new URLSearchParams({ client_id: keys.client, redirect_uri: CALLBACK, ...fields }),
    });
  const post = (path: string, json: unknown) => new Browser(world.hub).send(path, { json, headers });
  return [
    ...bearers.flatMap((token) =>
      ["/v1/models", "/mcp/gateway", "/api/me"].map(
        (path) =>
          [
            `${path} bearer`,
            () => world.hub.fetch(path, { token, headers, method: path === "/mcp/gateway" ? "POST" : "GET" }),
          ] as const,
      ),
    ),
    ...cookies.map(
      (value) =>
        [
          "cookie",
          () => world.hub.fetch("/api/me", { headers: { ...headers, cookie: `hub.session_token=${value}` } }),
        ] as const,
    ),
    ["code", () => form({ grant_type: "authorization_code", code: text, code_verifier: keys.verifier })],
    ["refresh", () => form({ grant_type: "refresh_token", refresh_token: text })],
    ["refresh", () => form({ grant_type: "refresh_token", refresh_token: `gw-rt-${text}` })],
    ["invitation", () => post("/api/auth/invitation/accept", { token: text, password: PASSWORD })],
    ["setup", () => post("/api/auth/setup", { token: text, email: "eve@example.org", password: PASSWORD })],
  ];
};

describe("OAuth: an attacker with the database only", () => {
  test("database content authenticates nobody", async () => {
    verifies("oauth.database-leak");
    const stored = storedTexts(world.hub.dataDir);
    expect(stored.length).toBeGreaterThan(100);
    const whole = stored.join("\n");
    const { client: _, issued, ...others } = keys;
    for (const secret of [issued.access, issued.refresh, ...Object.values(others), PASSWORD]) {
      expect([secret.length > 15, whole.includes(secret), whole.includes(secret.slice(8))]).toEqual([
        true,
        false,
        false,
      ]);
    }
    const opened: string[] = [];
    let tried = 0;
    for (const [at, text] of stored.entries()) {
      const tries = await Promise.all(
        doorsFor(text, at).map(async ([door, open]) => {
          const answer = await open();
          await answer.body?.cancel();
          return [door, answer.status] as const;
        }),
      );
      tried += tries.length;
      for (const [door, status] of tries)
        if (status < 400 || status === 429 || status >= 500) opened.push(`${door} ${status}: ${text}`);
    }
    expect(opened).toEqual([]);
    expect(tried).toBeGreaterThan(2_000);
    // The password's hash is no password.
    for (const hash of stored.filter((text) => text.startsWith("$argon2"))) {
      expect((await new Browser(world.hub).signIn(ADA, hash)).status).toBe(401);
    }
    // And the real ones are accepted at the same addresses.
    expect((await world.ask(issued.access)).status).toBe(200);
    expect((await world.hub.fetch("/v1/models", { token: keys.token })).status).toBe(200);
    expect((await world.hub.fetch("/api/me", { token: keys.session })).status).toBe(200);
    expect(await ada.me()).toBe(ADA);
    expect((await world.redeem(keys.client, keys.code, keys.verifier)).status).toBe(200);
    expect((await world.refresh(keys.client, issued.refresh)).status).toBe(200);
    const accepted = await new Browser(world.hub).send("/api/auth/invitation/accept", {
      json: { token: keys.invitation, password: PASSWORD },
    });
    expect(accepted.status).toBe(204);
  }, 240_000);
});

describe("grants", () => {
  test("outlive a crash right after they were renewed, and so does their reuse being noticed", async () => {
    verifies("oauth.survives", "oauth.refresh");
    const client = await world.register();
    const first = await world.connect(ada, client);
    const next = await issuedOf(await world.refresh(client, first.refresh));
    await world.hub.kill("SIGKILL");
    await world.hub.start();
    expect((await world.ask(next.access)).status).toBe(200);
    // A process that had not heard of it yet gets the same ones.
    expect(await issuedOf(await world.refresh(client, first.refresh))).toEqual(next);
    const third = await issuedOf(await world.refresh(client, next.refresh));
    expect((await world.form("revoke", { client_id: client, token: third.refresh })).status).toBe(200);
    await world.hub.kill("SIGKILL");
    await world.hub.start();
    expect((await world.ask(third.access)).status).toBe(401);
    expect((await world.refresh(client, third.refresh)).status).toBe(400);
    ada = await world.signedIn();
  });

  test("work after a backup was restored; what was granted since does not", async () => {
    verifies("oauth.survives");
    const client = await world.register();
    const kept = await world.connect(ada, client, ["fix__echo"]);
    const { dataDir } = world.hub;
    const copy = `${dataDir}.backup`;
    await mkdir(copy, { mode: 0o700 });
    const db = new Database(join(dataDir, "guardhouse.db"), { readonly: true });
    db.run(`VACUUM INTO '${join(copy, "guardhouse.db")}'`);
    db.close();
    for (const name of await readdir(dataDir))
      if (/^master\.key|\.pem$/.test(name)) await cp(join(dataDir, name), join(copy, name));
    const later = await world.connect(ada, await world.register());
    await world.hub.kill("SIGTERM");
    await rename(dataDir, `${dataDir}.before`);
    await rename(copy, dataDir);
    await world.hub.start();
    expect((await world.names(kept.access)).filter((name) => name !== "guardhouse__whoami")).toEqual(["fix__echo"]);
    const next = await issuedOf(await world.refresh(client, kept.refresh));
    expect((await world.ask(next.access)).status).toBe(200);
    expect((await world.ask(later.access)).status).toBe(401);
    expect(await ada.me()).toBe(ADA);
  });
});

test("no log line and no record holds a secret, whatever went wrong with it", async () => {
  verifies("oauth.redacted", "oauth.recorded");
  const client = await world.register();
  const { verifier, challenge } = pkce();
  const query = world.query(client, challenge);
  const end = await world.decide(ada, query);
  const code = end.searchParams.get("code") ?? "";
  const wrong = pkce().verifier;
  const said: string[] = [code, verifier, wrong];
  const issued = await issuedOf(await world.redeem(client, code, verifier));
  const again = await issuedOf(await world.refresh(client, issued.refresh));
  said.push(issued.access, issued.refresh, again.access, again.refresh);
  // All that can go wrong: twice, by another, at the wrong place, in the address, in the wrong form.
  await world.redeem(client, code, verifier);
  await world.redeem(client, code, wrong);
  await world.refresh(await world.register(), again.refresh);
  await world.form("token", {
    grant_type: "password",
    client_id: client,
    password: PASSWORD,
    refresh_token: again.refresh,
  });
  await world.hub.fetch(`/mcp/gateway?access_token=${issued.access}`, { method: "POST" });
  await world.hub.fetch(`/api/auth/oauth2/token?code=${code}&code_verifier=${verifier}`, { method: "POST" });
  await world.hub.fetch("/v1/models", { token: again.access });
  await world.hub.fetch("/mcp/gateway", { token: `${again.access}x`, json: { method: "tools/list" } });
  await world.hub.fetch("/api/auth/oauth2/token", { method: "POST", body: `{"refresh_token":"${again.refresh}"}` });
  await new Browser(world.hub).signIn(ADA, `${PASSWORD} typo-in-it`);
  await ada.send("/api/auth/oauth2/consent", {
    json: { query: `${query}&code=${code}`, accept: true, tools: [again.access] },
  });
  const records = (await world.hub.cli("audit", "export", "--format", "jsonl")).stdout;
  const shown = records === "" ? JSON.stringify((await world.hub.cli("audit", "tail", "-n", "2000")).json()) : records;
  await world.hub.kill("SIGTERM");
  const logs = await world.hub.written();
  expect([logs.includes("listening"), shown.includes("oauth.token")]).toEqual([true, true]);
  const cookie = decodeURIComponent(ada.cookie.split("=")[1] ?? "");
  said.push(cookie, cookie.split(".")[0] ?? cookie, "typo-in-it", PASSWORD);
  for (const secret of said) {
    expect(secret.length).toBeGreaterThan(9);
    for (const [where, text] of Object.entries({ logs, shown })) {
      expect([where, secret, text.includes(secret), text.includes(encodeURIComponent(secret))]).toEqual([
        where,
        secret,
        false,
        false,
      ]);
    }
  }
  // Nor do the files, but for what of a session is worth nothing without its signature.
  const files = (await readdir(world.hub.dataDir, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  for (const entry of files) {
    const bytes = await bytesOf(join(entry.parentPath, entry.name));
    for (const secret of said) {
      if (secret === cookie.split(".")[0]) continue;
      expect([entry.name, secret, bytes.includes(secret)]).toEqual([entry.name, secret, false]);
    }
  }
});
