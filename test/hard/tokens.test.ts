import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PrincipalCache } from "#identity/principal-cache";
import { looksLikeToken, mintToken, type Token as StoredToken } from "#model/token";
import { secretHash } from "#platform/hash";
import { beside } from "#test/support/database";
import { Hub, type Token } from "#test/support/hub";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";

const EVE = "eve@example.com";
const HELLO = { model: "guardhouse/echo", messages: [{ role: "user", content: "hello" }] };
const CHAT = "/v1/chat/completions";

let hub: Hub;
beforeAll(async () => {
  hub = await Hub.create({ processes: "all" });
  await hub.createUser(EVE);
  await hub.start();
});
afterAll(() => hub[Symbol.asyncDispose]());

const statusOf = async (token: string): Promise<number> => {
  const response = await hub.fetch(CHAT, { token, json: HELLO });
  await response.text();
  return response.status;
};

/** Runs a command beside the server and gives what it printed. Throws when it fails. */
const cli = async (...args: readonly string[]): Promise<unknown> => {
  const result = await hub.cli(...args);
  expect([args.join(" "), result.code, result.stderr.includes("warning")]).toEqual([args.join(" "), 0, false]);
  return result.json();
};

const fieldOf = (value: unknown, name: string): string => {
  const field: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  if (typeof field !== "string") throw new Error(`no ${name}`);
  return field;
};

/** Sets an agent's lifecycle as another process would: the row and the counter that tells of it, in one transaction. */
const setLifecycle = (agentId: string, lifecycle: string): void => {
  beside(hub, (db) =>
    db.transaction(() => {
      db.run("UPDATE revision SET value = value + 1 WHERE subject = 'all'");
      db.run(
        "UPDATE agent SET lifecycle = ?, changed = (SELECT value FROM revision WHERE subject = 'all') WHERE id = ?",
        [lifecycle, agentId],
      );
    })(),
  );
};

/** Waits until the call is answered like this; the promise is one second, a busy machine gets some more. */
const until = async (status: number, token: string): Promise<void> => {
  const deadline = performance.now() + 60_000;
  while ((await statusOf(token)) !== status && performance.now() < deadline) await Bun.sleep(20);
  expect(await statusOf(token)).toBe(status);
};

describe("tokens change under load", () => {
  const CALLERS = 200;
  type Call = { readonly began: number; readonly ended: number; readonly status: number; readonly whole: boolean };

  /** Many callers with one token, until told to stop; each call is noted with when it began. */
  const callers = (token: string, count: number) => {
    const calls: Call[] = [];
    let stopped = false;
    const one = async (): Promise<void> => {
      while (!stopped) {
        const began = performance.now();
        const response = await hub.fetch(CHAT, { token, json: HELLO });
        const body = await response.json();
        const whole =
          response.status === 200
            ? body.choices[0].message.content === "Echo: hello"
            : body.error.code === "invalid_api_key";
        calls.push({ began, ended: performance.now(), status: response.status, whole });
        await Bun.sleep(40);
      }
    };
    const all = Promise.all(Array.from({ length: count }, one));
    const stop = async (): Promise<readonly Call[]> => {
      stopped = true;
      await all;
      return calls;
    };
    const dispose = async (): Promise<void> => {
      await stop();
    };
    return { calls, stop, [Symbol.asyncDispose]: dispose };
  };

  /** The statuses of the calls that began after the one moment and ended before the other. */
  const statusesBetween = (calls: readonly Call[], from: number, to: number): Set<number> =>
    new Set(calls.filter(({ began, ended }) => began > from && ended < to).map(({ status }) => status));

  test("token changes apply to every call that begins after the command returned", async () => {
    verifies("token.revocation", "token.states");
    const changing = await hub.createToken(EVE);
    const other = await hub.createToken(EVE);
    await using busy = callers(changing.token, CALLERS / 2);
    await using control = callers(other.token, CALLERS / 2);
    const settled: { readonly what: string; readonly from: number; to: number; readonly expected: number }[] = [];
    const step = async (what: string, expected: number, ...args: readonly string[]): Promise<unknown> => {
      const last = settled.at(-1);
      if (last) last.to = performance.now();
      const result = args.length === 0 ? null : await cli(...args, changing.id);
      settled.push({ what, from: performance.now(), to: Number.POSITIVE_INFINITY, expected });
      // Until as many calls began and ended since as there are callers.
      const from = performance.now();
      while (busy.calls.filter(({ began }) => began > from).length < CALLERS / 2) await Bun.sleep(5);
      return result;
    };
    await step("as made", 200);
    await step("disabled", 401, "token", "disable");
    await step("enabled", 200, "token", "enable");
    const next = fieldOf(await step("rotated, within its grace", 200, "token", "rotate"), "token");
    expect(await statusOf(next)).toBe(200);
    await step("revoked", 401, "token", "revoke");
    expect(await statusOf(next)).toBe(200);

    const calls = await busy.stop();
    for (const { what, from, to, expected } of settled) {
      expect([what, statusesBetween(calls, from, to)]).toEqual([what, new Set([expected])]);
    }
    const others = await control.stop();
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
    // Whatever began while a command was at work was answered whole, or refused cleanly.
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200, 401]));
    expect([...calls, ...others].filter(({ whole }) => !whole)).toEqual([]);
    expect(calls.length).toBeGreaterThan(CALLERS);
  }, 120_000);
});

/** All that can be told apart of how the guarded routes answer to an Authorization header, but ids and times. */
const refusalsOf = async (authorization: string | null): Promise<Set<string>> => {
  const refusals = new Set<string>();
  const bodies = { [CHAT]: HELLO, "/v1/guard/scan": { text: "hello" }, "/v1/models": undefined };
  for (const [path, json] of Object.entries(bodies)) {
    const sent = authorization === null ? {} : { headers: { authorization } };
    const response = await hub.fetch(path, { ...sent, ...(json ? { json } : {}) });
    const { status, headers } = response;
    const shown = [...headers.keys()].filter((header) => header !== "date" && header !== "x-request-id");
    refusals.add([status, headers.get("www-authenticate"), await response.text(), ...shown].join("\n"));
  }
  return refusals;
};

describe("a token that opens nothing", () => {
  test("is refused alike, whatever the reason", async () => {
    verifies("token.one-refusal", "token.states");
    const made = async (...flags: readonly string[]): Promise<Token> => hub.createToken(EVE, undefined, ...flags);
    const expired = await made("--expires-in", "1s");
    const born = performance.now();
    const [disabled, revoked, rotated] = [await made(), await made(), await made()];
    await cli("token", "disable", disabled.id);
    await cli("token", "revoke", revoked.id);
    await cli("token", "rotate", rotated.id, "--grace", "0");
    const agent = await hub.createAgent("retired", EVE);
    const retired = await hub.createToken(EVE, "retired");
    setLifecycle(agent.id, "retired");
    await until(401, retired.token);
    await Bun.sleep(Math.max(0, born + 1_500 - performance.now()));
    const good = await made();
    const typo = `${good.token.slice(0, 20)}${good.token[20] === "a" ? "b" : "a"}${good.token.slice(21)}`;
    const authorizations: Record<string, string | null> = {
      "none at all": null,
      empty: "",
      "a scheme only": "Bearer",
      "another scheme": `Basic ${btoa(`${good.token}:`)}`,
      "no scheme": good.token,
      "two tokens": `Bearer ${good.token} ${good.token}`,
      "a list": `Bearer ${good.token}, Bearer ${good.token}`,
      unknown: `Bearer ${mintToken(crypto.getRandomValues(new Uint8Array(64)))}`,
      "a legacy one, unknown": `Bearer gwk_${"x".repeat(40)}`,
      malformed: "Bearer gw-live-short",
      "with a typo": `Bearer ${typo}`,
      "with more behind it": `Bearer ${good.token}0`,
      "in another case": `Bearer ${good.token.toLowerCase()}`,
      "its hash": `Bearer ${secretHash(good.token)}`,
      "its display": `Bearer ${good.display.replace("…", "")}`,
      expired: `Bearer ${expired.token}`,
      disabled: `Bearer ${disabled.token}`,
      revoked: `Bearer ${revoked.token}`,
      "rotated away": `Bearer ${rotated.token}`,
      "of a retired agent": `Bearer ${retired.token}`,
    };
    const seen = new Set<string>();
    for (const [name, authorization] of Object.entries(authorizations)) {
      const answers = await refusalsOf(authorization);
      expect([name, answers.size]).toEqual([name, 1]);
      for (const answer of answers) seen.add(answer);
    }
    const [refusal = ""] = seen;
    expect([...seen]).toEqual([refusal]);
    expect(JSON.parse(refusal.split("\n")[2] ?? "")).toMatchObject({
      error: { code: "invalid_api_key", type: "invalid_request_error", param: null },
    });
    expect(refusal).toStartWith("401\nBearer\n");
    expect(await statusOf(good.token)).toBe(200);
  }, 120_000);

  test("is refused by its shape alone, before anything is looked up", () => {
    verifies("token.shape");
    fc.assert(
      fc.property(
        fc
          .uint8Array({ minLength: 64, maxLength: 64 })
          .filter((bytes) => bytes.filter((byte) => byte < 248).length >= 32),
        fc.nat(37),
        fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        (random, at, letter) => {
          const token = mintToken(random);
          expect(looksLikeToken(token)).toBe(true);
          const place = "gw-live-".length + at;
          const typo = token.slice(0, place) + letter + token.slice(place + 1);
          expect(looksLikeToken(typo)).toBe(typo === token);
        },
      ),
    );
    // A directory that would find the mistyped token is not even asked.
    const typo = "gw-live-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa000000";
    const stored: StoredToken = {
      id: "t",
      hash: secretHash(typo),
      display: "",
      name: null,
      user_id: "u",
      agent_id: null,
      state: "active",
      expires_at: null,
      created_at: 0,
    };
    const principals = new PrincipalCache(() => 0);
    const user = { id: "u", email: EVE, name: null, role: "member", state: "active", created_at: 0 } as const;
    principals.apply({
      revision: 1,
      users: [user],
      agents: [],
      tokens: [stored],
      sessions: [],
      providers: null,
      tools: null,
      profiles: [],
      restrictions: [],
      kill_switches: [],
      tuning: [],
      policy: null,
      prices: null,
      budgets: null,
      hook_sources: null,
    });
    expect(looksLikeToken(typo)).toBe(false);
    expect(principals.authenticate(typo)).toBeNull();
  });
});

describe("a valid token", () => {
  test("in any spelling of its scheme, but in no URL", async () => {
    const { token } = await hub.createToken(EVE);
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR", "Bearer "]) {
      const response = await hub.fetch("/v1/models", { headers: { authorization: `${scheme} ${token}` } });
      expect([scheme, response.status]).toEqual([scheme, 200]);
    }
    for (const name of ["access_token", "token", "api_key", "key", "authorization", "bearer", "%00"]) {
      const response = await hub.fetch(`/v1/models?${name}=${token}`);
      expect([name, response.status]).toEqual([name, 401]);
    }
    const headers = { cookie: `token=${token}` };
    expect((await hub.fetch("/v1/models", { headers })).status).toBe(401);
    const form = await hub.fetch(CHAT, {
      method: "POST",
      body: `access_token=${token}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(form.status).toBe(401);
  });

  test("a legacy token that was imported, and not before", async () => {
    verifies("token.legacy");
    const legacy = `gwk_${crypto.randomUUID().replaceAll("-", "")}`;
    expect(await statusOf(legacy)).toBe(401);
    const imported = await hub.cliWith({ stdin: `${legacy}\n` }, "token", "import", "--user", EVE);
    expect(imported.code).toBe(0);
    expect(await statusOf(legacy)).toBe(200);
    await cli("token", "revoke", fieldOf(imported.json(), "id"));
    expect(await statusOf(legacy)).toBe(401);
  });

  test("an agent's own: the record names the agent; suspended it is refused, resumed it calls again", async () => {
    verifies("token.agent");
    const agent = await hub.createAgent("helper", EVE);
    const { token, id } = await hub.createToken(EVE, "helper");
    const answered = await hub.fetch(CHAT, { token, json: HELLO });
    expect(answered.status).toBe(200);
    setLifecycle(agent.id, "suspended");
    await until(403, token);
    const refused = await hub.fetch(CHAT, { token, json: HELLO });
    expect(await refused.json()).toMatchObject({ error: { code: "agent_suspended", type: "permission_error" } });
    expect(refused.headers.get("x-should-retry")).toBe("false");
    const probe = await hub.fetch("/v1/guard/scan", { token, json: { text: "hello" } });
    const models = await hub.fetch("/v1/models", { token });
    expect([probe.status, models.status]).toEqual([403, 403]);
    setLifecycle(agent.id, "active");
    await until(200, token);

    const records = await cli("audit", "tail", "-n", "1000");
    const endOf = (response: Response) =>
      Array.isArray(records)
        ? records.find((record) => record.call_id === response.headers.get("x-request-id") && record.phase === "final")
        : undefined;
    expect(endOf(answered)).toMatchObject({
      outcome: "answered",
      actor: { via: "token", agent_id: agent.id, token_id: id },
    });
    expect(endOf(refused)).toMatchObject({
      outcome: "refused",
      actor: { agent_id: agent.id },
      call: { code: "agent_suspended", status: 403 },
    });
  });
});

test("of several hubs started at once on one data directory one serves; the others say 5, or 6 for an address", async () => {
  verifies("data.one-server");
  await using fresh = await Hub.create({ processes: "all" });
  await fresh.createUser(EVE);
  const { token } = await fresh.createToken(EVE);
  const serve = ["serve", "--listen", "127.0.0.1:0", "--data-dir", fresh.dataDir];
  const racers = Array.from({ length: 3 }, () =>
    Bun.spawn([...command(), ...serve], { env: {}, stdout: "ignore", stderr: "ignore" }),
  );
  try {
    const deadline = performance.now() + 45_000;
    const running = () => racers.filter(({ exitCode }) => exitCode === null);
    while (running().length > 1 && performance.now() < deadline) await Bun.sleep(20);
    expect(racers.map(({ exitCode }) => exitCode).sort()).toEqual([5, 5, null].sort());
  } finally {
    for (const racer of racers) racer.kill("SIGKILL");
  }
  await Promise.all(racers.map(({ exited }) => exited));
  expect((await fresh.cli("serve", "--listen", new URL(hub.url).host)).code).toBe(6);
  // Neither the killed one nor the one that found its address taken keeps the directory.
  await fresh.start();
  expect((await fresh.fetch("/v1/models", { token })).status).toBe(200);
  expect((await hub.fetch("/healthz")).status).toBe(200);
}, 120_000);
